// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import java.util.List;
import java.util.function.Predicate;

/**
 * What of one directory's root DSE holds for all that stand behind Stoa. Immutable, if the
 * predicates are.
 *
 * @param reached whether requests for what is below a naming context, as octets of ISO 8859-1, go
 *     to the directory that names it
 * @param otherContexts naming contexts of the other directories, in the same form
 * @param everywhere whether all directories have a control, an extended operation or a feature
 */
public record DirectoryCapabilities(
    Predicate<String> reached, List<String> otherContexts, Predicate<String> everywhere) {
  /** There is only one. */
  public static final DirectoryCapabilities ALONE =
      new DirectoryCapabilities(context -> true, List.of(), oid -> true);
}
