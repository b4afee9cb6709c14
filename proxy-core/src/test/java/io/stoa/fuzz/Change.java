// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/**
 * A modification that a set-up offers to the generator. Immutable.
 *
 * @param dn entry that is modified
 * @param attribute its attribute
 * @param values one of them is added, deleted or set
 */
record Change(String dn, String attribute, List<String> values) {
  Change in(String suffix) {
    return new Change(
        dn.replace("SUFFIX", suffix),
        attribute,
        values.stream().map(value -> value.replace("SUFFIX", suffix)).toList());
  }
}
