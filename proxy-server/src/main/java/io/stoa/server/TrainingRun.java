// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.net.transport.DescribedException;
import io.stoa.server.demo.People;
import io.stoa.server.demo.ReplicaDirectories;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A short life of {@code stoa run} in front of a directory in memory, with a few requests, ended by
 * SIGTERM. The JVM then archives the classes that were loaded.
 *
 * <p>Stoa is a process of its own, so that the archive has no class of the directory or of the
 * client. All listeners are on the loopback interface.
 *
 * <p>Threading: one thread.
 */
final class TrainingRun {
  private static final String HOST = "127.0.0.1";

  private static final int RETRY_MILLIS = 20;
  private static final String CONFIG = "stoa.yaml";
  private static final String LOG = "log";

  private final Path launcher;
  private final Path work;
  private final Duration limit;
  private volatile boolean overdue;

  /**
   * Creates a run.
   *
   * @param launcher the command {@code stoa}
   * @param work an empty directory for the files of the run
   * @param limit maximum duration of the run; its process is killed then
   */
  TrainingRun(Path launcher, Path work, Duration limit) {
    this.launcher = launcher;
    this.work = work;
    this.limit = limit;
  }

  /**
   * Runs Stoa and lets the JVM write the archive into the working directory.
   *
   * @throws IOException if there is no complete archive
   */
  void archiveTo(String archive) throws IOException, InterruptedException {
    try (ReplicaDirectories directory = ReplicaDirectories.start(1)) {
      int port = freePort();
      Files.writeString(work.resolve(CONFIG), configuration(directory, port));
      Process stoa = start(archive);
      Thread end = new Thread(stoa::destroyForcibly, "stoa-training-end");
      Runtime.getRuntime().addShutdownHook(end);
      CompletableFuture.delayedExecutor(limit.toNanos(), TimeUnit.NANOSECONDS)
          .execute(() -> kill(stoa));
      try (LDAPConnection connection = connect(stoa, port)) {
        request(connection);
        stoa.destroy();
        requireArchive(stoa, archive);
      } finally {
        stoa.destroyForcibly();
        Runtime.getRuntime().removeShutdownHook(end);
      }
    } catch (LDAPException e) {
      throw overdue ? tooLong() : new DescribedException("the training run gave no answer", e);
    }
  }

  private void kill(Process stoa) {
    overdue = true;
    stoa.destroyForcibly();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String configuration(ReplicaDirectories directory, int port) {
    String format =
        """
        listen:
          - %s:%d
        upstream:
          servers:
            - %s
        management:
          listen: %s:0
        """;
    return format.formatted(HOST, port, directory.addresses().get(0), HOST);
  }

  /** Starts Stoa in the working directory: a relative file name needs no quotes. */
  private Process start(String archive) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(launcher.toString(), "run", "--config", CONFIG)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(new File(work.toFile(), LOG));
    String options = System.getenv().getOrDefault("STOA_JAVA_OPTS", "");
    Map<String, String> environment = builder.environment();
    environment.put("STOA_JAVA_OPTS", options + " -XX:ArchiveClassesAtExit=" + archive);
    Process stoa = builder.start();
    stoa.getOutputStream().close();
    return stoa;
  }

  /** Connects to Stoa, and returns when it has answered a first search. The limit ends the loop. */
  private LDAPConnection connect(Process stoa, int port)
      throws LDAPException, IOException, InterruptedException {
    while (true) {
      LDAPConnection connection = new LDAPConnection();
      try {
        connection.connect(HOST, port);
        search(connection, 0);
        return connection;
      } catch (LDAPException e) {
        connection.close();
        if (!stoa.isAlive()) {
          throw failure("the training run ended early");
        }
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
    }
  }

  /** Sends the usual requests: a bind, a miss, a hit, a compare and a write. */
  private static void request(LDAPConnection connection) throws LDAPException {
    connection.bind(People.dn(1), People.password(1));
    search(connection, 1);
    search(connection, 1);
    connection.compare(People.dn(1), "uid", People.uid(1));
    connection.modify(
        People.dn(1), new Modification(ModificationType.REPLACE, "description", "trained"));
    connection.getRootDSE();
  }

  private static void search(LDAPConnection connection, int person) throws LDAPException {
    String filter = "(uid=" + People.uid(person) + ")";
    connection.search(People.SUFFIX, SearchScope.SUB, filter, "cn", "mail");
  }

  private void requireArchive(Process stoa, String archive)
      throws IOException, InterruptedException {
    if (!stoa.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw tooLong();
    }
    if (stoa.exitValue() != ExitCode.OK.code() || !Files.exists(work.resolve(archive))) {
      throw failure("the JVM wrote no archive");
    }
  }

  /** Returns the failure with the last line of the run's log, which names the cause. */
  private DescribedException failure(String message) throws IOException {
    if (overdue) {
      return tooLong();
    }
    String log = Files.readString(work.resolve(LOG)).strip();
    return new DescribedException(message + ": " + log.substring(log.lastIndexOf('\n') + 1));
  }

  private DescribedException tooLong() {
    return new DescribedException("the training run took more than " + limit.toSeconds() + " s");
  }
}
