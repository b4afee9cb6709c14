// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import io.stoa.operation.CompletedOperation;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Texts about clients. The text of a client is written once, until its peer or its identity
 * changes.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class ClientTexts {
  /** Clients whose texts are kept: 1,024, a power of two. */
  private static final int SLOTS = 1_024;

  /** Octets up to which a text is kept: 1,024. */
  private static final int MAX_OCTETS = 1_024;

  private final @Nullable Entry[] entries = new @Nullable Entry[SLOTS];
  private final Function<CompletedOperation, byte[]> writer;

  /** The text of a client. Threading: immutable. */
  private record Entry(long client, Peer peer, Octets identity, byte[] text) {
    boolean isFor(CompletedOperation operation) {
      return client == operation.client()
          && peer.equals(operation.peer())
          && identity.equals(operation.identity());
    }
  }

  /** Creates it; {@code writer} may read the client, the peer and the identity only. */
  ClientTexts(Function<CompletedOperation, byte[]> writer) {
    this.writer = writer;
  }

  /** Returns the text of an operation's client, which must not be modified. */
  byte[] of(CompletedOperation operation) {
    int slot = (int) operation.client() & (SLOTS - 1);
    Entry entry = entries[slot];
    if (entry != null && entry.isFor(operation)) {
      return entry.text();
    }
    byte[] text = writer.apply(operation);
    boolean small = text.length <= MAX_OCTETS;
    entries[slot] =
        small ? new Entry(operation.client(), operation.peer(), operation.identity(), text) : null;
    return text;
  }
}
