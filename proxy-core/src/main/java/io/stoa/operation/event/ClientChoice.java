// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import org.jspecify.annotations.Nullable;

/**
 * A selection of clients for a status report. Reports on thousands of clients take long.
 *
 * <p>Threading: immutable.
 *
 * @param none true if no client is selected; then no other component counts
 * @param number number of the selected client, or any other as an example; null for all clients
 */
public record ClientChoice(boolean none, @Nullable Long number) {
  /** Selects no client. */
  public static final ClientChoice NONE = new ClientChoice(true, null);

  /** Selects all clients. */
  public static final ClientChoice ALL = new ClientChoice(false, null);

  /** Selects any one client: the caller needs the form of a report, and not a certain client. */
  public static final ClientChoice EXAMPLE = one(-1);

  /** Selects the client of a number, and an example in case it does not exist. */
  public static ClientChoice one(long number) {
    return new ClientChoice(false, number);
  }

  /** Returns the union; all clients for two different numbers. */
  public ClientChoice and(ClientChoice other) {
    if (equals(other) || other.none || other.equals(EXAMPLE)) {
      return none ? other : this;
    }
    return none || equals(EXAMPLE) ? other : ALL;
  }
}
