// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.net.peer.Peer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Matches clients by the properties that their connections prove.
 *
 * <p>Threading: immutable.
 */
sealed interface PeerPattern permits SubjectPattern, SocketPattern {
  /** Returns the names of the values that it takes from a client. */
  Set<String> names();

  /** Returns the values of a matching client; null if it does not match. */
  @Nullable Map<String, String> match(Peer peer);
}
