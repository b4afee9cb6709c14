// SPDX-License-Identifier: Apache-2.0
package io.stoa.derive;

/**
 * What of an answer may change though none of its entries does. Sets of facets are united by {@code
 * |}. Stateless.
 */
public final class Facet {
  /** No facet at all. */
  public static final int NONE = 0;

  /** Of which groups an entry is a member. */
  public static final int GROUPS = 1;

  /** Names of other entries, which the directory repairs when these are renamed or deleted. */
  public static final int REFERENCES = 2;

  /** All of them. */
  public static final int ALL = GROUPS | REFERENCES;

  /** How many there are. */
  static final int COUNT = 2;

  private Facet() {}
}
