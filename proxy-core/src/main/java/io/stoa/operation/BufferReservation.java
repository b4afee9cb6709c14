// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * What a sink that holds answers back has taken of the room of its client, which is bounded over
 * all operations of the client. Event-loop confined.
 */
public final class BufferReservation {
  private final ClientSession session;
  private int octets;

  /** Takes none. */
  public BufferReservation(ClientSession session) {
    this.session = session;
  }

  /** Takes room for what is to be held; false if the client may have no more held. */
  public boolean reserve(int more) {
    boolean room = session.reserve(more);
    octets += room ? more : 0;
    return room;
  }

  /** How many octets are taken. */
  public int octets() {
    return octets;
  }

  /** Gives all of it back. */
  public void letGo() {
    session.giveBack(octets);
    octets = 0;
  }
}
