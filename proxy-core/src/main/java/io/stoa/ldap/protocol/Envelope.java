// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writes LDAPMessages around a body (protocolOp and controls) that stays unchanged. Lengths and the
 * messageID take the fewest octets. A messageID of 0x00800000 or more takes four.
 *
 * <p>Threading: stateless.
 */
public final class Envelope {
  private static final int CONTROLS = 0xA0;

  private Envelope() {}

  /**
   * Writes a message with a copy of the body, from its readerIndex to its writerIndex. The indices
   * of the body do not move.
   */
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

  /** Writes the octets before the body. The caller sends the body itself. */
  public static void writeHeader(ByteBuf out, int messageId, int bodyLength) {
    int idOctets = BerWriter.integerSize(messageId);
    out.writeByte(BerReader.SEQUENCE);
    BerWriter.writeLength(out, 2 + idOctets + bodyLength);
    out.writeShort(BerReader.INTEGER << 8 | idOctets);
    BerWriter.writeNumber(out, messageId, idOctets);
  }

  /**
   * Returns the body of a message with one control appended. The octets of the original body are
   * neither copied nor moved, since they may hold a password.
   *
   * @param opLength octets of the protocolOp, header included
   * @return a buffer that the caller releases; valid only as long as {@code body} is
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

  /** Returns the index at which the first control of the message is, or would be. */
  private static int ownControls(ByteBuf body, int element) {
    int end = body.writerIndex();
    return element == end
        ? end
        : element + 1 + BerReader.lengthOctets(BerReader.header(body, element + 1, end));
  }

  /** Returns the octets of the whole message. */
  static int size(int messageId, int bodyLength) {
    int content = 2 + BerWriter.integerSize(messageId) + bodyLength;
    return 1 + BerWriter.lengthSize(content) + content;
  }
}
