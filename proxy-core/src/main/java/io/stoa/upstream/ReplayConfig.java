// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

/**
 * What is sent again, and to which server. Immutable.
 *
 * @param bindAffinity whether simple binds of one name go to one server while it is up
 */
public record ReplayConfig(boolean bindAffinity) {
  /** Binds of one name go to one server. */
  public static final ReplayConfig DEFAULTS = new ReplayConfig(true);
}
