// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

/**
 * Somebody who asks. Immutable.
 *
 * @param dn empty for an anonymous client
 */
record Identity(String dn, String password) {
  static final Identity ANONYMOUS = new Identity("", "");
}
