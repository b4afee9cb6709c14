// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession.Doubt;
import io.stoa.operation.Credentials;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The client's authorization state (RFC 4513, section 4): its identity and everything that belongs
 * to that identity. All of it ends with the next bind.
 *
 * <p>Threading: event loop.
 */
final class AuthorizationState {
  private final List<Runnable> resets = new ArrayList<>();
  private ClientIdentity identity = ClientIdentity.ANONYMOUS;
  private Restriction restriction = Restriction.NONE;
  private final Set<Doubt> doubts = new HashSet<>(1);

  ClientIdentity identity() {
    return identity;
  }

  Restriction restriction() {
    return doubts.isEmpty() ? restriction : Restriction.EXCLUSIVE;
  }

  /**
   * Returns a new doubt about state on the client's upstream connection. The session is exclusive
   * until the doubt is settled. Settling it after the next bind has no effect.
   */
  Doubt doubt() {
    Doubt doubt =
        new Doubt() {
          @Override
          public void settle(boolean state) {
            if (doubts.remove(this) && state) {
              restrict(Restriction.EXCLUSIVE);
            }
          }
        };
    doubts.add(doubt);
    return doubt;
  }

  /** Raises the restriction. A weaker one is ignored. */
  void restrict(Restriction stronger) {
    if (stronger.compareTo(restriction) > 0) {
      restriction = stronger;
    }
  }

  /** Sets the identity. The state of the former identity must have been reset. */
  void setIdentity(ClientIdentity newIdentity) {
    identity = newIdentity;
  }

  void onReset(Runnable action) {
    resets.add(action);
  }

  /** Makes the client anonymous and ends everything that belonged to the former identity. */
  void reset() {
    release(identity);
    identity = ClientIdentity.ANONYMOUS;
    restriction = Restriction.NONE;
    doubts.clear();
    List<Runnable> actions = List.copyOf(resets);
    resets.clear();
    actions.forEach(Runnable::run);
  }

  /** Zeroes the password of an identity that is no longer used. */
  static void release(ClientIdentity identity) {
    Credentials credentials = identity.credentials();
    if (credentials != null) {
      credentials.release();
    }
  }
}
