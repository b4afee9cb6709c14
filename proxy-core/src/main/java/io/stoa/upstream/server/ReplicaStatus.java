// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/**
 * Snapshot of one server's replication state.
 *
 * <p>Threading: immutable.
 *
 * @param position position that the server reported; empty if it reports none
 * @param lagMillis lag behind the primary in ms; 0 if no change is missing
 * @param behind true if the server gets no reads because of its lag
 * @param uncovered reads sent here although changes might be missing, since no other server was up
 */
public record ReplicaStatus(String position, long lagMillis, boolean behind, long uncovered) {
  /** Status of a server that has not been observed. */
  public static final ReplicaStatus UNKNOWN = new ReplicaStatus("", 0, false, 0);
}
