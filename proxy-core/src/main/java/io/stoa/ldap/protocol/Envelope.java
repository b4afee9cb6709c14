// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writes LDAPMessages around a body (protocolOp and controls) that stays as it is. Lengths and the
 * messageID take the fewest octets; ids from 0x01000000 on always take four.
 *
 * <p>Immutable (no state).
 */
public final class Envelope {
  private static final int CONTROLS = 0xA0;

  private Envelope() {}

  /** Copies the body from its readerIndex to its writerIndex, and moves neither. */
  public static void write(ByteBuf out, int messageId, ByteBuf body) {
    int length = body.readableBytes();
    out.ensureWritable(size(messageId, length));
    writeHeader(out, messageId, length);
    out.writeBytes(body, body.readerIndex(), length);
  }

  public static void write(ByteBuf out, int messageId, byte[] op) {
    out.ensureWritable(size(messageId, op.length));
    writeHeader(out, messageId, op.length);
    out.writeBytes(op);
  }

  /** Writes all that precedes the body, which the caller then sends as it is. */
  public static void writeHeader(ByteBuf out, int messageId, int bodyLength) {
    int idOctets = BerWriter.integerSize(messageId);
    out.writeByte(BerReader.SEQUENCE);
    BerWriter.writeLength(out, 2 + idOctets + bodyLength);
    out.writeShort(BerReader.INTEGER << 8 | idOctets);
    BerWriter.writeNumber(out, messageId, idOctets);
  }

  /**
   * The body of a message with one more control behind those that it has. Its own octets stay as
   * and where they are: it may hold a password.
   *
   * @param opLength octets of the protocolOp, header included
   * @return to be released by the caller; valid as long as the body is
   */
  public static ByteBuf bodyWith(ByteBuf body, int opLength, Control control) {
    byte[] added = control.encode();
    int start = body.readerIndex();
    int own = ownControls(body, start + opLength);
    int ownLength = body.writerIndex() - own;
    ByteBuf header = Unpooled.buffer(8).writeByte(CONTROLS);
    BerWriter.writeLength(header, ownLength + added.length);
    return Unpooled.wrappedBuffer(
        body.retainedSlice(start, opLength),
        header,
        body.retainedSlice(own, ownLength),
        Unpooled.wrappedBuffer(added));
  }

  /** Where the first of the message's own controls is, or would be. */
  private static int ownControls(ByteBuf body, int element) {
    int end = body.writerIndex();
    return element == end
        ? end
        : element + 1 + BerReader.lengthOctets(BerReader.header(body, element + 1, end));
  }

  /** Octets of the whole message. */
  static int size(int messageId, int bodyLength) {
    int content = 2 + BerWriter.integerSize(messageId) + bodyLength;
    return 1 + BerWriter.lengthSize(content) + content;
  }
}
