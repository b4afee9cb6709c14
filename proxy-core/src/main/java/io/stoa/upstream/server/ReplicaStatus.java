// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/**
 * How far one directory server had got at one moment. Immutable.
 *
 * @param position what it has said; empty if it does not tell
 * @param lagMillis since when it lacks what was seen at a primary; 0 if it lacks nothing
 * @param behind whether it gets no reads for that
 * @param uncovered reads that it was given although it may lack what they had to show, since no
 *     other server was there
 */
public record ReplicaStatus(String position, long lagMillis, boolean behind, long uncovered) {
  /** Of a server of which nothing is known. */
  public static final ReplicaStatus UNKNOWN = new ReplicaStatus("", 0, false, 0);
}
