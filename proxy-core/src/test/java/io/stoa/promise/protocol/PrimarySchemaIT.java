// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.server.BackendState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two servers that do not agree about the schema: what the primary says holds. */
class PrimarySchemaIT {
  private static final String SCHEMA = "cn=Subschema";
  private static final int READS = 2;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** The primary has more to do than the replica all the time. */
  @Test
  void theSchemaIsThePrimarys() {
    try (ScriptedUpstream primary = ScriptedUpstream.start();
        ScriptedUpstream replica = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(primary.port(), replica.port()).start();
        RawLdapClient client = proxy.client()) {
      replica.when(PrimarySchemaIT::isSchemaRead, Answers.entries(anotherSchema()));
      Await.until("both are up", () -> bothUp(proxy));
      final Held write = primary.hold(request -> request.is(Received.MODIFY));
      final int change = client.send(Requests.replace("dc=example,dc=com", "description", "x"));
      write.awaitArrival();
      awaitReads(primary, 1);
      final int readOfReplica = replica.received(PrimarySchemaIT::isSchemaRead).size();
      final long before = proxy.cache().invalidations();
      awaitReads(primary, READS);
      assertThat(proxy.cache().invalidations()).isEqualTo(before);
      assertThat(replica.received(PrimarySchemaIT::isSchemaRead)).hasSize(readOfReplica);
      write.answer(Answers.success());
      client.await(change);
    }
  }

  private static boolean isSchemaRead(Received request) {
    return request.isSearchFor(SCHEMA);
  }

  /** So many further reads, the last of which has been made use of when the next one comes. */
  private static void awaitReads(ScriptedUpstream server, int further) {
    server.awaitReceived(
        server.received(PrimarySchemaIT::isSchemaRead).size() + further,
        PrimarySchemaIT::isSchemaRead);
  }

  private static boolean bothUp(RunningProxy proxy) {
    return proxy.status().backends().stream().allMatch(b -> b.state() == BackendState.UP);
  }

  private static Entry anotherSchema() {
    Entry entry = new Entry(SCHEMA);
    entry.addAttribute("objectClass", "subschema");
    entry.addAttribute(
        "attributeTypes", "( 2.5.4.3 NAME 'cn' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )");
    return entry;
  }
}
