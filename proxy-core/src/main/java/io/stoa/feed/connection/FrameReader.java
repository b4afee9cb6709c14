// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the stream from a server into LDAPMessages.
 *
 * <p>Threading: reading thread.
 */
final class FrameReader {
  /** Number of octets of a tag and a short length: 2. A long length has further octets. */
  private static final int SHORT_HEADER = 2;

  private static final int LONG_FORM = 0x80;
  private static final int MAX_LENGTH_OCTETS = 4;

  private final InputStream in;
  private final int maxOctets;

  /**
   * Creates a reader.
   *
   * @param in a buffered stream
   * @param maxOctets the maximum size of a message in bytes; checked before memory is allocated
   */
  FrameReader(InputStream in, int maxOctets) {
    this.in = in;
    this.maxOctets = maxOctets;
  }

  /**
   * Returns the next message; null if the stream ends before it.
   *
   * @throws LdapProtocolException if the message is malformed or too large; the stream cannot be
   *     read further
   */
  @Nullable LdapMessage next() throws IOException, LdapProtocolException {
    int tag = in.read();
    if (tag < 0) {
      return null;
    }
    if (tag != BerReader.SEQUENCE) {
      throw LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
    }
    byte[] header = header();
    long length = length(header);
    if (length > maxOctets - header.length) {
      throw LdapProtocolException.of(ProtocolError.FRAME_TOO_LARGE);
    }
    byte[] frame = Arrays.copyOf(header, header.length + (int) length);
    fill(frame, header.length);
    return LdapMessage.parse(Unpooled.wrappedBuffer(frame));
  }

  private byte[] header() throws IOException, LdapProtocolException {
    byte[] header = {BerReader.SEQUENCE, 0};
    fill(header, 1);
    int octets = header[1] < 0 ? header[1] & ~LONG_FORM & 0xFF : 0;
    if (octets > MAX_LENGTH_OCTETS) {
      throw LdapProtocolException.of(ProtocolError.FRAME_TOO_LARGE);
    }
    byte[] whole = Arrays.copyOf(header, SHORT_HEADER + octets);
    fill(whole, SHORT_HEADER);
    return whole;
  }

  private static int length(byte[] header) throws LdapProtocolException {
    ByteBuf octets = Unpooled.wrappedBuffer(header);
    long length = BerReader.header(octets, 1, header.length);
    if (length < 0) {
      throw LdapProtocolException.of(
          length == BerReader.INDEFINITE
              ? ProtocolError.INDEFINITE_LENGTH
              : ProtocolError.FRAME_TOO_LARGE);
    }
    return BerReader.length(length);
  }

  /** Reads octets into the array, from an index to its end. */
  private void fill(byte[] octets, int from) throws IOException {
    if (in.readNBytes(octets, from, octets.length - from) < octets.length - from) {
      throw new EOFException("connection closed within a message");
    }
  }
}
