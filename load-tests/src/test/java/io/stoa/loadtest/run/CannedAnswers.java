// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.BerWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Right answers to every request of the experiments, computed from the request alone. The result is
 * success or compareTrue. A search gets as many entries as {@link Directory} would return, with the
 * requested name and values.
 *
 * <p>Threading: stateless.
 */
final class CannedAnswers {
  private static final int SEARCH = 0x63;
  private static final int COMPARE = 0x6E;
  private static final int UNBIND = 0x42;
  private static final int ABANDON = 0x50;
  private static final int DELETE = 0x4A;
  private static final int COMPARE_TRUE = 6;
  private static final int EQUALITY = 0xA3;
  private static final int SUBSTRINGS = 0xA4;
  private static final byte[] COMMA = {','};
  private static final byte[] EQUALS = {'='};
  private static final byte[] UID = octets("uid");
  private static final byte[] UNKNOWN = octets("user");
  private static final byte[] DEPARTMENT = octets("departmentNumber");
  private static final byte[] SET = octets("employeeType");

  private CannedAnswers() {}

  /**
   * Writes the answer to a request.
   *
   * @param id messageID with its tag and length
   * @param in request from its protocolOp on; its reader index need not end at the end of the
   *     request
   */
  static void answer(ByteBuf out, byte[] id, ByteBuf in) {
    int tag = in.readUnsignedByte();
    if (tag == UNBIND || tag == ABANDON) {
      return;
    }
    if (tag == SEARCH) {
      length(in);
      entries(out, id, in);
    }
    int response = tag == DELETE ? 0x6B : tag == SEARCH ? 0x65 : tag + 1;
    message(out, id, result(response, tag == COMPARE ? COMPARE_TRUE : 0));
  }

  private static void entries(ByteBuf out, byte[] id, ByteBuf in) {
    byte[] base = value(in);
    boolean one = value(in)[0] == 0;
    for (int skipped = 0; skipped < 4; skipped++) {
      value(in);
    }
    int filter = in.readUnsignedByte();
    int length = length(in);
    int afterFilter = in.readerIndex() + length;
    byte[] type = filter == EQUALITY || filter == SUBSTRINGS ? value(in) : UID;
    byte[] asserted = filter == EQUALITY ? value(in) : UNKNOWN;
    in.readerIndex(afterFilter);
    in.readUnsignedByte();
    int attributes = length(in);
    byte[] list = new byte[attributes];
    in.readBytes(list);
    int count = one ? 1 : count(filter, type);
    byte[] dn = one ? base : join(count > 1 ? UID : type, EQUALS, asserted, COMMA, base);
    byte[] entry = entry(dn, list, asserted);
    for (int i = 0; i < count; i++) {
      message(out, id, entry);
    }
  }

  private static int count(int filter, byte[] type) {
    if (Arrays.equals(type, SET)) {
      return Directory.SET;
    }
    return filter == SUBSTRINGS || Arrays.equals(type, DEPARTMENT) ? Directory.DEPARTMENT : 1;
  }

  /** Encodes an entry. Each requested attribute has the asserted value. */
  private static byte[] entry(byte[] dn, byte[] asked, byte[] asserted) {
    BerWriter out = new BerWriter();
    int op = out.begin(0x64);
    out.octets(0x04, dn);
    int list = out.begin(0x30);
    for (int at = 0; at < asked.length; at += 2 + asked[at + 1]) {
      int attribute = out.begin(0x30);
      out.octets(0x04, Arrays.copyOfRange(asked, at + 2, at + 2 + asked[at + 1]));
      int values = out.begin(0x31);
      out.octets(0x04, asserted).end(values).end(attribute);
    }
    out.end(list).end(op);
    return out.toByteArray();
  }

  private static byte[] result(int tag, int code) {
    BerWriter out = new BerWriter();
    int op = out.begin(tag);
    out.integer(0x0A, code).octets(0x04, new byte[0]).octets(0x04, new byte[0]).end(op);
    return out.toByteArray();
  }

  private static void message(ByteBuf out, byte[] id, byte[] op) {
    BerWriter.writeHeader(out, 0x30, id.length + op.length);
    out.writeBytes(id).writeBytes(op);
  }

  /** Reads the octets of an element with any tag. */
  private static byte[] value(ByteBuf in) {
    in.readByte();
    byte[] octets = new byte[length(in)];
    in.readBytes(octets);
    return octets;
  }

  private static int length(ByteBuf in) {
    int first = in.readUnsignedByte();
    int length = first < 0x80 ? first : 0;
    for (int more = first < 0x80 ? 0 : first & 0x7F; more > 0; more--) {
      length = length << 8 | in.readUnsignedByte();
    }
    return length;
  }

  private static byte[] join(byte[]... parts) {
    BerWriter out = new BerWriter();
    for (byte[] part : parts) {
      out.raw(part);
    }
    return out.toByteArray();
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
