// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes attributes that Active Directory returns in ranges. A client that reads {@code member}
 * of a large group gets {@code member;range=0-1499}, which many clients take for an empty group.
 * The stage stands behind the cache, so that complete entries are cached.
 *
 * <p>Threading: event loop.
 */
public final class RangeStage implements Stage {
  private final Stage next;
  private long octetsLeft;

  /**
   * Creates the stage before {@code next}.
   *
   * @param octetsLeft buffer for held results, in addition to each client's own budget
   */
  public RangeStage(Stage next, long octetsLeft) {
    this.next = next;
    this.octetsLeft = octetsLeft;
  }

  /** Reserves octets; returns false if there are not enough. */
  boolean reserve(int octets) {
    boolean room = octets <= octetsLeft;
    octetsLeft -= room ? octets : 0;
    return room;
  }

  /** Releases reserved octets. */
  void giveBack(long octets) {
    octetsLeft += octets;
  }

  @Override
  public void handle(Operation operation) {
    if (operation.request().op() instanceof SearchOp search && !handlesRanges(search)) {
      operation.setSink(new RangeSink(this, operation));
    }
    next.handle(operation);
  }

  /** True if the client requests a range itself, or requests no values. */
  private static boolean handlesRanges(SearchOp search) {
    return search.typesOnly()
        || search.attributes().stream().anyMatch(name -> RangeDescription.parse(name) != null);
  }

  /** Creates a read of an entry as the client of an operation, all from one server. */
  Operation read(
      Operation client, byte[] dn, List<String> attributes, Consumer<byte @Nullable []> outcome) {
    Operation read = InternalSearch.read(client, dn, attributes, outcome);
    read.requireOneServer();
    return read;
  }

  /** Sends such a read to the next stage. */
  void send(Operation read) {
    next.handle(read);
  }
}
