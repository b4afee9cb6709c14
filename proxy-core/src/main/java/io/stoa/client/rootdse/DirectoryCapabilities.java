// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import java.util.List;
import java.util.function.Predicate;

/**
 * The part of one directory's root DSE that holds for all directories behind Stoa.
 *
 * <p>Threading: immutable, if the predicates are.
 *
 * @param reached true if requests below a naming context, in ISO 8859-1, go to the directory that
 *     announces it
 * @param otherContexts naming contexts of the other directories, in ISO 8859-1
 * @param everywhere true if all directories support a control, an extended operation or a feature,
 *     by OID
 */
public record DirectoryCapabilities(
    Predicate<String> reached, List<String> otherContexts, Predicate<String> everywhere) {
  /** Capabilities of the only directory. */
  public static final DirectoryCapabilities ALONE =
      new DirectoryCapabilities(context -> true, List.of(), oid -> true);
}
