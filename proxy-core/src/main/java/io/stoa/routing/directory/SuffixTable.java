// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Maps names to directories: the longest matching suffix decides.
 *
 * <p>Names are compared without the schemas of the directories. A name must always map to the same
 * directory, since its password is sent there.
 *
 * <p>Threading: immutable.
 */
public final class SuffixTable {
  private static final int ONE_LEVEL = 1;
  private static final int SUBTREE = 2;
  private static final int CHILDREN = 3;
  private static final int BASE = 0;

  /** Result of {@link #singleDirectory} if no single directory holds the answer. */
  public static final int SEVERAL = -1;

  /** Suffixes, the deepest first. */
  private final List<Suffix> suffixes = new ArrayList<>();

  private final int fallback;
  private final boolean hasFallback;

  /**
   * Creates the table.
   *
   * @param ofDirectories suffixes of each directory; at most one list is empty, and that directory
   *     holds the rest
   */
  public SuffixTable(List<List<String>> ofDirectories) {
    int rest = ofDirectories.indexOf(List.of());
    this.hasFallback = rest >= 0;
    this.fallback = Math.max(0, rest);
    for (int directory = 0; directory < ofDirectories.size(); directory++) {
      for (String text : ofDirectories.get(directory)) {
        suffixes.add(new Suffix(text, dn(text), directory));
      }
    }
    suffixes.sort(Comparator.comparing((Suffix suffix) -> suffix.dn.depth()).reversed());
  }

  private record Suffix(String text, NormalDn dn, int directory) {}

  /**
   * The part of a search that one directory is asked for.
   *
   * @param base DN of the base of the part
   * @param scope scope of the part (RFC 4511, section 4.5.1.2)
   * @param above true if the base is that of the client, and lies below no suffix
   * @param tree normalized form of {@code base}
   */
  record Part(int directory, byte[] base, int scope, boolean above, NormalDn tree) {}

  static NormalDn dn(String text) {
    return dn(text.getBytes(StandardCharsets.UTF_8));
  }

  static NormalDn dn(byte[] name) {
    return NormalDn.of(name, ServerProfile.EXACT);
  }

  static boolean same(NormalDn one, NormalDn other) {
    return one.isBelowOrEqual(other) && other.isBelowOrEqual(one);
  }

  /** Returns the directory for unclaimed names: the one without a suffix, or the first. */
  public int fallback() {
    return fallback;
  }

  /** Returns the directory of an entry; the fallback for a name that is not a DN. */
  public int of(byte[] name) {
    return of(dn(name));
  }

  int of(NormalDn name) {
    for (Suffix suffix : suffixes) {
      if (name.isBelowOrEqual(suffix.dn)) {
        return suffix.directory;
      }
    }
    return fallback;
  }

  private boolean isClaimed(NormalDn name) {
    return suffixes.stream().anyMatch(suffix -> name.isBelowOrEqual(suffix.dn));
  }

  /** Returns the suffixes of all other directories, as configured, without those below others. */
  public List<String> otherSuffixes(int directory) {
    return suffixes.stream()
        .filter(suffix -> suffix.directory != directory)
        .filter(
            suffix -> suffixes.stream().noneMatch(other -> isStrictlyBelow(suffix.dn, other.dn)))
        .map(Suffix::text)
        .toList();
  }

  private static boolean isStrictlyBelow(NormalDn name, NormalDn ancestor) {
    return name.isBelowOrEqual(ancestor) && !ancestor.isBelowOrEqual(name);
  }

  /**
   * Returns the directory that answers a whole search unchanged; {@link #SEVERAL} if there is none.
   */
  public int singleDirectory(byte[] base, int scope) {
    List<Part> parts = parts(base, scope);
    Part first = parts.get(0);
    return parts.size() == 1 && first.base() == base ? first.directory() : SEVERAL;
  }

  /** True if the directory holds an entry at or below this name. */
  public boolean holdsAtOrBelow(int directory, byte[] entry) {
    NormalDn dn = dn(entry);
    return of(dn) == directory
        || suffixes.stream()
            .anyMatch(suffix -> suffix.directory == directory && isStrictlyBelow(suffix.dn, dn));
  }

  /** Returns the directories that hold entries of a search. */
  public IntStream directories(byte[] base, int scope) {
    return parts(base, scope).stream().mapToInt(Part::directory);
  }

  /** Returns the parts of a search by directory; the part with the base comes first. */
  List<Part> parts(byte[] base, int scope) {
    NormalDn dn = dn(base);
    Part ownPart = new Part(of(dn), base, scope, !isClaimed(dn), dn);
    boolean reaches = dn.isDn() && (scope == ONE_LEVEL || scope == SUBTREE || scope == CHILDREN);
    List<Part> below = reaches ? partsBelow(ownPart) : List.of();
    if (below.isEmpty()) {
      return List.of(ownPart);
    }
    List<Part> parts = new ArrayList<>(below.size() + 1);
    if (hasFallback || !ownPart.above) {
      parts.add(ownPart);
    }
    parts.addAll(below);
    return parts;
  }

  /** Returns the parts below the base, highest suffixes first, so that no subtree is read twice. */
  private List<Part> partsBelow(Part ownPart) {
    List<Part> parts = new ArrayList<>();
    boolean ownIsAsked = hasFallback || !ownPart.above;
    for (int index = suffixes.size() - 1; index >= 0; index--) {
      Suffix suffix = suffixes.get(index);
      boolean asked =
          (ownIsAsked && suffix.directory == ownPart.directory)
              || parts.stream().anyMatch(part -> holds(part, suffix));
      if (!asked && isReached(suffix.dn, ownPart)) {
        int scope = ownPart.scope == ONE_LEVEL ? BASE : SUBTREE;
        byte[] text = suffix.text.getBytes(StandardCharsets.UTF_8);
        parts.add(new Part(suffix.directory, text, scope, false, suffix.dn));
      }
    }
    return parts;
  }

  private static boolean holds(Part part, Suffix suffix) {
    return part.directory == suffix.directory
        && part.scope != BASE
        && suffix.dn.isBelowOrEqual(part.tree);
  }

  private static boolean isReached(NormalDn suffix, Part part) {
    boolean child = suffix.depth() == part.tree.depth() + 1;
    return isStrictlyBelow(suffix, part.tree) && (part.scope != ONE_LEVEL || child);
  }
}
