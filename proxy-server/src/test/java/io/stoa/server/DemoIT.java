// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo as a process: what it tells people to do works, and Ctrl-C ends all of it. */
class DemoIT {
  private static final Pattern PORT = Pattern.compile("(?:ldap|http)://127\\.0\\.0\\.1:(\\d+)");
  private static final String LIVE =
      "operations (\\d+) .* hits (\\d+) .* misses (\\d+) .* hit ratio (\\S+) .*"
          + " upstream operations (\\d+)";

  private CommandProcess demo;

  @BeforeEach
  void start() {
    demo = CommandProcess.start("demo");
    demo.await("Ctrl-C ends everything");
  }

  @AfterEach
  void kill() {
    demo.close();
  }

  private List<String> searches() {
    return demo.lines().stream()
        .map(String::strip)
        .filter(l -> l.startsWith("ldapsearch"))
        .toList();
  }

  private static String run(String line) {
    CommandRun run = CommandRun.of("sh", "-c", line);
    assertThat(run.exitCode()).as(line + "\n" + run.output()).isZero();
    return run.output();
  }

  @Test
  void thePrintedSearchesWork() {
    List<String> searches = searches();
    assertThat(searches).hasSize(3);
    assertThat(run(searches.get(0))).contains("dn: uid=user.42,ou=people", "mail: ");
    assertThat(run(searches.get(1))).contains("cn: group.7");
    assertThat(run(searches.get(2))).contains("filter_cache_hit: 0", "filter_cache_miss: 2");
    assertThat(run(searches.get(0))).contains("numEntries: 1");
    assertThat(run(searches.get(2))).contains("filter_cache_hit: 1", "filter_cache_miss: 2");
    demo.await("operations [1-9].* hits 1 .* misses 2 .* hit ratio 33%");
  }

  @Test
  void anIdleDemoPrintsItsCounters() {
    Matcher line = demo.await(LIVE + ".*no searches yet");
    assertThat(line.group(1)).isEqualTo("0");
    assertThat(line.group(4)).isEqualTo("-");
  }

  @Test
  void oneThousandPeopleInBothReplicas() {
    List<Integer> ports = ports();
    assertThat(ports).hasSize(4);
    for (int replica : ports.subList(1, 3)) {
      String all =
          run(
              "ldapsearch -x -LLL -H ldap://127.0.0.1:%d -b ou=people,dc=example,dc=com -s one dn"
                  .formatted(replica));
      assertThat(all.lines().filter(line -> line.startsWith("dn: "))).hasSize(1000);
    }
  }

  @Test
  void interruptEndsEverything() {
    List<Integer> ports = ports();
    demo.signal("INT");
    assertThat(demo.awaitExit()).isZero();
    assertThat(demo.handle().descendants()).isEmpty();
    for (int port : ports) {
      Await.until("nobody listens on " + port, () -> !listens(port));
    }
    assertThat(demo.output()).doesNotContain("Exception", "\tat ");
  }

  /** Stoa, its replicas, its management listener, in the order in which they are printed. */
  private List<Integer> ports() {
    List<Integer> ports = new ArrayList<>();
    Matcher matcher = PORT.matcher(demo.output());
    while (matcher.find()) {
      int port = Integer.parseInt(matcher.group(1));
      if (!ports.contains(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
