// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log disk that is full or stalls costs lines of the log, and no answer. */
@Tag("alone")
@Tag("soak")
class LogDiskIT {
  private static final int PEOPLE = 100;
  private static final int CLIENTS = 16;

  /** Operations for which the disk of 64 MiB has space. */
  private static final long OPERATIONS = 20_000;

  private static final long OPERATIONS_OF_FULL_DISK = Soak.scale(20_000L, 1_000_000L);

  /** The stall of a full pipe. */
  private static final Duration STALL = Duration.ofSeconds(10);

  private static Slapd slapd;

  @TempDir Path folder;

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(People.slapd(PEOPLE));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  /** The command line of Stoa with a JSON access log at this destination. */
  private List<String> command(String destination) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0']
            management: {listen: '127.0.0.1:0'}
            upstream: {servers: ['%s']}
            log:
              access: {format: json, destination: '%s'}
              rotation: {maxSize: 1GiB}
            """
                .formatted(slapd.url(), destination));
    return CommandProcess.command("run", "--config", file.toString());
  }

  /** Runs a script of a shell that ends in {@code exec "$@"}. */
  private static CommandProcess start(String script, String argument, List<String> command) {
    Stream<String> shell = Stream.of("sh", "-c", script, argument);
    return CommandProcess.start(
        new ProcessBuilder(Stream.concat(shell, command.stream()).toList()));
  }

  private static InetSocketAddress address(CommandProcess stoa, String words) {
    Matcher address = stoa.await(words + " listening on 127\\.0\\.0\\.1:(\\d+)");
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(), Integer.parseInt(address.group(1)));
  }

  private static SearchLoad load(CommandProcess stoa) {
    int port = address(stoa, "StoaServer:").getPort();
    stoa.await("INFO .*: ready$");
    return new SearchLoad(port, PEOPLE, CLIENTS);
  }

  private static long metric(InetSocketAddress management, String series) {
    Matcher line =
        Pattern.compile("(?m)^" + Pattern.quote(series) + " (\\S+)$")
            .matcher(HttpExchange.get(management, "/metrics").body());
    assertThat(line.find()).as(series).isTrue();
    return (long) Double.parseDouble(line.group(1));
  }

  private static long dropped(InetSocketAddress management) {
    return metric(management, "stoa_log_dropped_total{log=\"access\"}");
  }

  private static long written(InetSocketAddress management) {
    return metric(management, "stoa_log_events_total{log=\"access\"}");
  }

  /**
   * Each operation, and the begin, the unbind and the end of each connection, is written or
   * counted. The last of them follow the answers a little later.
   */
  private static void assertEachEventIsCounted(InetSocketAddress management, SearchLoad load)
      throws InterruptedException {
    load.end();
    assertThat(load.failures()).isEmpty();
    long all = load.answered() + 3 * CLIENTS;
    Await.until("all events are written or counted", () -> events(management) >= all);
    assertThat(events(management)).isEqualTo(all);
  }

  private static long events(InetSocketAddress management) {
    return written(management) + dropped(management);
  }

  /** The file system is visible to Stoa only, and ends with it. */
  @Test
  void aFullDiskCostsLinesOnly() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    String mount =
        "[ $(id -u) = 0 ] || map=-r; exec unshare -m $map sh -c"
            + " 'mount -t tmpfs -o size=64m none \"$0\" && exec \"$@\"' \"$0\" \"$@\"";
    try (CommandProcess stoa =
            start(mount, disk.toString(), command(disk.resolve("access.log").toString()));
        SearchLoad load = load(stoa)) {
      final InetSocketAddress management = address(stoa, "management");
      Path seen = Path.of("/proc/" + stoa.handle().pid() + "/root" + disk);
      load.more(OPERATIONS); // compiled
      Soak.record("disk with space: " + load.measure(OPERATIONS));
      Path other = fill(seen.resolve("other"));
      stoa.await("access log: lines are dropped: \\S+/access.log: no space left on device$");
      Soak.record("full disk: " + load.measure(OPERATIONS_OF_FULL_DISK));
      assertThat(dropped(management)).isPositive();
      Files.delete(other);
      stoa.await("access log: lines are written again");
      Soak.record("disk with space again: " + load.measure(OPERATIONS));
      assertEachEventIsCounted(management, load);
      assertThat(wholeLines(Files.newInputStream(seen.resolve("access.log"))))
          .isEqualTo(written(management));
    }
  }

  /** Writes a file that takes the rest of the disk. */
  private static Path fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[1 << 20]);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
      return file;
    }
  }

  /** Each line is a JSON object. */
  private static long wholeLines(InputStream log) throws Exception {
    long count = 0;
    try (log) {
      for (String line : new String(log.readAllBytes(), UTF_8).split("\n")) {
        assertThat(new JSONObject(line).getFieldAsString("time")).isNotNull();
        count++;
      }
    }
    return count;
  }

  /** The standard output is a pipe from which nobody reads for ten seconds. */
  @Test
  void aStalledPipeCostsLinesOnly() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(CommandRun.of("mkfifo", pipe.toString()).exitCode()).isZero();
    try (CommandProcess stoa =
        start("exec 2>&1 >\"$0\" \"$@\"", pipe.toString(), command("stdout"))) {
      PipeReader reader = PipeReader.open(pipe);
      try (SearchLoad load = load(stoa)) {
        final InetSocketAddress management = address(stoa, "management");
        load.more(OPERATIONS);
        Soak.record("read pipe: " + load.measure(OPERATIONS));
        reader.stall();
        long end = System.nanoTime() + STALL.toNanos();
        long before = load.answered();
        Await.until("lines are dropped", () -> dropped(management) > 0);
        Soak.record("stalled pipe: " + load.measure(OPERATIONS));
        Await.until("the stall is over", Duration.ofMinutes(1), () -> System.nanoTime() - end > 0);
        Soak.record("answers in a stall of 10 s: " + (load.answered() - before));
        reader.resume();
        long writtenBefore = written(management);
        Await.until("lines are written again", () -> written(management) > writtenBefore);
        stoa.await("access log: \\d+ lines were dropped: they came faster");
        Soak.record("read pipe again: " + load.measure(OPERATIONS));
        assertEachEventIsCounted(management, load);
      }
    }
  }

  /** Reads a pipe, except while it stalls. */
  private static final class PipeReader {
    private boolean stalled;

    static PipeReader open(Path pipe) throws IOException {
      PipeReader reader = new PipeReader();
      InputStream in = Files.newInputStream(pipe, StandardOpenOption.READ);
      Thread thread = new Thread(() -> reader.read(in), "pipe-reader");
      thread.setDaemon(true);
      thread.start();
      return reader;
    }

    private void read(InputStream in) {
      try (in) {
        byte[] octets = new byte[1 << 16];
        while (in.read(octets) >= 0) {
          awaitResume();
        }
      } catch (IOException | InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }

    private synchronized void awaitResume() throws InterruptedException {
      while (stalled) {
        wait();
      }
    }

    synchronized void stall() {
      stalled = true;
    }

    synchronized void resume() {
      stalled = false;
      notifyAll();
    }
  }
}
