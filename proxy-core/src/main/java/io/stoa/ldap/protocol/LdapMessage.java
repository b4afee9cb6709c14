// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;

/**
 * One LDAPMessage (RFC 4511, section 4.1.1). Its envelope is decoded; its body (protocolOp and
 * controls) is opaque. The message owns one reference to the buffer that holds it.
 *
 * <p>Threading: immutable except for that reference, which has one owner at a time.
 */
public final class LdapMessage implements Response {
  private static final int CONTROLS = 0xA0;

  /** Octets up to which a copy costs less than it saves: 4,096. */
  private static final int SMALL = 4 * 1024;

  /** The buffer. The body begins at its readerIndex, which never moves again. */
  private final ByteBuf frame;

  private final int messageId;
  private final OpType type;
  private final int opLength;

  /**
   * The envelope of a message whose body has not arrived yet.
   *
   * <p>Threading: immutable.
   *
   * @param messageId 0 to 2^31-1
   * @param type the protocolOp
   * @param opLength octets of the protocolOp, header included
   * @param bodyLength octets of the protocolOp and the controls, all of them unread
   */
  public record Head(int messageId, OpType type, int opLength, int bodyLength) {
    /** Maximum octets of a head: 22, for any form of its lengths. */
    public static final int MAX_OCTETS = 22;

    /**
     * Decodes the envelope of a message at the readerIndex, and moves the readerIndex to the body.
     * The elements after the protocolOp are not decoded.
     *
     * @param in contains at least {@link #MAX_OCTETS} octets, or the whole message
     * @param frameLength octets of the whole message; most of them may be missing
     */
    public static Head read(ByteBuf in, int frameLength) throws LdapProtocolException {
      int start = in.readerIndex();
      int end = start + frameLength;
      int id = enterLast(in, start, end, BerReader.SEQUENCE);
      long idHeader = header(in, id, end);
      int idContent = id + 1 + BerReader.lengthOctets(idHeader);
      int op = idContent + BerReader.length(idHeader);
      int messageId = LdapMessage.messageId(in, id, idContent, op);
      OpType type = LdapMessage.type(in.getUnsignedByte(op));
      long opHeader = header(in, op, end);
      in.readerIndex(op);
      int opLength = 1 + BerReader.lengthOctets(opHeader) + BerReader.length(opHeader);
      return new Head(messageId, type, opLength, end - op);
    }
  }

  private LdapMessage(ByteBuf frame, int messageId, OpType type, int opLength) {
    this.frame = frame;
    this.messageId = messageId;
    this.type = type;
    this.opLength = opLength;
  }

  private LdapMessage(ByteBuf frame) throws LdapProtocolException {
    this.frame = frame;
    int end = frame.writerIndex();
    int id = enterLast(frame, frame.readerIndex(), end, BerReader.SEQUENCE);
    long idHeader = header(frame, id, end);
    int idContent = id + 1 + BerReader.lengthOctets(idHeader);
    int op = idContent + BerReader.length(idHeader);
    messageId = messageId(frame, id, idContent, op);
    long opHeader = header(frame, op, end);
    type = type(frame.getUnsignedByte(op));
    opLength = 1 + BerReader.lengthOctets(opHeader) + BerReader.length(opHeader);
    frame.setIndex(op, endOfKnown(frame, op + opLength, end));
  }

  /**
   * Returns the index after the last component that RFC 4511 defines: the controls, or the
   * protocolOp if there are none.
   *
   * @param index the index after the protocolOp
   */
  private static int endOfKnown(ByteBuf frame, int index, int end) throws LdapProtocolException {
    if (index == end) {
      return end;
    }
    int known = index;
    if (frame.getUnsignedByte(index) == CONTROLS) {
      long header = header(frame, index, end);
      known = index + 1 + BerReader.lengthOctets(header) + BerReader.length(header);
    }
    if (known < end) {
      checkUnknown(frame.slice(known, end - known));
    }
    return known;
  }

  /**
   * Checks that the elements are well-formed and none is a controls element. A controls element in
   * the wrong place may hold a critical control, which must not be ignored.
   */
  private static void checkUnknown(ByteBuf elements) throws LdapProtocolException {
    BerReader reader = new BerReader(elements, ProtocolError.BAD_ENVELOPE);
    while (reader.hasMore()) {
      if (reader.peekTag() == CONTROLS) {
        throw LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
      }
      reader.skipElement();
    }
  }

  /**
   * Decodes the envelope of a request or response, and checks that it contains one known
   * protocolOp. The contents of the protocolOp and of the controls are not decoded.
   *
   * <p>Further elements with other tags are ignored (RFC 4511, section 4). Such elements are not
   * part of the message, and are not forwarded.
   *
   * @param frame one whole LDAPMessage from readerIndex to writerIndex. Ownership is taken; the
   *     frame is released on failure.
   */
  public static LdapMessage parse(ByteBuf frame) throws LdapProtocolException {
    try {
      return new LdapMessage(frame);
    } catch (LdapProtocolException e) {
      frame.release();
      throw e;
    }
  }

  /**
   * Returns a server's response to a bind. {@code ResponseReader} refuses one that is too large to
   * be collected.
   *
   * @throws IllegalStateException for any other response. The exception closes the connection that
   *     has delivered it, since a connection with an unknown identity must not be reused.
   */
  public static LdapMessage ofBind(Response response) {
    if (response instanceof LdapMessage message) {
      return message;
    }
    throw new IllegalStateException("a response to a bind that was not collected");
  }

  /** Creates a message of Stoa itself. Without controls, the controls element is omitted. */
  public static LdapMessage of(int messageId, byte[] op, List<Control> controls) {
    OpType type = OpType.ofTag(op[0] & 0xff);
    if (type == null) {
      throw new IllegalArgumentException("not a protocolOp");
    }
    ByteBuf body =
        controls.isEmpty()
            ? Unpooled.wrappedBuffer(op)
            : Unpooled.wrappedBuffer(op, Control.encodeAll(controls));
    return new LdapMessage(body, messageId, type, op.length);
  }

  /**
   * Creates a message of Stoa itself with the body of another message.
   *
   * @param body result of {@link #copyBody}
   */
  public static LdapMessage ofBody(int messageId, byte[] body) {
    BerWriter frame = new BerWriter(body.length + Head.MAX_OCTETS);
    int message = frame.begin(BerReader.SEQUENCE);
    frame.integer(BerReader.INTEGER, messageId).raw(body);
    try {
      return parse(Unpooled.wrappedBuffer(frame.end(message).toByteArray()));
    } catch (LdapProtocolException e) {
      throw new IllegalArgumentException("not the body of a message", e);
    }
  }

  /** Returns the messageID: 0 to 2^31-1. */
  public int messageId() {
    return messageId;
  }

  @Override
  public OpType type() {
    return type;
  }

  /**
   * Returns the protocolOp and the controls, from the readerIndex (the tag of the operation) to the
   * writerIndex. The buffer is not retained and may be shared: its indices must not be moved.
   */
  public ByteBuf body() {
    return frame;
  }

  /** Returns the octets of the protocolOp, header included. */
  public int opLength() {
    return opLength;
  }

  /** Returns the octets of the protocolOp and the controls. */
  public int length() {
    return frame.readableBytes();
  }

  /** True if a controls element, perhaps an empty one, follows the protocolOp. */
  public boolean hasControls() {
    return frame.readableBytes() > opLength;
  }

  /**
   * True if there is a control with this OID. The check reads a few octets and allocates nothing.
   */
  public boolean hasControl(byte[] oid) {
    int end = frame.writerIndex();
    int controls = frame.readerIndex() + opLength;
    int control = BerReader.content(frame, controls, end);
    while (control != BerReader.NONE && control < end) {
      if (isOctets(BerReader.content(frame, control, end), end, oid)) {
        return true;
      }
      control = BerReader.indexAfter(frame, control, end);
    }
    return false;
  }

  private boolean isOctets(int element, int end, byte[] octets) {
    int content = BerReader.content(frame, element, end);
    if (content == BerReader.NONE
        || BerReader.indexAfter(frame, element, end) - content != octets.length) {
      return false;
    }
    int index = 0;
    while (index < octets.length && frame.getByte(content + index) == octets[index]) {
      index++;
    }
    return index == octets.length;
  }

  /** Returns a hash of the body. Equal bodies have equal hashes. */
  public int hash() {
    return ByteBufUtil.hashCode(frame);
  }

  public byte[] copyBody() {
    return ByteBufUtil.getBytes(frame);
  }

  public byte[] copyOp() {
    return ByteBufUtil.getBytes(frame, frame.readerIndex(), opLength);
  }

  /**
   * Returns this message with another protocolOp of the same type, and with its own controls. Takes
   * ownership of this message.
   */
  public LdapMessage withOp(byte[] op) {
    int controls = frame.readableBytes() - opLength;
    ByteBuf body = frame.alloc().directBuffer(op.length + controls, op.length + controls);
    body.writeBytes(op).writeBytes(frame, frame.readerIndex() + opLength, controls);
    release();
    return new LdapMessage(body, messageId, type, op.length);
  }

  /**
   * Returns this message in a form that may be kept longer than the octets around it. The body is
   * copied to a buffer of its own, except a large one that takes at least half of its buffer. Takes
   * ownership of this message.
   */
  public LdapMessage detached() {
    ByteBuf whole = frame.unwrap();
    int octets = frame.readableBytes();
    if (whole == null || (octets > SMALL && whole.capacity() / 2 <= octets)) {
      return this;
    }
    ByteBuf copied = frame.alloc().directBuffer(frame.readableBytes(), frame.readableBytes());
    copied.writeBytes(frame, frame.readerIndex(), frame.readableBytes());
    LdapMessage copy = new LdapMessage(copied, messageId, type, opLength);
    if (type == OpType.BIND_REQUEST) {
      wipeAndRelease();
    } else {
      release();
    }
    return copy;
  }

  @Override
  public void release() {
    frame.release();
  }

  /** Returns this message with one more owner. Each owner releases it. */
  public LdapMessage retained() {
    frame.retain();
    return this;
  }

  /**
   * Zeroes the body and releases it. For messages that hold a password: other owners read zeros,
   * too.
   */
  public void wipeAndRelease() {
    frame.setZero(frame.readerIndex(), frame.readableBytes());
    frame.release();
  }

  /** Returns messageID and type. The body is omitted, since it may hold secrets. */
  @Override
  public String toString() {
    return "LdapMessage[" + messageId + " " + type + "]";
  }

  /**
   * Returns the index of the content of an element that must end exactly at the end of the frame.
   */
  private static int enterLast(ByteBuf frame, int index, int end, int tag)
      throws LdapProtocolException {
    long header = header(frame, index, end);
    int content = index + 1 + BerReader.lengthOctets(header);
    if (frame.getUnsignedByte(index) != tag || content + BerReader.length(header) != end) {
      throw LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
    }
    return content;
  }

  /** Returns the header of the element at an index. The whole element is within the frame. */
  private static long header(ByteBuf frame, int index, int end) throws LdapProtocolException {
    long header = BerReader.header(frame, index + 1, end);
    if (header == BerReader.INDEFINITE) {
      throw LdapProtocolException.of(ProtocolError.INDEFINITE_LENGTH);
    }
    if (header < 0
        || BerReader.length(header) > end - (index + 1 + BerReader.lengthOctets(header))) {
      throw LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
    }
    return header;
  }

  private static int messageId(ByteBuf frame, int element, int content, int end)
      throws LdapProtocolException {
    int octets = end - content;
    boolean integer = frame.getByte(element) == BerReader.INTEGER && octets >= 1 && octets <= 4;
    if (!integer || frame.getByte(content) < 0) {
      throw LdapProtocolException.of(ProtocolError.BAD_MESSAGE_ID);
    }
    int id = 0;
    for (int index = content; index < end; index++) {
      id = id << Byte.SIZE | frame.getUnsignedByte(index);
    }
    return id;
  }

  private static OpType type(int tag) throws LdapProtocolException {
    OpType type = OpType.ofTag(tag);
    if (type == null) {
      throw LdapProtocolException.of(ProtocolError.UNKNOWN_OPERATION);
    }
    return type;
  }
}
