// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Soak;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stoa as users run it, in a process of its own: {@code stoa run --upstream … --listen …}. The
 * output is kept, and all files are removed at close. Not thread-safe.
 */
public final class StoaProcess implements AutoCloseable {
  private static final String MAIN_CLASS = "io.stoa.server.StoaCommand";

  /** Number of processors: 4, so that Stoa has two event loops on any machine. */
  private static final String PROCESSORS = "-XX:ActiveProcessorCount=4";

  /** The second compiler would take half of the machine for a process that runs for seconds. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xms512m",
          "-Xmx512m",
          "-XX:+AlwaysPreTouch",
          "-XX:TieredStopAtLevel=" + Soak.scale(1, 4),
          "-Dio.netty.allocator.type=pooled");

  private final Path directory;
  private final int port = FreePort.next();
  private final Process process;

  private StoaProcess(
      List<String> prefix,
      Path directory,
      String classPath,
      List<String> jvmOptions,
      IntFunction<List<String>> arguments)
      throws IOException {
    this.directory = directory;
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(PROCESSORS);
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath, MAIN_CLASS, "run"));
    command.addAll(arguments.apply(port));
    process =
        Leftovers.start(
            new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(logFile().toFile()));
  }

  /** Starts Stoa with its defaults before these directories, and waits until it is ready. */
  public static StoaProcess before(DirectoryServer... upstreams) {
    return with(JVM_OPTIONS, upstreams);
  }

  /** Starts Stoa in a JVM with these options. */
  public static StoaProcess with(List<String> jvmOptions, DirectoryServer... upstreams) {
    String classPath = System.getProperty("java.class.path");
    return start(classPath, temporaryDirectory(), jvmOptions, upstreams);
  }

  /** Starts Stoa with a part of the cache key left out. */
  public static StoaProcess mutated(Mutant mutant, DirectoryServer... upstreams) {
    Path directory = temporaryDirectory();
    mutant.writeTo(directory);
    String classPath = directory + File.pathSeparator + System.getProperty("java.class.path");
    return start(classPath, directory, JVM_OPTIONS, upstreams);
  }

  private static StoaProcess start(
      String classPath, Path directory, List<String> jvmOptions, DirectoryServer... upstreams) {
    Stream<String> urls =
        Stream.of(upstreams).flatMap(server -> Stream.of("--upstream", server.url()));
    return start(
        classPath,
        directory,
        jvmOptions,
        port -> Stream.concat(Stream.of("--listen", "127.0.0.1:" + port), urls).toList());
  }

  /**
   * Starts Stoa in proxied-authorization mode, with a service account of the directory.
   *
   * @param root DN for which the service account never acts
   */
  public static StoaProcess proxied(
      DirectoryServer upstream, String dn, String password, String root) {
    Path directory = temporaryDirectory();
    Path secret = write(directory, "password", password);
    String format =
        """
        listen: ['127.0.0.1:%d']
        upstream:
          servers: ['%s']
        identity:
          mode: proxied
          serviceDn: '%s'
          servicePasswordFile: '%s'
          neverProxied: ['%s']
        """;
    return start(
        System.getProperty("java.class.path"),
        directory,
        JVM_OPTIONS,
        port -> {
          String config = format.formatted(port, upstream.url(), dn, secret, root);
          return List.of("--config", write(directory, "stoa.yaml", config).toString());
        });
  }

  /** Starts Stoa with a configuration file and listeners, and a listener without TLS besides. */
  public static StoaProcess configured(String file, String... listeners) {
    Path directory = temporaryDirectory();
    String more = Stream.of(listeners).map(", '%s'"::formatted).collect(Collectors.joining());
    return start(
        System.getProperty("java.class.path"),
        directory,
        JVM_OPTIONS,
        port -> {
          String config = "listen: ['127.0.0.1:" + port + "'" + more + "]\n" + file;
          return List.of("--config", write(directory, "stoa.yaml", config).toString());
        });
  }

  /**
   * Starts Stoa with few open files. It also listens at the local socket {@code ldapi} in its
   * directory.
   */
  public static StoaProcess withOpenFiles(int openFiles, DirectoryServer upstream) {
    Path directory = temporaryDirectory();
    String socket = "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
    return start(
        List.of("sh", "-c", "ulimit -n " + openFiles + " && exec \"$0\" \"$@\""),
        System.getProperty("java.class.path"),
        directory,
        JVM_OPTIONS,
        port ->
            List.of(
                "--listen", "127.0.0.1:" + port, "--listen", socket, "--upstream", upstream.url()));
  }

  /**
   * Starts Stoa under strace, which writes the system calls for input and output of each thread to
   * {@code calls.THREAD}.
   *
   * @param traces directory for the files of strace
   */
  public static StoaProcess traced(Path traces, DirectoryServer upstream) {
    return start(
        List.of(
            "strace",
            "-D", // the process is Stoa itself, and strace runs as its grandchild
            "-f",
            "-ff",
            "-qq",
            "--seccomp-bpf",
            "-e",
            "trace=%network,read,write,readv,writev,epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl",
            "-o",
            traces.resolve("calls").toString()),
        System.getProperty("java.class.path"),
        temporaryDirectory(),
        JVM_OPTIONS,
        port -> List.of("--listen", "127.0.0.1:" + port, "--upstream", upstream.url()));
  }

  private static Path write(Path directory, String name, String text) {
    try {
      return Files.writeString(directory.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StoaProcess start(
      String classPath,
      Path directory,
      List<String> jvmOptions,
      IntFunction<List<String>> arguments) {
    return start(List.of(), classPath, directory, jvmOptions, arguments);
  }

  private static StoaProcess start(
      List<String> prefix,
      String classPath,
      Path directory,
      List<String> jvmOptions,
      IntFunction<List<String>> arguments) {
    try {
      StoaProcess stoa = new StoaProcess(prefix, directory, classPath, jvmOptions, arguments);
      Await.until("Stoa is ready", () -> stoa.isReadyOrDead());
      if (!stoa.process.isAlive()) {
        String log = stoa.log();
        stoa.close();
        throw new AssertionError("Stoa ended at once: " + log);
      }
      return stoa;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path temporaryDirectory() {
    return Leftovers.directory("stoa-process");
  }

  private boolean isReadyOrDead() {
    return !process.isAlive() || isReady();
  }

  /** True if a directory can be used. */
  public boolean isReady() {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      return "TRUE".equals(monitor(connection, "ready"));
    } catch (LDAPException notYet) {
      return false;
    }
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  public RawLdapClient client() {
    return RawLdapClient.connect(address());
  }

  public long pid() {
    return process.pid();
  }

  /** Returns a number of {@code cn=monitor}. */
  public long monitor(String attribute) {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      return Long.parseLong(monitor(connection, attribute));
    } catch (LDAPException e) {
      throw new AssertionError("cn=monitor does not return " + attribute, e);
    }
  }

  private static String monitor(LDAPConnection connection, String attribute) throws LDAPException {
    SearchResultEntry entry =
        connection.searchForEntry("cn=monitor", SearchScope.BASE, "(objectClass=*)", attribute);
    if (entry == null || entry.getAttributeValue(attribute) == null) {
      throw new AssertionError("cn=monitor has no " + attribute);
    }
    return entry.getAttributeValue(attribute);
  }

  /** Returns the resident memory of the process, in octets. */
  public long residentMemory() {
    return memory("VmRSS:");
  }

  /** Returns the maximum of the resident memory since the start, in octets. */
  public long mostResidentMemory() {
    return memory("VmHWM:");
  }

  private long memory(String kind) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid() + "/status"))) {
      String line = lines.filter(l -> l.startsWith(kind)).findFirst().orElseThrow();
      return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a directory that is removed with the process. */
  public Path directory() {
    return directory;
  }

  /** Returns the output of the process. */
  public String log() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path logFile() {
    return directory.resolve("stoa.log");
  }

  /** Ends the process. A stack trace or a leak in its output is a defect, whatever clients do. */
  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
      String log = log();
      Leftovers.delete(directory);
      if (log.contains("LEAK:") || log.contains("\tat ")) {
        throw new AssertionError("Stoa's log contains a stack trace:\n" + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
