// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * The memory that a sink has reserved for held answers. A limit of the client holds over all its
 * operations.
 *
 * <p>Threading: event loop.
 */
public final class BufferReservation {
  private final ClientSession session;
  private int octets;

  /** Creates an empty reservation. */
  public BufferReservation(ClientSession session) {
    this.session = session;
  }

  /** Reserves octets; false if the client has reached its limit. */
  public boolean reserve(int count) {
    boolean room = session.reserve(count);
    octets += room ? count : 0;
    return room;
  }

  /** Returns the number of reserved octets. */
  public int octets() {
    return octets;
  }

  /** Releases the whole reservation. */
  public void release() {
    session.giveBack(octets);
    octets = 0;
  }
}
