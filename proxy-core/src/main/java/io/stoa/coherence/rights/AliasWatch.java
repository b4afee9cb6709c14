// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * Knows whether there is no alias in a naming context: then a search that dereferences aliases
 * finds what one that does not would find, and changes with the same changes. When somebody wants
 * to know, it is asked for once as the account of the feed, which must see everything, and once
 * more each time the feed goes on; from then on each change says whether it may have made an alias.
 * Thread-safe.
 *
 * <p>A replica may still have an alias that is gone where the feed comes from. So its answers count
 * only if it has all that the feed had told when the account was shown none ({@link
 * RightsWatermark#admits}). The feed has told all of that when every server that takes writes has
 * been asked later how far it has got, and the feed has come as far.
 *
 * <p>What the account is shown lacks nothing that was told a while before it is asked, and is not
 * in a transaction any more; and whatever it lacks is told later, and makes what it was shown count
 * for nothing.
 */
public final class AliasWatch {
  private static final int SUBTREE = 2;

  /** How the result code of RFC 4511 begins, as text: there are more than one. */
  private static final String SIZE_LIMIT_EXCEEDED = "4 ";

  private static final String OBJECT_CLASS = "objectclass";
  private static final String ALIAS = "alias";
  private static final String ALIAS_OID = "2.5.6.1";

  /** What every alias must have (RFC 4512, section 2.6.2), by all of its names. */
  private static final Set<String> ATTRIBUTES =
      Set.of("aliasedobjectname", "aliasedentryname", "2.5.4.1");

  /** Who could not be asked is left alone for a while, and for longer each time. */
  private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long MOST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Search question;
  private final PrivilegedReader reader;
  private final RightsWatermark horizon;
  private final Settling settling;
  private final LongSupplier clock;
  private volatile boolean none;
  private volatile boolean wanted;

  // guarded by this
  private boolean begun;
  private boolean asking;
  private boolean found;

  /**
   * True if the account has been shown none, and it is not known yet which servers have as much.
   */
  private boolean empty;

  private long emptyNanos;
  private long doubts;
  private long toldNanos;
  private long pausedUntil;
  private long pauseNanos = LEAST_PAUSE_NANOS;

  /**
   * Knows nothing.
   *
   * @param context the naming context
   * @param reader reads as the account of the feed
   * @param horizon is told when what was read while there was none does not count any more
   * @param settling when what was told is shown to the account
   */
  public AliasWatch(
      byte[] context,
      PrivilegedReader reader,
      RightsWatermark horizon,
      Settling settling,
      LongSupplier clock) {
    this.question =
        new Search(context, SUBTREE, "(objectClass=alias)".getBytes(UTF_8), List.of("1.1"), 1);
    this.reader = reader;
    this.horizon = horizon;
    this.settling = settling;
    this.clock = clock;
    this.pausedUntil = clock.getAsLong();
  }

  /**
   * When a server shows what it has told. Immutable.
   *
   * @param nanos so much later than it has told it, if that is in no transaction
   * @param shown given a time, up to when, that included, nothing that was told is in a transaction
   *     any more
   * @param reaches given a time, true if all has been applied that any server had by then
   * @param reached gives the position of a server that has all that was told until now
   */
  public record Settling(
      long nanos,
      LongUnaryOperator shown,
      LongPredicate reaches,
      Consumer<Consumer<Position>> reached) {
    private boolean isShown(long toldNanos, long now) {
      return now - toldNanos >= nanos && shown.applyAsLong(now) - toldNanos >= 0;
    }
  }

  /**
   * Whether there is none. What is asked for when there is, counts as long as {@link
   * DerivedData#ALIASES} do. Nobody is asked for it before this is.
   */
  public boolean isNone() {
    if (!wanted) {
      wanted = true;
    }
    return none;
  }

  /** The feed goes on, or has begun. */
  public synchronized void live() {
    if (!begun) {
      begun = true;
      doubt();
    }
  }

  /**
   * Changes were not told, or may not be: when the feed goes on it tells nothing of what has come
   * and gone meanwhile. Nothing is known until then.
   */
  public synchronized void lost() {
    begun = false;
    doubt();
  }

  /**
   * Of each change: before it counts as applied, and after it is known whether it may be in a
   * transaction. It may be told before that, too.
   */
  public void told(Change change) {
    if (change instanceof Deleted) {
      deleted();
    } else if (mayBeAlias(change)) {
      doubt();
    }
  }

  /** The last alias may have gone: after a while it is asked again whether there is any. */
  private synchronized void deleted() {
    if (found || asking) {
      doubts++; // what is being read may be from before that
      found = false;
      toldNanos = clock.getAsLong();
      pausedUntil = toldNanos + LEAST_PAUSE_NANOS;
    }
  }

  private synchronized void doubt() {
    boolean was = none;
    none = false;
    found = false;
    empty = false;
    doubts++;
    toldNanos = clock.getAsLong();
    if (was) {
      horizon.derived(DerivedData.ALIASES, Position.NONE);
    }
  }

  /** Asks, if it is not known: to be called now and then. */
  public void turn() {
    long settled = settled();
    if (settled >= 0) {
      settling.reached().accept(position -> none(settled, position));
    }
    long at = question();
    if (at >= 0) {
      reader.search(question, entries -> answered(at, entries.isEmpty()), why -> failed(at, why));
    }
  }

  /**
   * The count of doubts when no alias was shown; below 0 if the feed may still have to tell of one.
   */
  private synchronized long settled() {
    return empty && settling.reaches().test(emptyNanos) ? doubts : -1;
  }

  private synchronized void none(long at, Position position) {
    if (at == doubts && empty) {
      empty = false;
      horizon.needs(DerivedData.ALIASES, position);
      none = true;
    }
  }

  /** What had been doubted when it is asked; below 0 if it is not to be asked now. */
  private synchronized long question() {
    long now = clock.getAsLong();
    boolean unknown = begun && !none && !found && !empty && settling.isShown(toldNanos, now);
    boolean may = wanted && unknown && !asking && now - pausedUntil >= 0;
    asking |= may;
    return may ? doubts : -1;
  }

  private synchronized void answered(long at, boolean empty) {
    asking = false;
    pauseNanos = LEAST_PAUSE_NANOS;
    if (at == doubts) {
      this.empty = empty;
      emptyNanos = clock.getAsLong();
      found = !empty;
    }
  }

  private synchronized void failed(long at, String why) {
    if (why.startsWith(SIZE_LIMIT_EXCEEDED)) {
      answered(at, false);
    } else {
      asking = false;
      pausedUntil = clock.getAsLong() + pauseNanos;
      pauseNanos = Math.min(2 * pauseNanos, MOST_PAUSE_NANOS);
    }
  }

  /** An alias has that class, or one below it that must have the attribute of an alias, too. */
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
