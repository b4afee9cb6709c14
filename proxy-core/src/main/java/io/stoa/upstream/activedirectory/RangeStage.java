// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts attributes together that Active Directory returns in ranges: a client that asks for {@code
 * member} of a large group gets {@code member;range=0-1499}, and many then take it for empty. It
 * stands behind the cache, so that the whole is cached. Event-loop confined.
 */
public final class RangeStage implements Stage {
  private final Stage next;
  private long octetsLeft;

  /**
   * Makes the link before {@code next}.
   *
   * @param octets how much may be held of what is put together, beyond what each client may have
   *     held anyway
   */
  public RangeStage(Stage next, long octets) {
    this.next = next;
    this.octetsLeft = octets;
  }

  /** Takes octets of those that are left; false if there are not so many. */
  boolean reserve(int octets) {
    boolean room = octets <= octetsLeft;
    octetsLeft -= room ? octets : 0;
    return room;
  }

  /** Gives octets back. */
  void giveBack(long octets) {
    octetsLeft += octets;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (operation.request().op() instanceof SearchOp search && !mayMindRanges(search)) {
      operation.sink(new RangeSink(this, operation));
    }
    next.handle(operation);
  }

  /** Whether the client asks for a range itself, or for no values. */
  private static boolean mayMindRanges(SearchOp search) {
    return search.typesOnly()
        || search.attributes().stream().anyMatch(name -> RangeDescription.parse(name) != null);
  }

  /** Reads an entry as the client that an operation belongs to. */
  Operation read(
      Operation client, byte[] dn, List<String> attributes, Consumer<byte @Nullable []> outcome) {
    Operation read = InternalSearch.read(client, dn, attributes, outcome);
    read.oneServer();
    return read;
  }

  /** Sends such a read on its way. */
  void send(Operation read) {
    try {
      next.handle(read);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }
}
