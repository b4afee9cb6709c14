// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.net.transport.DurableFile;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores for the next start how many reported changes prove the coverage of each feed.
 *
 * <p>Each line of the file holds a digest of the feed, a digest of its access rules, and the
 * number. A file that cannot be read or written costs only the proof at the next start.
 *
 * <p>Threading: thread-safe.
 */
public final class CoverageFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoverageFile.class);

  private static final String HEADER = "# stoa feeds 1\n";

  /** Maximum number of feeds in the file: 1,000. The one that was stored longest ago goes first. */
  private static final int MAX_LINES = 1_000;

  private static final int MAX_DIGITS = 9;
  private static final int IDLE_SECONDS = 10;

  private final @Nullable DurableFile file;
  private final ThreadPoolExecutor writer;

  // guarded by this; in the order in which they were stored
  private final Map<String, StoredProof> lines = new LinkedHashMap<>();
  private boolean due;
  private boolean failed;

  /**
   * The number of changes reported under access rules with this digest.
   *
   * <p>Threading: immutable.
   */
  private record StoredProof(String rules, int changes) {}

  /**
   * Reads the file.
   *
   * @param path the file; null to store nothing
   */
  public CoverageFile(@Nullable Path path) {
    this.file = path == null ? null : new DurableFile(path);
    this.writer =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            CoverageFile::thread);
    writer.allowCoreThreadTimeOut(true);
    if (file != null) {
      read(file);
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-feed-state");
    thread.setDaemon(true);
    return thread;
  }

  private void read(DurableFile from) {
    try {
      String text = from.read();
      if (text.startsWith(HEADER)) {
        text.lines().skip(1).limit(MAX_LINES).forEach(this::read);
      }
    } catch (IOException e) {
      LOG.warn(
          "{} cannot be read: {}. The coverage of feeds must be proved anew",
          from.path(),
          FailureText.of(e));
    }
  }

  private void read(String line) {
    String[] parts = line.split(" ", -1);
    boolean number = parts.length == 3 && parts[2].matches("\\d{1," + MAX_DIGITS + "}");
    if (number) {
      lines.put(parts[0], new StoredProof(parts[1], Integer.parseInt(parts[2])));
    }
  }

  /** Returns the number of changes of the feed under the same rules; 0 if none is known. */
  synchronized int changes(String feed, String rules) {
    StoredProof stored = lines.get(feed);
    return stored != null && stored.rules().equals(rules) ? stored.changes() : 0;
  }

  /** Stores the number. The file is written soon afterwards, on a thread of its own. */
  synchronized void store(String feed, String rules, int changes) {
    StoredProof next = new StoredProof(rules, changes);
    if (file == null || next.equals(lines.get(feed))) {
      return;
    }
    lines.remove(feed);
    lines.put(feed, next);
    if (lines.size() > MAX_LINES) {
      lines.remove(lines.keySet().iterator().next());
    }
    if (!due) {
      due = true; // limits the writer's queue to one text
      writer.execute(() -> write(file));
    }
  }

  private void write(DurableFile to) {
    try {
      to.write(text());
      onWritten(false);
    } catch (IOException e) {
      if (onWritten(true)) {
        LOG.warn(
            "{} cannot be written: {}. Coverage must be proved anew at the next start",
            to.path(),
            FailureText.of(e));
      }
    }
  }

  private synchronized String text() {
    due = false;
    StringBuilder text = new StringBuilder(HEADER);
    lines.forEach(
        (feed, proof) ->
            text.append(feed)
                .append(' ')
                .append(proof.rules())
                .append(' ')
                .append(proof.changes())
                .append('\n'));
    return text.toString();
  }

  /** Notes the result of a write; true if it failed and the one before did not. */
  private synchronized boolean onWritten(boolean failure) {
    boolean firstFailure = failure && !failed;
    failed = failure;
    return firstFailure;
  }

  /** Waits up to 5 s until everything stored is written. */
  @Override
  public void close() {
    writer.shutdown();
    try {
      if (!writer.awaitTermination(5, TimeUnit.SECONDS)) {
        writer.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
