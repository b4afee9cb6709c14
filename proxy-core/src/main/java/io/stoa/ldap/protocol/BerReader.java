// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads BER elements one after the other, strictly: definite lengths, each element within its
 * parent, the tag that the caller names. The indices of the buffer never move.
 *
 * <p>Unknown components at the end of a SEQUENCE are skipped, as RFC 4511, section 4, demands, and
 * recorded in {@link #sawUnknownElements()}.
 *
 * <p>Threading: confined to one thread.
 */
public final class BerReader {
  /** Result of {@link #header}: not all length octets have arrived. */
  public static final long INCOMPLETE = -1;

  /**
   * Result of {@link #header}: the indefinite form {@code 80}, which RFC 4511, section 5.1,
   * forbids.
   */
  public static final long INDEFINITE = -2;

  /** Result of {@link #header}: more than four length octets, or a length of 2^31 or more. */
  public static final long OVERSIZED = -3;

  /** Result of {@link #content} and {@link #indexAfter}: there is no such element. */
  public static final int NONE = -1;

  public static final int BOOLEAN = 0x01;
  public static final int INTEGER = 0x02;
  public static final int OCTET_STRING = 0x04;
  public static final int ENUMERATED = 0x0A;
  public static final int SEQUENCE = 0x30;
  public static final int SET = 0x31;

  private static final int HIGH_TAG = 0x1F;
  private static final int MORE_TAG_OCTETS = 0x80;
  private static final byte[] EMPTY = {};

  private final ByteBuf buffer;
  private final LdapProtocolException malformed;
  private int index;
  private int end;
  private boolean unknownElements;

  /**
   * Reads from the buffer's readerIndex to its writerIndex.
   *
   * @param malformed reason of the exception for every error except an indefinite length
   */
  public BerReader(ByteBuf buffer, ProtocolError malformed) {
    this.buffer = buffer;
    this.malformed = LdapProtocolException.of(malformed);
    index = buffer.readerIndex();
    end = buffer.writerIndex();
  }

  public BerReader(byte[] octets, ProtocolError malformed) {
    this(Unpooled.wrappedBuffer(octets), malformed);
  }

  /**
   * Reads the length octets at an index: definite forms of at most four subsequent octets, minimal
   * or not (X.690, section 8.1.3).
   *
   * @param end the index after the last octet that may be read
   * @return one of the three negative constants, or a header for {@link #length} and {@link
   *     #lengthOctets}. A header holds two numbers in one, since every message is decoded with it.
   */
  public static long header(ByteBuf buffer, int index, int end) {
    if (index >= end) {
      return INCOMPLETE;
    }
    int first = buffer.getByte(index);
    return first >= 0 ? 1L << Integer.SIZE | first : longForm(buffer, index, end, first & 0x7F);
  }

  /** Returns the number of content octets; never negative. */
  public static int length(long header) {
    return (int) header;
  }

  /** Returns the number of octets of the length itself: 1 to 5. */
  public static int lengthOctets(long header) {
    return (int) (header >> Integer.SIZE);
  }

  /** Returns the index of the content of the element at an index, or {@link #NONE}. */
  public static int content(ByteBuf buffer, int element, int end) {
    if (element < 0 || element >= end) {
      return NONE;
    }
    long header = header(buffer, element + 1, end);
    return header < 0 ? NONE : element + 1 + lengthOctets(header);
  }

  /**
   * Returns the index after the element at an index, or {@link #NONE} if it exceeds {@code end}.
   */
  public static int indexAfter(ByteBuf buffer, int element, int end) {
    if (element < 0 || element >= end) {
      return NONE;
    }
    long header = header(buffer, element + 1, end);
    int content = element + 1 + lengthOctets(header);
    return header < 0 || length(header) > end - content ? NONE : content + length(header);
  }

  /** True if octets are left in the element entered last. */
  public boolean hasMore() {
    return index < end;
  }

  /** Returns the next tag octet, or -1 at the end of the element entered last. */
  public int peekTag() {
    return index < end ? buffer.getUnsignedByte(index) : -1;
  }

  /** Returns the index in the buffer of the next octet to be read. */
  public int index() {
    return index;
  }

  /** True if a SEQUENCE had more components than its definition. */
  public boolean sawUnknownElements() {
    return unknownElements;
  }

  /**
   * Reads a header and restricts reading to its content until {@link #leave} or {@link #finish}.
   *
   * @return the end of the outer element, for leave or finish
   */
  public int enter(int tag) throws LdapProtocolException {
    int length = contentLength(tag);
    int outerEnd = end;
    end = index + length;
    return outerEnd;
  }

  /** Leaves a SEQUENCE. Unknown components at its end are skipped and recorded. */
  public void leave(int outerEnd) throws LdapProtocolException {
    while (index < end) {
      unknownElements = true;
      skipElement();
    }
    end = outerEnd;
  }

  /** Leaves an element whose content must have been read completely. */
  public void finish(int outerEnd) throws LdapProtocolException {
    expectEnd();
    end = outerEnd;
  }

  /** Throws if content of the element entered last has not been read. */
  public void expectEnd() throws LdapProtocolException {
    if (index != end) {
      throw malformed;
    }
  }

  /** Reads a primitive INTEGER or ENUMERATED of one to four content octets. */
  public int integer(int tag) throws LdapProtocolException {
    int length = contentLength(tag);
    if (length < 1 || length > 4) {
      throw malformed;
    }
    int value = buffer.getByte(index);
    for (int offset = 1; offset < length; offset++) {
      value = value << 8 | buffer.getUnsignedByte(index + offset);
    }
    index += length;
    return value;
  }

  /**
   * Reads a BOOLEAN. Any octet but zero is true, as in BER; RFC 4511 restricts only senders to FF.
   */
  public boolean bool(int tag) throws LdapProtocolException {
    if (contentLength(tag) != 1) {
      throw malformed;
    }
    return buffer.getByte(index++) != 0;
  }

  /** Returns a copy of the content of a primitive element. */
  public byte[] octets(int tag) throws LdapProtocolException {
    return take(contentLength(tag));
  }

  /** Skips an element with opaque content, and returns the length of the content. */
  public int skip(int tag) throws LdapProtocolException {
    int length = contentLength(tag);
    index += length;
    return length;
  }

  /** Skips any well-formed element, including one with a multi-octet tag. */
  public void skipElement() throws LdapProtocolException {
    if ((nextOctet() & HIGH_TAG) == HIGH_TAG) {
      int octet;
      do {
        octet = nextOctet();
      } while ((octet & MORE_TAG_OCTETS) != 0);
    }
    int length = contentLength();
    index += length;
  }

  /** Returns a copy of any well-formed element, header included. */
  public byte[] element() throws LdapProtocolException {
    int start = index;
    skipElement();
    return copySince(start);
  }

  /** Returns a copy of the octets read since {@link #index()} was {@code start}. */
  public byte[] copySince(int start) {
    byte[] copy = new byte[index - start];
    buffer.getBytes(start, copy);
    return copy;
  }

  /** Decodes one element or more. */
  interface Decoder<T> {
    T decode(BerReader reader) throws LdapProtocolException;
  }

  /** Reads elements of one kind up to the end of the element entered last. */
  <T> List<T> listOf(Decoder<T> decoder, int limit) throws LdapProtocolException {
    List<T> list = new ArrayList<>();
    while (hasMore()) {
      if (list.size() == limit) {
        throw LdapProtocolException.of(ProtocolError.TOO_MANY_ELEMENTS);
      }
      list.add(decoder.decode(this));
    }
    return list;
  }

  private static long longForm(ByteBuf buffer, int index, int end, int count) {
    if (count == 0 || count > 4) {
      return count == 0 ? INDEFINITE : OVERSIZED;
    }
    if (end - index <= count) {
      return INCOMPLETE;
    }
    long length = 0;
    for (int offset = 1; offset <= count; offset++) {
      length = length << Byte.SIZE | buffer.getUnsignedByte(index + offset);
    }
    return length > Integer.MAX_VALUE ? OVERSIZED : (count + 1L) << Integer.SIZE | length;
  }

  private int contentLength(int tag) throws LdapProtocolException {
    if (nextOctet() != tag || (tag & HIGH_TAG) == HIGH_TAG) {
      throw malformed;
    }
    return contentLength();
  }

  private int nextOctet() throws LdapProtocolException {
    if (index >= end) {
      throw malformed;
    }
    return buffer.getUnsignedByte(index++);
  }

  /** Reads the length octets. Afterwards that number of octets can be read. */
  private int contentLength() throws LdapProtocolException {
    long header = header(buffer, index, end);
    if (header == INDEFINITE) {
      throw LdapProtocolException.of(ProtocolError.INDEFINITE_LENGTH);
    }
    int content = index + lengthOctets(header);
    if (header < 0 || length(header) > end - content) {
      throw malformed;
    }
    index = content;
    return length(header);
  }

  private byte[] take(int length) {
    if (length == 0) {
      return EMPTY;
    }
    byte[] content = new byte[length];
    buffer.getBytes(index, content);
    index += length;
    return content;
  }
}
