// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations in flight of one session, by messageID.
 *
 * <p>Threading: event loop.
 */
public final class OperationTable {
  private final IntObjectHashMap<Operation> byId = new IntObjectHashMap<>();
  private int longLived;
  private long octets;
  private long longLivedOctets;

  /** Adds an operation; false, without effect, if its messageID is in flight already. */
  public boolean add(Operation operation) {
    if (byId.containsKey(operation.messageId())) {
      return false;
    }
    byId.put(operation.messageId(), operation);
    octets += operation.octets();
    return true;
  }

  /** Removes an operation that has ended. */
  public void remove(int messageId) {
    Operation removed = byId.remove(messageId);
    if (removed != null) {
      octets -= removed.octets();
      longLived -= removed.isLongLived() ? 1 : 0;
      longLivedOctets -= removed.isLongLived() ? removed.octets() : 0;
    }
  }

  /** Returns the operation in flight with a messageID; null if there is none. */
  public @Nullable Operation get(int messageId) {
    return byId.get(messageId);
  }

  /**
   * Marks an operation of this table as one that runs until the client ends it; false, without
   * effect, at the limit.
   */
  public boolean markLongLived(Operation operation, int limit) {
    boolean room = longLived < limit;
    if (room) {
      operation.setLongLived(true);
      longLived++;
      longLivedOctets += operation.octets();
    }
    return room;
  }

  /** Returns the number of operations in flight. */
  public int size() {
    return byId.size();
  }

  /** Returns the octets of the requests in flight, which are kept for retries. */
  public long octets() {
    return octets;
  }

  /** Returns the octets of the requests in flight that end without the client. */
  public long endingOctets() {
    return octets - longLivedOctets;
  }

  /** Returns the number of operations that run until the client ends them. */
  public int longLived() {
    return longLived;
  }

  /**
   * Returns a copy of all operations in flight, waiting ones first. If the caller ended others
   * first, each freed place would send a waiting one.
   */
  public List<Operation> waitingFirst() {
    List<Operation> operations = snapshot();
    operations.sort(Comparator.comparing(operation -> operation.state() != OperationState.WAITING));
    return operations;
  }

  /** Returns a copy of all operations in flight. */
  public List<Operation> snapshot() {
    return new ArrayList<>(byId.values());
  }
}
