// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Slapd;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rules of access of all servers: others now and then, on one server after the other. Confined
 * to whoever holds the lock of the writer.
 */
final class OracleRules {
  private final List<Slapd> servers;
  private final OracleTree tree;
  private boolean open;

  OracleRules(ReplicatedSlapd servers, int replicas, OracleTree tree) {
    this.servers =
        Stream.concat(
                Stream.of(servers.primary()),
                IntStream.range(0, replicas).mapToObj(servers::replica))
            .toList();
    this.tree = tree;
  }

  /** All servers get others; all of them are there. */
  void change() throws LDAPException {
    long sent = System.nanoTime();
    for (Slapd server : servers) {
      OracleWorld.rule(server, !open);
    }
    open = !open;
    tree.ruled(new OracleWorld.Rules(open), sent, System.nanoTime());
  }

  /**
   * A server that ended after a time has begun again by the rules of its file, and gets those that
   * it had.
   */
  void restarted(Slapd server, long since) throws LDAPException {
    if (open) {
      OracleWorld.rule(server, true);
      long now = System.nanoTime();
      tree.ruled(new OracleWorld.Rules(false), since, now);
      tree.ruled(new OracleWorld.Rules(true), since, now);
    }
  }
}
