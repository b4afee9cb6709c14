// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations in flight of one session, by messageID. Event-loop confined. */
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
      longLived -= removed.longLived() ? 1 : 0;
      longLivedOctets -= removed.longLived() ? removed.octets() : 0;
    }
  }

  /** The operation in flight under a messageID, or null. */
  public @Nullable Operation get(int messageId) {
    return byId.get(messageId);
  }

  /**
   * Marks an operation of this table as one that goes on until the client ends it; false, without
   * effect, if there are as many of them as may be.
   */
  public boolean markLongLived(Operation operation, int most) {
    boolean room = longLived < most;
    if (room) {
      operation.longLived(true);
      longLived++;
      longLivedOctets += operation.octets();
    }
    return room;
  }

  /** Operations in flight. */
  public int size() {
    return byId.size();
  }

  /** Octets of the requests in flight: they are kept, so that they can be sent again. */
  public long octets() {
    return octets;
  }

  /** Octets of the requests in flight that end without the client. */
  public long endingOctets() {
    return octets - longLivedOctets;
  }

  /** Operations in flight that go on until the client ends them. */
  public int longLived() {
    return longLived;
  }

  /**
   * All operations in flight now, as a copy, those that wait for a place first: each place that
   * becomes free would send one of them.
   */
  public List<Operation> waitingFirst() {
    List<Operation> all = snapshot();
    all.sort(Comparator.comparing(operation -> operation.state() != OperationState.WAITING));
    return all;
  }

  /** All operations in flight now, as a copy. */
  public List<Operation> snapshot() {
    return new ArrayList<>(byId.values());
  }
}
