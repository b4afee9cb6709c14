// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Proves that the account of a feed sees the whole naming context.
 *
 * <ol>
 *   <li>The access rules must grant it read of everything.
 *   <li>A sample of 20 entries must show the account what the rules grant.
 *   <li>The sample is read anew when the feed resumes, and when the rules prove it again.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class CoverageProof {
  /** Number of entries in the sample. */
  private static final int SAMPLE = 20;

  private static final int SUBTREE = 2;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Attributes that every entry of slapd has. */
  private static final List<String> ATTRIBUTES =
      List.of("objectClass", "structuralObjectClass", "entryUUID", "entryCSN");

  private final Search search;
  private final PrivilegedReader reader;
  private final Supplier<@Nullable String> rules;
  private final LongSupplier clock;

  // guarded by this
  private boolean live;
  private boolean searching;
  private long round;
  private long pausedUntil;

  /** The missing evidence; null if nothing is missing. */
  private volatile @Nullable String gap = "the sample of entries has not been read yet";

  private volatile boolean sampled;

  /**
   * Makes a proof without any evidence.
   *
   * @param context the naming context
   * @param reader reads as the account of the feed, from the feed's server
   * @param rules supplies the reason why access rules prove nothing now; null if they do
   */
  public CoverageProof(
      byte[] context,
      PrivilegedReader reader,
      Supplier<@Nullable String> rules,
      LongSupplier clock) {
    byte[] filter = "(objectClass=*)".getBytes(UTF_8);
    this.search = new Search(context, SUBTREE, filter, ATTRIBUTES, SAMPLE);
    this.reader = reader;
    this.rules = rules;
    this.clock = clock;
    this.pausedUntil = clock.getAsLong();
  }

  /** Returns the reason why the coverage is not proved; null if it is. */
  public @Nullable String gap() {
    String why = rules.get();
    return why == null ? gap : why;
  }

  /** True if the coverage is proved. */
  public boolean isProved() {
    return gap() == null;
  }

  /** Called when the feed resumes, perhaps at another server. */
  public synchronized void onLive() {
    forget();
    live = true;
  }

  /** Called when the feed is interrupted. */
  public synchronized void onInterrupted() {
    forget();
    live = false;
  }

  private void forget() {
    round++;
    searching = false;
    sampled = false;
    gap = "the sample of entries has not been read yet";
    pausedUntil = clock.getAsLong();
  }

  /** Reads the sample if it is due. Must be called periodically. */
  public void run() {
    long startRound = beginSample(rules.get() == null);
    if (startRound >= 0) {
      reader.search(
          search,
          found -> onAnswer(startRound, found),
          failure -> onFailed(startRound, failure.text()));
    }
  }

  /** Returns the number of the sample to be read; negative if none is due. */
  private synchronized long beginSample(boolean granted) {
    if (!granted && sampled) {
      forget();
    }
    boolean due = granted && live && !sampled && !searching && clock.getAsLong() - pausedUntil >= 0;
    searching |= due;
    return due ? round : -1;
  }

  private synchronized void onAnswer(long startRound, List<SearchEntry> found) {
    if (startRound == round) {
      searching = false;
      sampled = true;
      boolean whole = !found.isEmpty() && found.stream().allMatch(CoverageProof::isWhole);
      gap =
          whole ? null : "a sampled entry lacks attributes that the access rules grant the account";
    }
  }

  private static boolean isWhole(SearchEntry entry) {
    return ATTRIBUTES.stream().allMatch(type -> isShown(entry, type));
  }

  private static boolean isShown(SearchEntry entry, String type) {
    return entry.attributes().stream()
        .anyMatch(one -> type.equalsIgnoreCase(new String(one.type(), UTF_8)));
  }

  private synchronized void onFailed(long startRound, String why) {
    if (startRound == round) {
      searching = false;
      gap = "the sample of entries could not be read: " + why;
      pausedUntil = clock.getAsLong() + PAUSE_NANOS;
    }
  }
}
