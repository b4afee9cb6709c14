// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.cache.result.CacheStats;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.metrics.OperationKind;
import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.OperationCounters;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.demo.CounterLine;
import io.stoa.server.demo.People;
import io.stoa.server.demo.ReplicaDirectories;
import io.stoa.upstream.server.BackendStatus;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stoa demo}. Threading: one instance for each run. */
@Command(
    name = "demo",
    description =
        "Runs Stoa in front of two in-memory directories with a thousand people, "
            + "until Ctrl-C.")
final class DemoCommand implements Callable<Integer> {
  private static final int REPLICAS = 2;
  private static final int PERIOD_SECONDS = 2;
  private static final int READY_SECONDS = 5;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws LDAPException, StartException, InterruptedException {
    silenceLog();
    ReplicaDirectories replicas = ReplicaDirectories.start(REPLICAS);
    StoaServer server = startServer(replicas);
    Lifetime.onSignal(
        () -> {
          server.close();
          replicas.close();
        });
    awaitReady(server);
    introduce(server, replicas);
    CounterLine line = new CounterLine();
    while (true) {
      long before = System.nanoTime();
      TimeUnit.SECONDS.sleep(PERIOD_SECONDS);
      print(line.next(numbers(server), (System.nanoTime() - before) / 1e9));
    }
  }

  /** Silences the log, as the printed lines say more. */
  private static void silenceLog() {
    if (LoggerFactory.getLogger("io.stoa") instanceof Logger logger) {
      logger.setLevel(Level.ERROR);
    }
  }

  private static StoaServer startServer(ReplicaDirectories replicas) throws StartException {
    try {
      return startServer(ServerConfig.DEFAULT_LISTENER, replicas);
    } catch (StartException e) {
      if (!e.isBindFailure()) {
        throw e;
      }
      return startServer(new ListenerConfig(ServerConfig.DEFAULT_LISTENER.host(), 0), replicas);
    }
  }

  private static StoaServer startServer(ListenerConfig listener, ReplicaDirectories replicas)
      throws StartException {
    return StoaServer.start(ServerConfig.of(List.of(listener), replicas.addresses()));
  }

  /** Waits until Stoa is ready, at most 5 s. */
  private static void awaitReady(StoaServer server) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (!server.proxy().status().ready() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private void introduce(StoaServer server, ReplicaDirectories replicas) {
    InetSocketAddress management = Objects.requireNonNull(server.managementAddress());
    String url = "ldap://" + AddressText.of(server.addresses().get(0));
    String search = "  ldapsearch -x -H " + url;
    print("Stoa listens on " + url + " in front of " + replicas.addresses() + ".");
    print("Try these in another terminal, each more than once:");
    print("");
    print(search + " -b " + People.SUFFIX + " '(uid=" + People.uid(42) + ")' cn mail");
    print(
        search
            + (" -D " + People.dn(7) + " -w " + People.password(7))
            + (" -b ou=groups," + People.SUFFIX + " '(member=" + People.dn(7) + ")' cn"));
    print(search + " -s base -b cn=monitor '(objectclass=*)'");
    print("");
    String page = "http://" + AddressText.of(management) + "/";
    print("Page: " + page + "   Metrics: " + page + "metrics");
    print("Ctrl-C ends everything.");
    print("");
  }

  private static CounterLine.Numbers numbers(StoaServer server) {
    ProxyStatus status = server.proxy().status();
    CacheStats cache = status.cache();
    return new CounterLine.Numbers(
        operations(server.counters()),
        cache.filterHits() + cache.compareHits(),
        cache.filterMisses() + cache.compareMisses(),
        status.backends().stream().mapToLong(BackendStatus::operations).sum());
  }

  private static long operations(OperationCounters counters) {
    return Arrays.stream(OperationKind.values())
        .mapToLong(kind -> counters.completed().get(kind.request()))
        .sum();
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
  }
}
