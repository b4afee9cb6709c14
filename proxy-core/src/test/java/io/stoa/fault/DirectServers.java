// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The directories themselves, asked behind Stoa's back. What a primary has acknowledged, and has
 * handed on to nobody before it was killed, no living server has: then nobody can read it, through
 * Stoa or not, until the primary is back and Stoa has noticed. Immutable.
 *
 * @param servers all of them, living or not, in the order in which Stoa has them
 */
record DirectServers(List<InetSocketAddress> servers, RunningProxy proxy) {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Those that Stoa knows to be there now. */
  List<InetSocketAddress> present() {
    List<BackendStatus> seen = proxy.status().backends();
    return IntStream.range(0, servers.size())
        .filter(i -> isThere(seen.get(i).state()))
        .mapToObj(servers::get)
        .toList();
  }

  private static boolean isThere(BackendState state) {
    return state != BackendState.DOWN && state != BackendState.PROBING;
  }

  /** Whether any of these servers that answers shows that in an entry. */
  static boolean anyShows(
      List<InetSocketAddress> some, RawRequest entry, Predicate<RawMessage> that) {
    return some.stream().anyMatch(server -> shows(server, entry, that));
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
