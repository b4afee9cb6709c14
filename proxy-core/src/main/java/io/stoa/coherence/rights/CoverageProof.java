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
 * Proves that the account of a feed sees the whole naming context. The rules of access must grant
 * it read of everything, and a sample of entries must show the account what the rules grant. The
 * sample is read anew when the feed goes on, and when the rules prove it again. Thread-safe.
 */
public final class CoverageProof {
  /** Entries in the sample. */
  private static final int SAMPLE = 20;

  private static final int SUBTREE = 2;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Every entry of slapd has these. */
  private static final List<String> ATTRIBUTES =
      List.of("objectClass", "structuralObjectClass", "entryUUID", "entryCSN");

  private final Search question;
  private final PrivilegedReader reader;
  private final Supplier<@Nullable String> rules;
  private final LongSupplier clock;

  // guarded by this
  private boolean live;
  private boolean asking;
  private long round;
  private long pausedUntil;

  /** What is missing; null if nothing is. */
  private volatile @Nullable String gap = "no entry has been read back yet";

  private volatile boolean sampled;

  /**
   * Knows nothing.
   *
   * @param context the naming context
   * @param reader reads as the account of the feed, where the feed comes from
   * @param rules gives the reason why rules of access prove nothing now; null if they do
   */
  public CoverageProof(
      byte[] context,
      PrivilegedReader reader,
      Supplier<@Nullable String> rules,
      LongSupplier clock) {
    byte[] anything = "(objectClass=*)".getBytes(UTF_8);
    this.question = new Search(context, SUBTREE, anything, ATTRIBUTES, SAMPLE);
    this.reader = reader;
    this.rules = rules;
    this.clock = clock;
    this.pausedUntil = clock.getAsLong();
  }

  /** The reason why it is not proved; null if it is. */
  public @Nullable String gap() {
    String why = rules.get();
    return why == null ? gap : why;
  }

  /** True if it is proved. */
  public boolean isProved() {
    return gap() == null;
  }

  /** The feed goes on, perhaps at another server. */
  public synchronized void live() {
    forget();
    live = true;
  }

  /** The feed is cut off. */
  public synchronized void lost() {
    forget();
    live = false;
  }

  private void forget() {
    round++;
    asking = false;
    sampled = false;
    gap = "no entry has been read back yet";
    pausedUntil = clock.getAsLong();
  }

  /** Reads the sample if that is to be done; to be called now and then. */
  public void turn() {
    long at = begin(rules.get() == null);
    if (at >= 0) {
      reader.search(question, found -> answered(at, found), why -> failed(at, why));
    }
  }

  /** The number of the sample; below 0 if none is to be read now. */
  private synchronized long begin(boolean granted) {
    if (!granted && sampled) {
      forget();
    }
    boolean due = granted && live && !sampled && !asking && clock.getAsLong() - pausedUntil >= 0;
    asking |= due;
    return due ? round : -1;
  }

  private synchronized void answered(long at, List<SearchEntry> found) {
    if (at == round) {
      asking = false;
      sampled = true;
      boolean whole = !found.isEmpty() && found.stream().allMatch(CoverageProof::isWhole);
      gap = whole ? null : "the account is not shown what the rules of access grant";
    }
  }

  private static boolean isWhole(SearchEntry entry) {
    return ATTRIBUTES.stream().allMatch(type -> isShown(entry, type));
  }

  private static boolean isShown(SearchEntry entry, String type) {
    return entry.attributes().stream()
        .anyMatch(one -> type.equalsIgnoreCase(new String(one.type(), UTF_8)));
  }

  private synchronized void failed(long at, String why) {
    if (at == round) {
      asking = false;
      gap = "no entry could be read back: " + why;
      pausedUntil = clock.getAsLong() + PAUSE_NANOS;
    }
  }
}
