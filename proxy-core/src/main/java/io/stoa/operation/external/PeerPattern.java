// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.net.peer.Peer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which clients a rule is about, by what their connections prove of them. Immutable. */
sealed interface PeerPattern permits SubjectPattern, SocketPattern {
  /** The names of the values that it takes from a client. */
  Set<String> names();

  /** These values; null if it is another client. */
  @Nullable Map<String, String> match(Peer peer);
}
