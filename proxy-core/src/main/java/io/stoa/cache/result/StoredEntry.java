// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry as the last few searches returned it, each read for itself: attributes of different
 * reads are never put together, or an entry would appear that never existed. Immutable.
 */
record StoredEntry(Key key, Read[] reads) {
  /** So many different selections of one entry are kept; applications that use it are few. */
  private static final int MOST_READS = 4;

  /** There is none of that number. */
  private static final long ANY_EPOCH = 0;

  private static final int OVERHEAD = 160;
  private static final int READ_OVERHEAD = 72;

  /**
   * The key of a stored entry: the partition of the identity, the form in which the search had the
   * directory show it ({@link CacheRequest#form}), and the DN as it was returned. Immutable.
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
   * What is known of the state that a read shows. Immutable.
   *
   * @param version its entryCSN; null if it was not asked for
   * @param facets what of it may change without the entry
   * @param told whether nobody has read it: a feed has told it, and that may turn out not to be so
   */
  record State(@Nullable Csn version, int facets, boolean told) {
    static final State UNKNOWN = new State(null, 0, false);

    static State of(CachedResult.Watch watch, int index) {
      return new State(watch.versions()[index], watch.derived().shown(index), false);
    }

    static State told(Csn version) {
      return new State(version, 0, true);
    }
  }

  /**
   * The entry as one search returned it. Immutable.
   *
   * @param selection what was asked for, and for which the read is therefore complete
   * @param op the SearchResultEntry as it was returned
   * @param origin where it comes from
   * @param state what state of the entry it is
   */
  record Read(AttributeSelection selection, byte[] op, Lookup.Origin origin, State state) {
    /** The entry's version; null if it was not asked for. */
    @Nullable Csn version() {
      return state.version();
    }

    /** What of it may change without the entry. */
    int facets() {
      return state.facets();
    }

    /** The epoch in which the search was sent. */
    long epoch() {
      return origin.epoch();
    }

    /** The entry is at least as new as a primary was then. */
    long asOf() {
      return origin.asOf();
    }

    /** The SearchResultEntry for a selection that the read's own covers. */
    byte[] projected(AttributeSelection wanted) {
      if (selection.equals(wanted)) {
        return op;
      }
      try {
        SearchEntry entry = SearchEntry.parse(op);
        List<byte[]> kept =
            entry.attributes().stream()
                .filter(attribute -> wanted.selects(attribute.type()))
                .map(SearchEntry.AttributeOctets::encoded)
                .toList();
        return SearchEntry.encode(entry.dn(), kept);
      } catch (LdapProtocolException e) {
        throw new IllegalStateException("an entry is checked before it is stored", e);
      }
    }
  }

  /**
   * The newest read that is complete for the selection, and belongs to the epoch; or null. What a
   * feed alone has told is given to those only who are given nothing that turns out not to be so.
   */
  @Nullable Read find(AttributeSelection selection, long epoch) {
    return find(selection, epoch, null);
  }

  /** The newest read that is complete for the selection, and shows that state; or null. */
  @Nullable Read find(AttributeSelection selection, Csn version) {
    return find(selection, ANY_EPOCH, version);
  }

  /** The newest read for which both is true; or null. */
  @Nullable Read find(AttributeSelection selection, long epoch, @Nullable Csn version) {
    Read covering = null;
    for (Read read : reads) {
      if ((epoch == ANY_EPOCH || read.epoch() == epoch)
          && (version == null ? !read.state().told() : version.equals(read.version()))) {
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

  /** The entry with one more read, which comes first and replaces those that it covers. */
  StoredEntry with(Read newest) {
    if (isOlder(newest, reads[0])) {
      return this;
    }
    List<Read> kept = new ArrayList<>(MOST_READS);
    kept.add(newest);
    for (Read read : reads) {
      boolean useful = goTogether(read, newest) && !newest.selection().covers(read.selection());
      if (useful && kept.size() < MOST_READS) {
        kept.add(read);
      }
    }
    return new StoredEntry(key, kept.toArray(Read[]::new));
  }

  /**
   * The entry as it is since a change: other states of it are of no use any more. What shows less
   * of this one is kept if it is as new, so that it need not be made for each who asks for less.
   */
  StoredEntry amended(Read newest, Csn version) {
    List<Read> kept = new ArrayList<>(MOST_READS);
    kept.add(newest);
    for (Read read : reads) {
      Csn known = read.version();
      int order = known == null ? 0 : known.compareTo(version);
      if (order > 0) {
        return this;
      }
      boolean useful = known == null || (order == 0 && addsTo(newest, read));
      if (useful && kept.size() < MOST_READS) {
        kept.add(read);
      }
    }
    return new StoredEntry(key, kept.toArray(Read[]::new));
  }

  private static boolean addsTo(Read newest, Read read) {
    return !newest.selection().covers(read.selection())
        || (!newest.selection().equals(read.selection()) && read.asOf() - newest.asOf() >= 0);
  }

  private static boolean isOlder(Read one, Read other) {
    Csn version = one.version();
    Csn known = other.version();
    if (version == null || known == null) {
      return one.epoch() < other.epoch();
    }
    return known.isOrdered()
        ? version.compareTo(known) < 0 && one.asOf() - other.asOf() <= 0
        : one.asOf() - other.asOf() < 0 && other.selection().covers(one.selection());
  }

  /** Whether they may be of one state of the entry. */
  private static boolean goTogether(Read one, Read other) {
    Csn version = one.version();
    return one.epoch() == other.epoch() || (version != null && version.equals(other.version()));
  }

  /**
   * Whether a read could still be served. One whose state is known may be as long as a result says
   * that it is the present one.
   */
  boolean alive(long epoch, long oldestNanos) {
    for (Read read : reads) {
      if (read.version() != null || (read.epoch() == epoch && read.asOf() - oldestNanos >= 0)) {
        return true;
      }
    }
    return false;
  }

  /** Memory that the entry takes, estimated in octets. */
  int size() {
    int size = OVERHEAD + key.form.length() + key.dn.length();
    for (Read read : reads) {
      size += READ_OVERHEAD + read.op().length;
    }
    return size;
  }
}
