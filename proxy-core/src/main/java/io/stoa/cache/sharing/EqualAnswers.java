// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.KeySample;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchPattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compares the answers that a directory gives different identities to one search, to find
 * identities that could share results. One search in eight is compared, and each that returns the
 * entry of an identity: access rules often grant more to an entry's owner.
 *
 * <p>Identities with the same parent entry are a group. An answer is compared with the last one to
 * another identity of the group, if nothing has changed in between as far as Stoa knows.
 *
 * <p>Octets: 2 MiB at most.
 *
 * <p>Threading: thread-safe.
 */
public final class EqualAnswers {
  /** Share of searches that are compared. */
  private static final int THRESHOLD = Integer.MAX_VALUE / 8;

  /** Maximum number of searches whose last answer is known. */
  private static final int KNOWN = 2000;

  /** Maximum number of groups and patterns that are counted. */
  private static final int MAX_COUNTS = 200;

  /** Maximum number of identities that are named for a group and a pattern. */
  static final int MAX_IDENTITIES = 8;

  /** Maximum number of identities whose entries are known. */
  private static final int MAX_OWNERS = 1000;

  private static final long FNV_BASIS = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  /** Names that can be shown and quoted. */
  private static final Pattern PLAIN = Pattern.compile("[ -~&&[^'\\\\\"]]+");

  /** Maximum octets of the name of an identity. */
  private static final int MAX_NAME = 256;

  private final BoundedCache<Integer, Read> last = BoundedCache.ofEntries(KNOWN);
  private final Map<GroupPattern, Counts> counts = new LinkedHashMap<>();

  /** Hashes of the names of identities, without spaces and in lower case. */
  private final Set<Long> owners = ConcurrentHashMap.newKeySet();

  /** Creates an instance without answers. */
  public EqualAnswers() {}

  /**
   * The answer to a search that was read from the directory.
   *
   * <p>Threading: immutable.
   *
   * @param identity name of the identity that received it
   * @param epoch epoch of the caches
   * @param now time of the search in ns
   * @param oldestNanos an earlier answer is not compared with it
   * @param content hash of its entries and its result
   * @param shown true if it has an attribute; answers without any are equal whatever the rights
   */
  public record Read(
      Octets identity, long epoch, long now, long oldestNanos, long content, boolean shown) {}

  /**
   * Comparisons of the answers to identities with one parent and to searches of one pattern.
   *
   * <p>Threading: immutable.
   *
   * @param parent DN of the parent, in lower case
   * @param pattern the pattern
   * @param identities names of identities, at most 9; more than 8 stand for many
   * @param equal comparisons of equal answers
   * @param different comparisons of different answers
   */
  public record Comparisons(
      String parent, SearchPattern pattern, List<String> identities, long equal, long different) {
    public Comparisons {
      identities = List.copyOf(identities);
    }
  }

  private record GroupPattern(String parent, SearchPattern pattern) {}

  /** Counts of one group and pattern. Threading: guarded by the lock of the object. */
  private static final class Counts {
    private final Set<Octets> identities = new LinkedHashSet<>();
    private long equal;
    private long different;

    void add(Read read, Read other) {
      add(read.identity());
      add(other.identity());
      boolean same = read.content() == other.content();
      equal += same && read.shown() ? 1 : 0;
      different += same ? 0 : 1;
    }

    private void add(Octets identity) {
      if (identities.size() <= MAX_IDENTITIES) {
        identities.add(identity);
      }
    }
  }

  /**
   * True if an answer is compared. Learns the identity.
   *
   * @param query hash of the search without the identity
   * @param entries the returned entries
   */
  public boolean isCompared(int query, Octets identity, List<EncodedResponse> entries) {
    if (owners.add(folded(identity.array())) && owners.size() > MAX_OWNERS) {
      owners.clear(); // the next searches of each identity add it again
    }
    return KeySample.place(query) < THRESHOLD || entries.stream().anyMatch(this::isOfIdentity);
  }

  private boolean isOfIdentity(EncodedResponse entry) {
    return owners.contains(folded(SearchEntry.dn(entry.op())));
  }

  /** Returns a hash of a name without spaces and in lower case (FNV-1a). */
  private static long folded(byte[] name) {
    long hash = FNV_BASIS;
    for (byte octet : name) {
      if (octet != ' ') {
        hash = (hash ^ lower(octet)) * FNV_PRIME;
      }
    }
    return hash;
  }

  /**
   * Compares an answer to a search of the sample.
   *
   * @param query hash of the search without the identity
   */
  public synchronized void add(int query, SearchPattern pattern, Read read) {
    String parent = parent(read.identity());
    if (parent == null) {
      return;
    }
    Read other = last.get(query);
    last.put(query, read);
    GroupPattern key = new GroupPattern(parent, pattern);
    if (other != null && isComparable(read, other) && parent.equals(parent(other.identity()))) {
      makeRoom(key);
      counts.computeIfAbsent(key, any -> new Counts()).add(read, other);
    }
  }

  /** Removes the oldest counts without a difference, so that differences are not forgotten. */
  private void makeRoom(GroupPattern key) {
    if (counts.containsKey(key) || counts.size() < MAX_COUNTS) {
      return;
    }
    counts.entrySet().stream()
        .filter(entry -> entry.getValue().different == 0)
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresentOrElse(counts::remove, counts::clear);
  }

  private static boolean isComparable(Read read, Read other) {
    return !other.identity().equals(read.identity())
        && other.epoch() == read.epoch()
        && other.now() - read.oldestNanos() >= 0;
  }

  /**
   * Returns the DN of the parent of an identity, in lower case; null if the name has none, or
   * characters that need an escape.
   */
  private static @Nullable String parent(Octets identity) {
    byte[] name = identity.array();
    if (name.length == 0 || name.length > MAX_NAME || name[0] == 0) {
      return null;
    }
    String text = new String(name, UTF_8);
    int parent = text.indexOf(',') + 1;
    return parent == 0 || parent == text.length() || !PLAIN.matcher(text).matches()
        ? null
        : text.substring(parent).strip().toLowerCase(Locale.ROOT);
  }

  private static int lower(byte octet) {
    return octet >= 'A' && octet <= 'Z' ? octet - 'A' + 'a' : octet;
  }

  /** Returns the comparisons of each group and pattern. */
  public synchronized List<Comparisons> comparisons() {
    List<Comparisons> all = new ArrayList<>();
    counts.forEach(
        (key, count) ->
            all.add(
                new Comparisons(
                    key.parent(),
                    key.pattern(),
                    count.identities.stream().map(name -> new String(name.array(), UTF_8)).toList(),
                    count.equal,
                    count.different)));
    return all;
  }

  /** Forgets all answers and counts. */
  public synchronized void reset() {
    last.removeIf(any -> true);
    counts.clear();
    owners.clear();
  }
}
