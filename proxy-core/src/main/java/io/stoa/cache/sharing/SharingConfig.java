// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import java.util.List;

/**
 * Which identities share what is stored, and how often it is checked that they may. Immutable.
 *
 * @param classes the first that an identity belongs to, and that a request lies in, is taken
 * @param oneIn one of so many hits is asked again upstream, on average
 */
public record SharingConfig(List<Declaration> classes, int oneIn) {
  /** Each identity has what is stored for it to itself. */
  public static final SharingConfig DEFAULTS = new SharingConfig(List.of(), 1000);

  /** A request notes in one word which classes it lies in. */
  private static final int MOST = Long.SIZE;

  public SharingConfig {
    classes = List.copyOf(classes);
    if (classes.size() > MOST) {
      throw new IllegalArgumentException("classes are more than " + MOST);
    }
    if (classes.stream().map(Declaration::name).distinct().count() < classes.size()) {
      throw new IllegalArgumentException("classes have the same name");
    }
    if (oneIn < 1) {
      throw new IllegalArgumentException("classSampling " + oneIn + " is below 1");
    }
  }
}
