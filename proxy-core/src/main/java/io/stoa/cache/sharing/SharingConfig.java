// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;

import java.util.List;

/**
 * The sharing classes and the rate of their verification.
 *
 * <p>Threading: immutable.
 *
 * @param classes declared classes in order of preference; the first that covers identity and
 *     request is used
 * @param oneIn one hit out of this number is verified upstream, on average
 */
public record SharingConfig(List<Declaration> classes, int oneIn) {
  /** No sharing: each identity has its own results. */
  public static final SharingConfig DEFAULTS = new SharingConfig(List.of(), 1000);

  /** Maximum number of classes: 64. A request stores its classes as the bits of one long. */
  private static final int MAX = Long.SIZE;

  public SharingConfig {
    classes = List.copyOf(classes);
    refuse(classes.size() > MAX, "classes", " has more than " + MAX + " classes");
    refuse(
        classes.stream().map(Declaration::name).distinct().count() < classes.size(),
        "classes",
        " has two classes with the same name");
    requireAtLeast("classSampling", oneIn, 1);
  }
}
