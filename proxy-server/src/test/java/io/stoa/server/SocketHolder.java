// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Holds listening sockets, as systemd does, and starts processes with them by the protocol of
 * sd_listen_fds(3): two TCP ports of the loopback address, and one Unix socket. Not thread-safe.
 */
final class SocketHolder implements AutoCloseable {
  /** Arguments: blocking or not, the path of the Unix socket, and the command of processes. */
  private static final String SCRIPT =
      """
      use strict; use warnings; use Socket; use Fcntl; use POSIX ();
      my ($mode, $path, @command) = @ARGV;
      $| = 1;
      $^F = 255;  # sockets stay open over exec
      sub listener {
        my ($domain, $address) = @_;
        socket(my $socket, $domain, SOCK_STREAM, 0) or die "socket: $!";
        bind($socket, $address) or die "bind: $!";
        listen($socket, 4096) or die "listen: $!";
        my $flags = fcntl($socket, F_GETFL, 0);
        fcntl($socket, F_SETFL, $flags | O_NONBLOCK) or die "fcntl: $!" if $mode ne "blocking";
        return $socket;
      }
      my @sockets = map { listener(PF_INET, pack_sockaddr_in(0, INADDR_LOOPBACK)) } 1 .. 2;
      push @sockets, listener(PF_UNIX, pack_sockaddr_un($path));
      for my $i (0 .. 2) { die "descriptor" if fileno($sockets[$i]) != 3 + $i }
      print join(" ", map { (unpack_sockaddr_in(getsockname($_)))[0] } @sockets[0, 1]), "\\n";
      while (my $line = <STDIN>) {
        if ($line =~ /^start (.*)/) {
          my $log = $1;
          my $pid = fork;
          if (!$pid) {
            open(STDIN, "<", "/dev/null");
            open(STDOUT, ">", $log);
            open(STDERR, ">&", \\*STDOUT);
            $ENV{LISTEN_PID} = $$;
            $ENV{LISTEN_FDS} = 3;
            $ENV{LISTEN_FDNAMES} = "clients:management:local";
            exec @command or POSIX::_exit(127);
          }
          print "$pid\\n";
        } elsif ($line =~ /^wait (\\d+)/) {
          waitpid($1, 0);
          print $? & 127 ? -1 : $? >> 8, "\\n";
        }
      }
      """;

  private final Path directory;
  private final Process process;
  private final BufferedReader in;
  private final BufferedWriter out;
  private final int port;
  private final int managementPort;
  private int started;

  /**
   * One started process.
   *
   * @param pid its process number
   * @param log the file of its output
   */
  record Started(long pid, Path log) {
    String output() {
      try {
        return Files.readString(log);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Waits for a line of the output with a match. */
    MatchResult await(String regex) {
      Pattern pattern = Pattern.compile(regex, Pattern.MULTILINE);
      Await.until(
          regex + " of process " + pid,
          () ->
              found(pattern).isPresent()
                  || !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
      return found(pattern)
          .orElseThrow(() -> new AssertionError("no " + regex + " in\n" + output()));
    }

    private Optional<MatchResult> found(Pattern pattern) {
      return pattern.matcher(output()).results().findFirst();
    }

    void terminate() {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    }
  }

  private SocketHolder(Path directory, String mode, List<String> command) throws IOException {
    this.directory = directory;
    List<String> all = new ArrayList<>(List.of("perl", "-e", SCRIPT, mode));
    all.add(socketFile().toString());
    all.addAll(command);
    process =
        Leftovers.start(new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT));
    in = process.inputReader();
    out = process.outputWriter();
    String[] ports = answer().split(" ");
    port = Integer.parseInt(ports[0]);
    managementPort = Integer.parseInt(ports[1]);
  }

  /**
   * Opens the sockets.
   *
   * @param directory for the Unix socket and the output of processes
   * @param command the command of each process
   */
  static SocketHolder open(Path directory, List<String> command) throws IOException {
    return new SocketHolder(directory, "nonblocking", command);
  }

  /** The same with sockets in blocking mode, as systemd passes them without NonBlocking=true. */
  static SocketHolder openBlocking(Path directory, List<String> command) throws IOException {
    return new SocketHolder(directory, "blocking", command);
  }

  int port() {
    return port;
  }

  int managementPort() {
    return managementPort;
  }

  Path socketFile() {
    return directory.resolve("ldapi");
  }

  Started start() throws IOException {
    Path log = directory.resolve("log-" + ++started);
    Files.createFile(log);
    return new Started(Long.parseLong(ask("start " + log)), log);
  }

  /** Waits for the end of a process and returns its exit code; -1 after a signal. */
  int awaitExit(Started one) throws IOException {
    return Integer.parseInt(ask("wait " + one.pid()));
  }

  private String ask(String command) throws IOException {
    out.write(command + "\n");
    out.flush();
    return answer();
  }

  private String answer() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new AssertionError("the holder of the sockets has ended");
    }
    return line;
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}
