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
 * As whom a client acts, and what it holds as that: all of it ends with the next bind. Event-loop
 * confined.
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

  /** Until it is settled the session is exclusive; after the next bind it says nothing. */
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

  /** A session only moves towards the stronger restriction. */
  void restrict(Restriction stronger) {
    if (stronger.compareTo(restriction) > 0) {
      restriction = stronger;
    }
  }

  /** The client is somebody now; what it was before must have been given up. */
  void become(ClientIdentity somebody) {
    identity = somebody;
  }

  void onReset(Runnable action) {
    resets.add(action);
  }

  /** The client is anonymous again; what belonged to the old identity is given up. */
  void reset() {
    release(identity);
    identity = ClientIdentity.ANONYMOUS;
    restriction = Restriction.NONE;
    doubts.clear();
    List<Runnable> actions = List.copyOf(resets);
    resets.clear();
    actions.forEach(Runnable::run);
  }

  /** Zeroes the password of an identity that nobody acts as any more. */
  static void release(ClientIdentity identity) {
    Credentials credentials = identity.credentials();
    if (credentials != null) {
      credentials.release();
    }
  }
}
