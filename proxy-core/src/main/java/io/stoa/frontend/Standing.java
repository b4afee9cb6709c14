// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Credentials;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.List;

/**
 * As whom a client acts, and what it holds as that: all of it ends with the next bind. Event-loop
 * confined.
 */
final class Standing {
  private final List<Runnable> resets = new ArrayList<>();
  private ClientIdentity identity = ClientIdentity.ANONYMOUS;
  private Restriction restriction = Restriction.NONE;

  ClientIdentity identity() {
    return identity;
  }

  Restriction restriction() {
    return restriction;
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
