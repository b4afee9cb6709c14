// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.schema.AttributeSelection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of all stored results, found by identity, form and DN: the entry cache.
 *
 * <p><b>Problem.</b> Many searches return the same entry. A result that finds it should be served
 * with the newest read of it, and the entry should be stored once.
 *
 * <p><b>Design.</b> A hash table with linear probing (Knuth, volume 3, section 6.4) in {@value
 * #STRIPES} parts, each with its own lock. A place holds the oldest useful read of an entry, which
 * links to the newer ones. Each read counts the results that hold it. Hits do not pass here: they
 * follow the links of their own reads.
 *
 * <p><b>Octets</b> for each entry: 4, divided by the share of places in use (3/8 to 3/4). An empty
 * table has 6,944.
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>A useful read is linked exactly as long as a result holds it, and an entry is in the table
 *       as long as it has a linked read. So each linked read counts for a result, and a small
 *       result keeps no large read of an evicted one.
 *   <li>Each result holds each of its reads once, and releases it once.
 *   <li>At most {@value #MAX_READS} reads of an entry are linked, each with a newer one. All others
 *       are superseded and have no link, or no result holds them.
 *   <li>Linked reads with equal octets share them.
 *   <li>{@link #find} sees all linked reads of an entry: links change and are searched in the lock
 *       of the part.
 * </ol>
 *
 * <p>A part grows with its entries and never shrinks: empty places take at most 7 octets for each
 * entry of the fullest time.
 *
 * <p>Threading: thread-safe.
 */
final class EntryTable {
  /** Maximum number of reads with different attribute lists. Few applications share an entry. */
  private static final int MAX_READS = 4;

  private static final int STRIPES = 64;
  private static final int SPREAD = 0x9E3779B9;

  private final Stripe[] stripes =
      Stream.generate(Stripe::new).limit(STRIPES).toArray(Stripe[]::new);

  private Stripe stripe(int hash) {
    return stripes[(hash * SPREAD) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(STRIPES))];
  }

  /**
   * Adds a read of a search, and holds it.
   *
   * @return the read that the result of the search must keep, and now holds: this one, an equal one
   *     that shares octets with another, or a newer one
   */
  StoredEntry add(StoredEntry read) {
    int hash = read.entryHash();
    return stripe(hash)
        .add(
            read,
            hash,
            reads -> !read.isOlderThan(reads.get(reads.size() - 1)),
            (older, newest) -> older.addsToRead(newest));
  }

  /**
   * Adds a state that a feed has reported, and holds it.
   *
   * @return the read that the result must keep, and now holds: this one, or one of a newer state
   */
  StoredEntry addReport(StoredEntry read, Csn version) {
    int hash = read.entryHash();
    return stripe(hash)
        .add(
            read,
            hash,
            reads -> reads.stream().noneMatch(other -> other.showsLaterThan(version)),
            (older, newest) -> older.addsToReport(newest, version));
  }

  /**
   * Holds a read once more.
   *
   * @return false if no result holds it any more
   */
  boolean hold(StoredEntry read) {
    return stripe(read.entryHash()).hold(read);
  }

  /** Holds all reads, or none if one of them is not held any more. */
  boolean holdAll(StoredEntry[] reads) {
    for (int index = 0; index < reads.length; index++) {
      if (!hold(reads[index])) {
        for (int held = 0; held < index; held++) {
          release(reads[held]);
        }
        return false;
      }
    }
    return true;
  }

  /** Releases a read. The last release unlinks it. */
  void release(StoredEntry read) {
    int hash = read.entryHash();
    stripe(hash).release(read, hash);
  }

  /**
   * Returns the best read of the entry of a read, whether older or newer; null if none fits.
   *
   * @see StoredEntry#find
   */
  @Nullable StoredEntry find(
      StoredEntry read, AttributeSelection wanted, long readIn, @Nullable Csn version) {
    int hash = read.entryHash();
    return stripe(hash).find(read, hash, oldest -> oldest.find(wanted, readIn, version));
  }

  /** Returns the number of entries. */
  long count() {
    long count = 0;
    for (Stripe stripe : stripes) {
      count += stripe.count();
    }
    return count;
  }

  /** Decides whether a new read is at least as new as the present ones, the newest of them last. */
  private interface NewestTest {
    boolean isNewest(List<StoredEntry> reads);
  }

  /** One part of the table. Threading: thread-safe. */
  private static final class Stripe {
    private static final int FIRST_PLACES = 16;

    private @Nullable StoredEntry[] oldest = new StoredEntry[FIRST_PLACES];
    private int count;

    synchronized int count() {
      return count;
    }

    synchronized StoredEntry add(
        StoredEntry read,
        int hash,
        NewestTest test,
        BiPredicate<StoredEntry, StoredEntry> staysUseful) {
      int place = place(read, hash);
      StoredEntry first = oldest[place];
      if (first == null) {
        oldest[place] = read;
        read.addHolder();
        count++;
        growIfFull();
        return read;
      }
      List<StoredEntry> reads = reads(first);
      boolean isNewest = test.isNewest(reads);
      StoredEntry newest = isNewest ? sharing(reads, read) : reads.get(reads.size() - 1);
      newest.addHolder();
      if (isNewest) {
        oldest[place] = linked(reads, newest, staysUseful);
      }
      return newest;
    }

    /** Returns the read with the octets of a present one, if they are equal. */
    private static StoredEntry sharing(List<StoredEntry> reads, StoredEntry read) {
      for (StoredEntry present : reads) {
        if (present.equals(read)) {
          return read.withOpOf(present);
        }
      }
      return read;
    }

    private static List<StoredEntry> reads(StoredEntry first) {
      List<StoredEntry> reads = new ArrayList<>(MAX_READS + 1);
      for (StoredEntry read = first; read != null; read = read.newer()) {
        reads.add(read);
      }
      return reads;
    }

    /** Links the useful reads with the newest, supersedes the others, and returns the oldest. */
    private StoredEntry linked(
        List<StoredEntry> reads,
        StoredEntry newest,
        BiPredicate<StoredEntry, StoredEntry> staysUseful) {
      StoredEntry next = newest;
      int kept = 1;
      for (int index = reads.size() - 1; index >= 0; index--) {
        StoredEntry read = reads.get(index);
        if (kept < MAX_READS && staysUseful.test(read, newest)) {
          read.link(next);
          next = read;
          kept++;
        } else {
          read.supersede();
        }
      }
      return next;
    }

    synchronized boolean hold(StoredEntry read) {
      boolean held = read.isHeld();
      if (held) {
        read.addHolder();
      }
      return held;
    }

    synchronized void release(StoredEntry read, int hash) {
      read.removeHolder();
      if (!read.isHeld() && !read.isSuperseded()) {
        unlink(read, place(read, hash));
      }
    }

    /** Takes a read out of the chain. A hit in progress may still follow the link of the read. */
    @SuppressWarnings("ReferenceEquality") // several reads of an entry may have equal octets
    private void unlink(StoredEntry read, int place) {
      StoredEntry next = read.newer();
      for (StoredEntry older = oldest[place]; older != null; older = older.newer()) {
        if (older.newer() == read) {
          older.link(next);
          return;
        }
      }
      if (next != null) {
        oldest[place] = next;
      } else {
        count--;
        vacate(place);
      }
    }

    /** Searches in the lock, as another thread may be changing the links. */
    synchronized @Nullable StoredEntry find(
        StoredEntry read, int hash, Function<StoredEntry, @Nullable StoredEntry> search) {
      StoredEntry first = oldest[place(read, hash)];
      return first == null ? null : search.apply(first);
    }

    /** Returns the place of the entry, or the free place where it belongs. */
    private int place(StoredEntry read, int hash) {
      int mask = oldest.length - 1;
      int place = hash & mask;
      StoredEntry other = oldest[place];
      while (other != null && !other.isSameEntry(read)) {
        place = (place + 1) & mask;
        other = oldest[place];
      }
      return place;
    }

    /** Frees a place, and moves the entries behind it that probing would no longer find. */
    private void vacate(int gone) {
      int mask = oldest.length - 1;
      int free = gone;
      oldest[free] = null;
      int place = (free + 1) & mask;
      for (StoredEntry read = oldest[place]; read != null; read = oldest[place]) {
        int home = read.entryHash() & mask;
        if (((place - home) & mask) >= ((place - free) & mask)) {
          oldest[free] = read;
          oldest[place] = null;
          free = place;
        }
        place = (place + 1) & mask;
      }
    }

    private void growIfFull() {
      if (count <= oldest.length / 4 * 3) {
        return;
      }
      @Nullable StoredEntry[] before = oldest;
      oldest = new StoredEntry[2 * before.length];
      for (StoredEntry read : before) {
        if (read != null) {
          oldest[place(read, read.entryHash())] = read;
        }
      }
    }
  }
}
