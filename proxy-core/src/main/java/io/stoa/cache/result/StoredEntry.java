// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.sharing.ClassMember;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.operation.ReadSource;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry as one search returned it. Each read is kept separately: a mix of their attributes could
 * show an entry that never existed.
 *
 * <p>Several results can hold one entry, and one read of it. The {@link EntryTable} links the last
 * few reads of an entry, each with the next newer one. A result begins with the read that its own
 * search made, and follows the links to newer reads. A superseded read has no link and is never
 * served: its results replace it by a read from the table at their next hit.
 *
 * <p>Octets: 48, and an array of 16 with the encoded entry, in steps of 8. The DN is stored once,
 * inside of it.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The links of reads lead from older to newer ones, and have no cycle.
 *   <li>A superseded read has no link, and stays superseded.
 *   <li>All linked reads are the same entry, for the same identity and form of search.
 *   <li>A result holds each linked read, and so counts its octets.
 * </ol>
 *
 * <p>Threading: thread-safe. All but the link, the holders and the end of its use is immutable;
 * only the table changes these, in the lock of a part.
 */
final class StoredEntry extends EncodedResponse {
  /** Estimated octets of an entry besides its encoded form, with its place in the table. */
  private static final int OVERHEAD = 80;

  /** Set if only a feed has reported it, without a read. */
  private static final int FEED_ONLY = 1 << 31;

  /** Set if another read has ended its use. */
  private static final int SUPERSEDED = 1 << 30;

  private static final int DERIVED_SHIFT = 27;
  private static final int DERIVED = ((1 << DerivedData.COUNT) - 1) << DERIVED_SHIFT;
  private static final int HOLDERS = (1 << DERIVED_SHIFT) - 1;

  private final ReadContext context;
  private final long epoch;
  private final long asOf;
  private final @Nullable Csn version;
  private volatile @Nullable StoredEntry newer;

  /**
   * In one field, as separate ones would take 8 octets more: {@link #FEED_ONLY}, {@link
   * #SUPERSEDED}, the kinds of derived data, and the number of results that hold this read.
   */
  private volatile int state;

  /**
   * Creates an entry.
   *
   * @param context identity, form and attribute list of the search
   * @param op the SearchResultEntry as it was returned; not copied
   * @param epoch the epoch in which the search was sent
   * @param asOf a time at which a primary would have shown no newer state
   * @param state the state of the entry that it shows
   */
  StoredEntry(ReadContext context, byte[] op, long epoch, long asOf, EntryState state) {
    super(op);
    this.context = context;
    this.epoch = epoch;
    this.asOf = asOf;
    this.version = state.version();
    this.state = (state.derived() << DERIVED_SHIFT) | (state.feedOnly() ? FEED_ONLY : 0);
  }

  /**
   * The part of a read that is the same for many entries, and then kept once.
   *
   * <p>Octets: 32, and those of its parts that nothing else has.
   *
   * <p>Invariant: reads with equal contexts are complete for the same attribute list.
   *
   * <p>Threading: immutable.
   *
   * @param partition the identity or sharing class that may see the entry
   * @param form see {@link Lookup#form}
   * @param selection the requested attribute list, for which the read is complete
   * @param sources the servers that answered the search, as far as known
   * @param reader class member as which it was read; null if it is stored for one identity
   */
  record ReadContext(
      Octets partition,
      Octets form,
      AttributeSelection selection,
      List<ReadSource> sources,
      @Nullable ClassMember reader) {
    /** Estimated octets of a context and of its form, without the octets of the form. */
    static final int OVERHEAD = 80;

    /** Returns the context of a search. */
    static ReadContext of(
        Lookup lookup, Octets form, AttributeSelection selection, Lookup.Origin origin) {
      return new ReadContext(
          lookup.partition(), form, selection, origin.sources(), origin.reader());
    }

    /** Returns its estimated memory in octets. */
    int size() {
      return OVERHEAD + form.length() + selection.size();
    }
  }

  /**
   * State of the entry that a read shows.
   *
   * <p>Threading: immutable.
   *
   * @param version its entryCSN; null if it was not requested
   * @param derived kinds of derived data in it, as {@code DerivedData}
   * @param feedOnly true if only a feed has reported it, without a read; the report may prove wrong
   */
  record EntryState(@Nullable Csn version, int derived, boolean feedOnly) {
    static final EntryState UNKNOWN = new EntryState(null, 0, false);

    static EntryState of(CachedResult.TrackedView watch, int index) {
      return new EntryState(watch.version(index), watch.derived().shown(index), false);
    }

    static EntryState feedOnly(Csn version) {
      return new EntryState(version, 0, true);
    }
  }

  /** Returns the attribute list for which it is complete. */
  AttributeSelection selection() {
    return context.selection();
  }

  /** Returns the servers that answered the search, as far as known. */
  List<ReadSource> sources() {
    return context.sources();
  }

  /** Returns the class member as which it was read; null if it is stored for one identity. */
  @Nullable ClassMember reader() {
    return context.reader();
  }

  /** True if it must not be served for now: its reader is suspended. */
  boolean isWithheld() {
    ClassMember reader = context.reader();
    return reader != null && reader.isSuspended();
  }

  private EntryState state() {
    return new EntryState(version, derived(), isFeedOnly());
  }

  /** True if only a feed has reported it, without a read. */
  boolean isFeedOnly() {
    return (state & FEED_ONLY) != 0;
  }

  /** Returns the entryCSN; null if it was not requested. */
  @Nullable Csn version() {
    return version;
  }

  /** Returns the kinds of derived data in it. */
  int derived() {
    return (state & DERIVED) >>> DERIVED_SHIFT;
  }

  /** Returns the epoch in which the search was sent. */
  long epoch() {
    return epoch;
  }

  /** Returns a time at which a primary would have shown no newer state. */
  long asOf() {
    return asOf;
  }

  /** Returns the DN as the server spelled it. */
  Octets dn() {
    return Octets.of(SearchEntry.dn(op()));
  }

  /** True if both are the same entry, for the same identity and form of search. */
  boolean isSameEntry(StoredEntry other) {
    int from = SearchEntry.dnIndex(op());
    int otherFrom = SearchEntry.dnIndex(other.op());
    return Arrays.equals(
            op(),
            from,
            from + SearchEntry.dnLength(op()),
            other.op(),
            otherFrom,
            otherFrom + SearchEntry.dnLength(other.op()))
        && context.form().equals(other.context.form())
        && context.partition().equals(other.context.partition());
  }

  /** Returns a hash of what {@link #isSameEntry} compares. */
  int entryHash() {
    int from = SearchEntry.dnIndex(op());
    int hash = Octets.hash(op(), from, from + SearchEntry.dnLength(op()));
    return (context.partition().hashCode() * 31 + context.form().hashCode()) * 31 + hash;
  }

  /** Returns this read with the encoded form of an equal one, so that it is kept once. */
  StoredEntry withOpOf(StoredEntry equal) {
    return equal.op() == op() ? this : new StoredEntry(context, equal.op(), epoch, asOf, state());
  }

  /** Returns the SearchResultEntry for an attribute list that this read covers. */
  EncodedResponse projected(AttributeSelection wanted) {
    if (selection().equals(wanted)) {
      return this;
    }
    try {
      SearchEntry entry = SearchEntry.parse(op());
      List<byte[]> selected =
          entry.attributes().stream()
              .filter(attribute -> wanted.selects(attribute.type()))
              .map(SearchEntry.AttributeOctets::encoded)
              .toList();
      return new EncodedResponse(SearchEntry.encode(entry.dn(), selected));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("an entry is checked before it is stored", e);
    }
  }

  /** Stands for any epoch in {@link #find}. Epochs begin with 1. */
  static final long ANY_EPOCH = 0;

  /**
   * Returns the newest read with this attribute list among this one and newer ones, or else the
   * newest that covers it; null if there is none.
   *
   * <p>Without a version, excludes reads that only a feed has reported. A result served by its age
   * could outlive a report that proves wrong.
   *
   * @param readIn the epoch of the read, or {@link #ANY_EPOCH}
   * @param version the state of the entry; null for any state that a search has read
   */
  @Nullable StoredEntry find(AttributeSelection wanted, long readIn, @Nullable Csn version) {
    StoredEntry exact = null;
    StoredEntry covering = null;
    for (StoredEntry read = this; read != null; read = read.newer) {
      if (read.isUsable(readIn, version)) {
        if (read.selection().equals(wanted)) {
          exact = read;
        } else if (read.selection().covers(wanted)) {
          covering = read;
        }
      }
    }
    return exact == null ? covering : exact;
  }

  private boolean isUsable(long readIn, @Nullable Csn version) {
    return !isSuperseded()
        && (readIn == ANY_EPOCH || readIn == epoch)
        && (version == null ? !isFeedOnly() : version.equals(version()));
  }

  /** Returns the next newer read; null for the newest and for a superseded one. */
  @Nullable StoredEntry newer() {
    return newer;
  }

  /** True if another read has ended its use. */
  boolean isSuperseded() {
    return (state & SUPERSEDED) != 0;
  }

  /** Adds a result that holds it. The caller has the lock of its part of the table. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the caller has the lock
  void addHolder() {
    if ((state & HOLDERS) == HOLDERS) {
      throw new IllegalStateException("too many results hold the read");
    }
    state++;
  }

  /** Removes a result that holds it. The caller has the lock of its part of the table. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the caller has the lock
  void removeHolder() {
    if (!isHeld()) {
      throw new IllegalStateException("no result holds the read");
    }
    state--;
  }

  /** True if a result holds it. The caller has the lock of its part of the table. */
  boolean isHeld() {
    return (state & HOLDERS) != 0;
  }

  /** Links it with the next newer read. */
  void link(@Nullable StoredEntry read) {
    newer = read;
  }

  /**
   * Ends its use: a newer read shows more, or another state. Its results find that in the table.
   * The caller has the lock of its part of the table.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the caller has the lock
  void supersede() {
    state |= SUPERSEDED;
    newer = null;
  }

  /** True if a search read an earlier state, or read the same state earlier. */
  boolean isOlderThan(StoredEntry other) {
    Csn version = version();
    Csn otherVersion = other.version();
    if (version == null || otherVersion == null) {
      return epoch < other.epoch;
    }
    return otherVersion.isOrdered()
        ? version.compareTo(otherVersion) < 0 && asOf - other.asOf <= 0
        : asOf - other.asOf < 0 && other.selection().covers(selection());
  }

  /** True if it shows a later state of the entry than that. */
  boolean showsLaterThan(Csn version) {
    Csn own = version();
    return own != null && own.compareTo(version) > 0;
  }

  /** True if this read is still of use beside a newer read of a search. */
  boolean addsToRead(StoredEntry newest) {
    Csn version = newest.version();
    boolean mayShowSameState =
        epoch == newest.epoch || (version != null && version.equals(version()));
    return mayShowSameState && !newest.selection().covers(selection());
  }

  /**
   * True if this read is still of use beside a newer state that a feed has reported. A read of this
   * state with fewer attributes is, if it is as new: it need not be built again.
   */
  boolean addsToReport(StoredEntry newest, Csn version) {
    Csn own = version();
    if (own == null) {
      return true;
    }
    return own.compareTo(version) == 0
        && (!newest.selection().covers(selection())
            || (!newest.selection().equals(selection()) && asOf - newest.asOf >= 0));
  }

  /** Returns its estimated memory in octets. */
  int size() {
    return OVERHEAD + op().length;
  }
}
