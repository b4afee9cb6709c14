// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import org.jspecify.annotations.Nullable;

/**
 * Of which clients somebody wants to be told: to tell of thousands takes long. Immutable.
 *
 * @param nobody whether none is wanted, and no other part means anything
 * @param number the one that is wanted, beside any other as an example; null if all are
 */
public record ClientChoice(boolean nobody, @Nullable Long number) {
  /** None of them. */
  public static final ClientChoice NOBODY = new ClientChoice(true, null);

  /** All of them. */
  public static final ClientChoice ALL = new ClientChoice(false, null);

  /** Any of them: how it is told of a client, and not of which. */
  public static final ClientChoice EXAMPLE = one(-1);

  /** The one of that number, and an example, in case there is none. */
  public static ClientChoice one(long number) {
    return new ClientChoice(false, number);
  }

  /** Whether it is about all of them. */
  public boolean all() {
    return !nobody && number == null;
  }

  /** Both: all of them if these are two. */
  public ClientChoice and(ClientChoice other) {
    if (equals(other) || other.nobody || other.equals(EXAMPLE)) {
      return nobody ? other : this;
    }
    return nobody || equals(EXAMPLE) ? other : ALL;
  }
}
