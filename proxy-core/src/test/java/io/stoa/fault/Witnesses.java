// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * The directories themselves, asked behind Stoa's back. What a primary has acknowledged, and has
 * handed on to nobody before it was killed, no living server has: then nobody can read it, through
 * Stoa or not. Immutable.
 *
 * @param servers all of them, living or not
 */
record Witnesses(List<InetSocketAddress> servers) {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Whether any server that answers shows that in an entry. */
  boolean anyShows(RawRequest entry, Predicate<RawMessage> that) {
    return servers.stream().anyMatch(server -> shows(server, entry, that));
  }

  private static boolean shows(
      InetSocketAddress server, RawRequest entry, Predicate<RawMessage> that) {
    try (RawLdapClient direct = RawLdapClient.connect(server).patience(PATIENCE)) {
      List<RawMessage> answer = direct.call(entry);
      return answer.size() == 2 && that.test(answer.get(0));
    } catch (UncheckedIOException | AssertionError dead) {
      return false;
    }
  }
}
