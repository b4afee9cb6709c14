// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Stoa from its distribution, in a process of its own, in front of a directory. Threading: not
 * thread-safe.
 */
public final class StoaServer implements AutoCloseable {
  private static final Path PROGRAMS =
      Repository.root().resolve("proxy-server/target/dist/stoa/bin");
  private static final Path LAUNCHER = PROGRAMS.resolve("stoa");
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String OPTIONS_VARIABLE = "STOA_JAVA_OPTS";

  /** Options of Stoa's JVM: a fixed heap, then options that the environment names. */
  static final String JVM_OPTIONS =
      ("-Xms1g -Xmx1g " + Objects.toString(System.getenv(OPTIONS_VARIABLE), "")).strip();

  private final String name;
  private final int port = FreePort.next();
  private final Path directory = Leftovers.directory("stoa-load");
  private final Process process;
  private final boolean feeds;

  private StoaServer(String name, Directory upstream, String configuration) throws IOException {
    this.name = name;
    this.feeds = configuration.contains("feed:");
    String ports =
        String.format(
            Locale.ROOT,
            "listen: ['127.0.0.1:%d', '%s']%nupstream: {servers:"
                + " ['ldap://127.0.0.1:%d']}%nmanagement: {listen: none}%n",
            port,
            socket(),
            upstream.target().address().getPort());
    Path file = Files.writeString(directory.resolve("stoa.yaml"), ports + configuration);
    ProcessBuilder builder =
        new ProcessBuilder(LAUNCHER.toString(), "run", "--config", file.toString());
    builder.environment().put(OPTIONS_VARIABLE, JVM_OPTIONS);
    process = Leftovers.start(builder.redirectErrorStream(true).redirectOutput(logFile().toFile()));
  }

  /**
   * Starts Stoa. Returns when it is ready, has read the schema, and its feed is live if it has one.
   */
  static StoaServer start(String name, Directory upstream, String configuration) {
    if (!Files.isExecutable(LAUNCHER)) {
      throw new IllegalStateException(LAUNCHER + " is missing: ./dev load builds it");
    }
    try {
      StoaServer stoa = new StoaServer(name, upstream, configuration);
      Await.until("Stoa is ready", PATIENCE, () -> !stoa.process.isAlive() || stoa.isReady());
      if (!stoa.process.isAlive()) {
        throw new IllegalStateException("Stoa ended at once: " + stoa.log());
      }
      return stoa;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the address for the administrator. */
  private String socket() {
    return "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
  }

  /** Flushes Stoa's caches. */
  void flush() {
    Environment.output(
        PROGRAMS.resolve("stoactl").toString(), "-H", socket(), "cache", "flush", "--all");
    if (monitor("filter_cache_current")[0] > 0) {
      throw new IllegalStateException("Stoa's caches are not empty after a flush");
    }
  }

  private boolean isReady() {
    String log = log();
    return log.contains("schema was read")
        && log.contains(": ready")
        && (!feeds || log.contains(": LIVE from "));
  }

  public Target target() {
    return new Target(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Returns numbers of {@code cn=monitor}. */
  public long[] monitor(String... attributes) {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      SearchResultEntry entry =
          connection.searchForEntry("cn=monitor", SearchScope.BASE, "(objectClass=*)", attributes);
      return Stream.of(attributes)
          .mapToLong(attribute -> Long.parseLong(entry.getAttributeValue(attribute)))
          .toArray();
    } catch (LDAPException e) {
      throw new IllegalStateException("cn=monitor does not return " + List.of(attributes), e);
    }
  }

  /** Returns the resident memory of the process in octets. */
  public long residentMemory() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      String line = lines.filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
      return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the live heap in octets. The process runs a full garbage collection for it. */
  public long liveHeap() {
    String java = System.getProperty("java.home");
    List<String> lines =
        Environment.output(
            Path.of(java, "bin", "jcmd").toString(),
            String.valueOf(process.pid()),
            "GC.class_histogram");
    String total = lines.get(lines.size() - 1).strip();
    if (!total.startsWith("Total")) {
      throw new IllegalStateException("no histogram: " + total);
    }
    return Long.parseLong(total.split("\\s+")[2]);
  }

  /** Returns the text of its configuration file. */
  String configuration() {
    try {
      return Files.readString(directory.resolve("stoa.yaml"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String log() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path logFile() {
    return directory.resolve("stoa.log");
  }

  /**
   * Ends the process. Fails if the log contains a stack trace, which is a defect under any load.
   */
  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
      String log = log();
      Leftovers.delete(directory);
      if (log.contains("\tat ")) {
        throw new IllegalStateException("Stoa's log contains a stack trace:\n" + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
