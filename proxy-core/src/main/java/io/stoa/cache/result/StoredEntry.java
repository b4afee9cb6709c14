// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry as the last few searches returned it. Each read is kept separately: a mix of their
 * attributes could show an entry that never existed.
 *
 * <p>Threading: immutable.
 */
record StoredEntry(Key key, Read[] reads) {
  /** Maximum number of reads with different attribute lists: 4. Few applications share an entry. */
  private static final int MAX_READS = 4;

  /** Stands for any epoch. Epochs begin with 1. */
  private static final long ANY_EPOCH = 0;

  private static final int OVERHEAD = 160;
  private static final int READ_OVERHEAD = 88;

  /**
   * Key of a stored entry: partition, form of the request ({@link CacheRequest#form}), and DN as
   * returned.
   *
   * <p>Threading: immutable.
   */
  static final class Key {
    private final Octets partition;
    private final Octets form;
    private final Octets dn;
    private final int hash;

    Key(Octets partition, Octets form, Octets dn) {
      this.partition = partition;
      this.form = form;
      this.dn = dn;
      this.hash = (partition.hashCode() * 31 + form.hashCode()) * 31 + dn.hashCode();
    }

    Octets partition() {
      return partition;
    }

    Octets dn() {
      return dn;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Key that
              && hash == that.hash
              && dn.equals(that.dn)
              && form.equals(that.form)
              && partition.equals(that.partition));
    }

    @Override
    public int hashCode() {
      return hash;
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
      return new EntryState(watch.versions()[index], watch.derived().shown(index), false);
    }

    static EntryState feedOnly(Csn version) {
      return new EntryState(version, 0, true);
    }
  }

  /**
   * The entry as one search returned it.
   *
   * <p>Threading: immutable.
   *
   * @param selection the requested attribute list, for which the read is complete
   * @param op the SearchResultEntry as it was returned
   * @param origin origin of the read
   * @param state state of the entry that it shows
   */
  record Read(
      AttributeSelection selection, EncodedResponse op, Lookup.Origin origin, EntryState state) {
    /** Returns the entryCSN; null if it was not requested. */
    @Nullable Csn version() {
      return state.version();
    }

    /** Returns the kinds of derived data in the read. */
    int derived() {
      return state.derived();
    }

    /** Returns the epoch in which the search was sent. */
    long epoch() {
      return origin.epoch();
    }

    /** Returns a time at which a primary would have shown no newer state. */
    long asOf() {
      return origin.asOf();
    }

    /** Returns the SearchResultEntry for an attribute list that this read covers. */
    EncodedResponse projected(AttributeSelection wanted) {
      if (selection.equals(wanted)) {
        return op;
      }
      try {
        SearchEntry entry = SearchEntry.parse(op.op());
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
  }

  /**
   * Returns the newest read of the epoch that is complete for the selection, or null.
   *
   * <p>Excludes reads that only a feed has reported. A result served by its age could outlive a
   * report that proves wrong.
   */
  @Nullable Read find(AttributeSelection selection, long epoch) {
    return find(selection, epoch, null);
  }

  /** Returns the newest read of the given state that is complete for the selection, or null. */
  @Nullable Read find(AttributeSelection selection, Csn version) {
    return find(selection, ANY_EPOCH, version);
  }

  /** Returns the newest read of the epoch and state that is complete for the selection, or null. */
  @Nullable Read find(AttributeSelection selection, long epoch, @Nullable Csn version) {
    Read covering = null;
    for (Read read : reads) {
      if ((epoch == ANY_EPOCH || read.epoch() == epoch)
          && (version == null ? !read.state().feedOnly() : version.equals(read.version()))) {
        if (read.selection().equals(selection)) {
          return read;
        }
        if (covering == null && read.selection().covers(selection)) {
          covering = read;
        }
      }
    }
    return covering;
  }

  /**
   * Returns the entry with one more read, which comes first and replaces the reads that it covers.
   */
  StoredEntry with(Read newest) {
    if (isOlder(newest, reads[0])) {
      return this;
    }
    List<Read> keptReads = new ArrayList<>(MAX_READS);
    keptReads.add(newest);
    for (Read read : reads) {
      boolean useful =
          mayShowSameState(read, newest) && !newest.selection().covers(read.selection());
      if (useful && keptReads.size() < MAX_READS) {
        keptReads.add(read);
      }
    }
    return new StoredEntry(key, keptReads.toArray(Read[]::new));
  }

  /**
   * Returns the entry after a change. Reads of other known states are removed. A read of this state
   * with fewer attributes is kept if it is as new, so that it need not be built again.
   */
  StoredEntry updated(Read newest, Csn version) {
    List<Read> keptReads = new ArrayList<>(MAX_READS);
    keptReads.add(newest);
    for (Read read : reads) {
      Csn readVersion = read.version();
      int order = readVersion == null ? 0 : readVersion.compareTo(version);
      if (order > 0) {
        return this;
      }
      boolean useful = readVersion == null || (order == 0 && addsTo(newest, read));
      if (useful && keptReads.size() < MAX_READS) {
        keptReads.add(read);
      }
    }
    return new StoredEntry(key, keptReads.toArray(Read[]::new));
  }

  private static boolean addsTo(Read newest, Read read) {
    return !newest.selection().covers(read.selection())
        || (!newest.selection().equals(read.selection()) && read.asOf() - newest.asOf() >= 0);
  }

  private static boolean isOlder(Read one, Read other) {
    Csn version = one.version();
    Csn otherVersion = other.version();
    if (version == null || otherVersion == null) {
      return one.epoch() < other.epoch();
    }
    return otherVersion.isOrdered()
        ? version.compareTo(otherVersion) < 0 && one.asOf() - other.asOf() <= 0
        : one.asOf() - other.asOf() < 0 && other.selection().covers(one.selection());
  }

  /** True if both reads may show the same state of the entry. */
  private static boolean mayShowSameState(Read one, Read other) {
    Csn version = one.version();
    return one.epoch() == other.epoch() || (version != null && version.equals(other.version()));
  }

  /**
   * True if a read could still be served. A read of a known state can be served while a result
   * confirms that state.
   */
  boolean isServable(long epoch, long oldestNanos) {
    for (Read read : reads) {
      if (read.version() != null || (read.epoch() == epoch && read.asOf() - oldestNanos >= 0)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the estimated memory of the entry in octets. */
  int size() {
    int size = OVERHEAD + key.form.length() + key.dn.length();
    for (Read read : reads) {
      size += READ_OVERHEAD + read.op().op().length;
    }
    return size;
  }
}
