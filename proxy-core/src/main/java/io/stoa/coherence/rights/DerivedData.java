// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

/**
 * Kinds of derived data: parts of a result that may change although none of its entries does. The
 * constants are bits, and sets of them are united by {@code |}.
 *
 * <p>Threading: stateless.
 */
public final class DerivedData {
  /** No derived data. */
  public static final int NONE = 0;

  /** The groups of an entry. */
  public static final int GROUPS = 1;

  /** Names of other entries, which the directory repairs when these are renamed or deleted. */
  public static final int REFERENCES = 2;

  /** All kinds that any change of another entry may alter. */
  public static final int ALL = GROUPS | REFERENCES;

  /** The absence of aliases, for a search that dereferences them. */
  public static final int ALIASES = 4;

  /** Number of kinds, and so of bits: 3. */
  public static final int COUNT = 3;

  private DerivedData() {}
}
