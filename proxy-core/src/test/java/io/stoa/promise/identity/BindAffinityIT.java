// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Binds of one name go to one server, where the wrong passwords are counted. */
class BindAffinityIT {
  private static final int INVALID_CREDENTIALS = 49;
  private static final int MAX_FAILURES = 3;

  /** Of so many, what a server may have less than its part is five standard deviations. */
  private static final int NAMES = 120;

  private static final String USER = People.dn(1);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** A directory in which an account is locked after a few wrong passwords. */
  private static SlapdConfig locking() {
    return People.policed("pwdLockout: TRUE", "pwdMaxFailure: " + MAX_FAILURES);
  }

  private static RunningProxy start(ProxySetup setup, int servers) {
    return setup.cachesOff().start().awaitUp(servers);
  }

  private static int bind(RunningProxy proxy, String name, String password) {
    try (RawLdapClient client = proxy.client()) {
      return client.code(Requests.bind(name, password));
    }
  }

  @Test
  void anAccountIsLockedAfterTheDirectorysFailureLimit() {
    try (Slapd a = Slapd.start(locking());
        Slapd b = Slapd.start(locking());
        Slapd c = Slapd.start(locking());
        RunningProxy proxy = start(ProxySetup.before(a.port(), b.port(), c.port()), 3)) {
      assertThat(bind(proxy, USER, People.PASSWORD)).isZero();
      for (int i = 0; i < MAX_FAILURES; i++) {
        String spelling = i % 2 == 0 ? USER : USER.replace("uid=", "UID = ");
        assertThat(bind(proxy, spelling, "wrong")).isEqualTo(INVALID_CREDENTIALS);
      }
      assertThat(bind(proxy, USER, People.PASSWORD)).isEqualTo(INVALID_CREDENTIALS);
    }
  }

  private static String name(int number) {
    return "uid=" + number + "," + People.SUFFIX;
  }

  private static ToLongFunction<ScriptedUpstream> bindsOf(int number) {
    String name = "uid=" + number + ",";
    return server ->
        server
            .received(request -> request.is(Received.BIND) && request.message().mentions(name))
            .size();
  }

  private static List<Integer> homes(List<ScriptedUpstream> servers) {
    return IntStream.range(0, NAMES)
        .map(
            number ->
                IntStream.range(0, servers.size())
                    .filter(i -> bindsOf(number).applyAsLong(servers.get(i)) > 0)
                    .findFirst()
                    .orElseThrow())
        .boxed()
        .toList();
  }

  @Test
  void onlyTheNamesOfALostServerMove() {
    List<ScriptedUpstream> servers = Stream.generate(ScriptedUpstream::start).limit(3).toList();
    int[] ports = servers.stream().mapToInt(ScriptedUpstream::port).toArray();
    try (RunningProxy proxy = start(ProxySetup.before(ports), 3)) {
      bindAll(proxy);
      bindAll(proxy);
      List<Integer> homes = homes(servers);
      assertThat(homes).contains(0, 1, 2);
      for (int i = 0; i < NAMES; i++) {
        assertThat(bindsOf(i).applyAsLong(servers.get(homes.get(i)))).isEqualTo(2);
      }
      servers.get(2).goDown();
      proxy.awaitUp(2);
      bindAll(proxy);
      for (int i = 0; i < NAMES; i++) {
        int home = homes.get(i);
        long there = bindsOf(i).applyAsLong(servers.get(home));
        assertThat(there).as("binds of %s at its server", i).isEqualTo(home == 2 ? 2 : 3);
      }
      servers.get(2).comeBack();
      proxy.awaitUp(3);
      bindAll(proxy);
      assertThat(bindsOf(homes.indexOf(2)).applyAsLong(servers.get(2))).isEqualTo(3);
    } finally {
      servers.forEach(ScriptedUpstream::close);
    }
  }

  /** Where each name is bound now. */
  private static List<Integer> homesNow(RunningProxy proxy, List<ScriptedUpstream> servers) {
    return IntStream.range(0, NAMES)
        .map(
            number -> {
              List<Long> before = binds(number, servers);
              assertThat(bind(proxy, name(number), People.PASSWORD)).isZero();
              List<Long> after = binds(number, servers);
              return IntStream.range(0, servers.size())
                  .filter(i -> after.get(i) > before.get(i))
                  .findFirst()
                  .orElseThrow();
            })
        .boxed()
        .toList();
  }

  private static List<Long> binds(int number, List<ScriptedUpstream> servers) {
    return servers.stream().map(bindsOf(number)::applyAsLong).toList();
  }

  private static void weigh(RunningProxy proxy, List<ScriptedUpstream> servers, int ofLast) {
    proxy
        .proxy()
        .applyServers(
            IntStream.range(0, servers.size())
                .mapToObj(
                    i ->
                        new ServerSpec(
                            new ServerAddress("127.0.0.1", servers.get(i).port()),
                            true,
                            i == servers.size() - 1 ? ofLast : 1,
                            1))
                .toList());
  }

  @Test
  void aWeightChangeMovesNoMoreNamesThanNeeded() {
    List<ScriptedUpstream> servers = Stream.generate(ScriptedUpstream::start).limit(3).toList();
    int[] ports = servers.stream().mapToInt(ScriptedUpstream::port).toArray();
    try (RunningProxy proxy = start(ProxySetup.before(ports), 3)) {
      List<Integer> equal = homesNow(proxy, servers);
      weigh(proxy, servers, 4);
      List<Integer> heavy = homesNow(proxy, servers);
      for (int i = 0; i < NAMES; i++) {
        assertThat(heavy.get(i)).as("home of %s", i).isIn(equal.get(i), 2);
      }
      assertThat(Collections.frequency(heavy, 2)).isGreaterThan(NAMES * 4 / 9);
      assertThat(heavy).contains(0, 1);
      weigh(proxy, servers, 1);
      assertThat(homesNow(proxy, servers)).isEqualTo(equal);
    } finally {
      servers.forEach(ScriptedUpstream::close);
    }
  }

  @Test
  void bindsAreSpreadWithoutAffinity() {
    List<ScriptedUpstream> servers = Stream.generate(ScriptedUpstream::start).limit(3).toList();
    int[] ports = servers.stream().mapToInt(ScriptedUpstream::port).toArray();
    ProxySetup setup = ProxySetup.before(ports).replay("bindAffinity", false);
    try (RunningProxy proxy = start(setup, 3)) {
      IntStream.range(0, NAMES).forEach(i -> bind(proxy, name(1), People.PASSWORD));
      assertThat(servers).allMatch(server -> bindsOf(1).applyAsLong(server) > 0);
    } finally {
      servers.forEach(ScriptedUpstream::close);
    }
  }

  private static void bindAll(RunningProxy proxy) {
    IntStream.range(0, NAMES)
        .forEach(number -> assertThat(bind(proxy, name(number), People.PASSWORD)).isZero());
  }
}
