// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

/**
 * What of an answer may change though none of its entries does. Sets of facets are united by {@code
 * |}. Stateless.
 */
public final class DerivedData {
  /** No facet at all. */
  public static final int NONE = 0;

  /** Of which groups an entry is a member. */
  public static final int GROUPS = 1;

  /** Names of other entries, which the directory repairs when these are renamed or deleted. */
  public static final int REFERENCES = 2;

  /** All that may follow from any change of another entry. */
  public static final int ALL = GROUPS | REFERENCES;

  /** That aliases are followed, and there is none. */
  public static final int ALIASES = 4;

  /** How many there are. */
  static final int COUNT = 3;

  private DerivedData() {}
}
