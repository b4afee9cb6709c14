// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Knows whether a naming context contains an alias. Without one, a search that dereferences aliases
 * has the same result as one that does not, and the same changes affect it.
 *
 * <ol>
 *   <li>After the first call of {@link #hasNoAlias} the account of the feed, which must see
 *       everything, searches for aliases. The search is repeated each time the feed resumes.
 *       Between searches each change tells whether it may have made an alias.
 *   <li>A replica may still hold an alias that is deleted on the feed's server. So an answer counts
 *       only if the replica has all changes that were reported before the search found none ({@link
 *       RightsWatermark#admits}). All of these are reported once every writable server was asked
 *       for its position later, and the feed has reached it.
 *   <li>The search shows every change that was reported a settle time before and is not in an open
 *       transaction. Any other change is reported later, and makes the search count for nothing.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class AliasWatch {
  private static final int SUBTREE = 2;

  private static final String OBJECT_CLASS = "objectclass";
  private static final String ALIAS = "alias";
  private static final String ALIAS_OID = "2.5.6.1";

  /** The attribute that every alias must have (RFC 4512, section 2.6.2), by all of its names. */
  private static final Set<String> ATTRIBUTES =
      Set.of("aliasedobjectname", "aliasedentryname", "2.5.4.1");

  /** Initial pause after a failed search: 10 s. The pause doubles with each failure. */
  private static final long MIN_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Search search;
  private final PrivilegedReader reader;
  private final RightsWatermark watermark;
  private final FeedProgress progress;
  private final LongSupplier clock;
  private volatile boolean noAlias;
  private volatile boolean wanted;

  // guarded by this
  private boolean live;
  private boolean searching;
  private boolean aliasFound;

  /** True if the search found no alias, and it is not known yet which servers have as much. */
  private boolean empty;

  private long emptyNanos;
  private long doubts;
  private long changedNanos;
  private long pausedUntil;
  private long pauseNanos = MIN_PAUSE_NANOS;

  /**
   * Makes it without any knowledge.
   *
   * @param context the naming context
   * @param reader reads as the account of the feed
   * @param watermark the watermark that is moved when results from a time without aliases no longer
   *     count
   * @param progress tells when reported changes are visible to the account
   */
  public AliasWatch(
      byte[] context,
      PrivilegedReader reader,
      RightsWatermark watermark,
      FeedProgress progress,
      LongSupplier clock) {
    this.search =
        new Search(context, SUBTREE, "(objectClass=alias)".getBytes(UTF_8), List.of("1.1"), 1);
    this.reader = reader;
    this.watermark = watermark;
    this.progress = progress;
    this.clock = clock;
    this.pausedUntil = clock.getAsLong();
  }

  /**
   * Tells when a server shows the changes that it has reported. Immutable.
   *
   * @param nanos maximum delay between report and visibility outside of transactions
   * @param shown given a time, returns the time, inclusive, up to which no reported change is in an
   *     open transaction
   * @param reaches given a time, returns true if all changes that any server had by then have been
   *     applied
   * @param reached passes on the position of a server that has all changes reported until now
   */
  public record FeedProgress(
      long nanos,
      LongUnaryOperator shown,
      LongPredicate reaches,
      Consumer<Consumer<Position>> reached) {
    private boolean isShown(long toldNanos, long now) {
      return now - toldNanos >= nanos && shown.applyAsLong(now) - toldNanos >= 0;
    }
  }

  /**
   * True if there is no alias. A result that was read while this was true counts as long as {@link
   * DerivedData#ALIASES} do. The first call starts the search.
   */
  public boolean hasNoAlias() {
    if (!wanted) {
      wanted = true;
    }
    return noAlias;
  }

  /** Called when the feed has begun or resumes. */
  public synchronized void onLive() {
    if (!live) {
      live = true;
      doubt();
    }
  }

  /**
   * Called when changes are, or may be, left out. A feed that resumes does not report an alias that
   * has come and gone meanwhile, so nothing is known until {@link #onLive}.
   */
  public synchronized void onInterrupted() {
    live = false;
    doubt();
  }

  /**
   * Called for each change, before it counts as applied, and after it is known whether it may be in
   * a transaction. Further calls before that do no harm.
   */
  public void onChange(Change change) {
    if (change instanceof Deleted) {
      onDeleted();
    } else if (mayBeAlias(change)) {
      doubt();
    }
  }

  /** Handles a deletion: the last alias may be gone, so the search is repeated after a pause. */
  private synchronized void onDeleted() {
    if (aliasFound || searching) {
      doubts++; // a running search may be from before
      aliasFound = false;
      changedNanos = clock.getAsLong();
      pausedUntil = changedNanos + MIN_PAUSE_NANOS;
    }
  }

  private synchronized void doubt() {
    boolean hadNoAlias = noAlias;
    noAlias = false;
    aliasFound = false;
    empty = false;
    doubts++;
    changedNanos = clock.getAsLong();
    if (hadNoAlias) {
      watermark.onDerivedChange(DerivedData.ALIASES, Position.NONE);
    }
  }

  /** Searches for aliases if their presence is not known. Must be called periodically. */
  public void run() {
    long settledCount = settledDoubts();
    if (settledCount >= 0) {
      progress.reached().accept(position -> confirmNone(settledCount, position));
    }
    long doubtCount = beginSearch();
    if (doubtCount >= 0) {
      reader.search(
          search,
          entries -> onAnswer(doubtCount, entries.isEmpty()),
          failure -> onFailed(doubtCount, failure.resultCode()));
    }
  }

  /**
   * Returns the count of doubts when the search found no alias; negative if the feed may still have
   * to report one.
   */
  private synchronized long settledDoubts() {
    return empty && progress.reaches().test(emptyNanos) ? doubts : -1;
  }

  private synchronized void confirmNone(long doubtCount, Position position) {
    if (doubtCount == doubts && empty) {
      empty = false;
      watermark.require(DerivedData.ALIASES, position);
      noAlias = true;
    }
  }

  /** Returns the count of doubts at the start of a search; negative if none is due. */
  private synchronized long beginSearch() {
    long now = clock.getAsLong();
    boolean unknown =
        live && !noAlias && !aliasFound && !empty && progress.isShown(changedNanos, now);
    boolean maySearch = wanted && unknown && !searching && now - pausedUntil >= 0;
    searching |= maySearch;
    return maySearch ? doubts : -1;
  }

  private synchronized void onAnswer(long doubtCount, boolean empty) {
    searching = false;
    pauseNanos = MIN_PAUSE_NANOS;
    if (doubtCount == doubts) {
      this.empty = empty;
      emptyNanos = clock.getAsLong();
      aliasFound = !empty;
    }
  }

  private synchronized void onFailed(long doubtCount, int resultCode) {
    if (resultCode == ResultCode.SIZE_LIMIT_EXCEEDED_INT_VALUE) {
      onAnswer(doubtCount, false); // there is more than one alias
    } else {
      searching = false;
      pausedUntil = clock.getAsLong() + pauseNanos;
      pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
    }
  }

  /**
   * True if the entry may be an alias: it has that class, or a subclass, which must have the alias
   * attribute as well.
   */
  private static boolean mayBeAlias(Change change) {
    Image image = change.image();
    List<AttributeOctets> all = image == null ? List.of() : image.entry().attributes();
    return all.stream().noneMatch(one -> type(one).equals(OBJECT_CLASS))
        || all.stream().anyMatch(AliasWatch::isOfAlias);
  }

  private static boolean isOfAlias(AttributeOctets attribute) {
    String type = type(attribute);
    return ATTRIBUTES.contains(type)
        || (type.equals(OBJECT_CLASS) && attribute.values().stream().anyMatch(AliasWatch::isAlias));
  }

  private static boolean isAlias(byte[] name) {
    String text = new String(name, UTF_8).toLowerCase(Locale.ROOT);
    return text.contains(ALIAS) || text.equals(ALIAS_OID);
  }

  private static String type(AttributeOctets attribute) {
    return new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
  }
}
