// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the target name of a request without decoding the request. Few octets are read, and only a
 * copy of the name is allocated.
 *
 * <p>Threading: stateless.
 */
public final class TargetName {
  private static final int NONE = BerReader.NONE;

  /** The control octet DEL. */
  private static final byte DELETE = 0x7F;

  /** Octets of a request above which its name may be long: 16 KiB. */
  private static final int LARGE = 16 * 1024;

  private TargetName() {}

  /** True for a base search of the entry without a name, the root DSE. */
  public static boolean isRootDse(LdapMessage request) {
    if (request.type() != OpType.SEARCH_REQUEST) {
      return false;
    }
    ByteBuf body = request.body();
    int op = body.readerIndex();
    int end = op + request.opLength();
    int base = BerReader.content(body, op, end);
    int scope = BerReader.indexAfter(body, base, end);
    return scope != NONE
        && isBlank(body, BerReader.content(body, base, end), scope)
        && isBlank(
            body, BerReader.content(body, scope, end), BerReader.indexAfter(body, scope, end));
  }

  /** Returns the scope of a search; negative if it cannot be read. */
  public static int scope(LdapMessage search) {
    ByteBuf body = search.body();
    int op = body.readerIndex();
    int end = op + search.opLength();
    int scope = BerReader.indexAfter(body, BerReader.content(body, op, end), end);
    int content = BerReader.content(body, scope, end);
    return content != NONE && content < end ? body.getByte(content) : NONE;
  }

  /** True for zeros and spaces only, which some servers take for an empty name. */
  private static boolean isBlank(ByteBuf body, int start, int end) {
    for (int index = start; index < end; index++) {
      if (body.getByte(index) != ' ' && body.getByte(index) != 0) {
        return false;
      }
    }
    return end != NONE;
  }

  /**
   * True if the last RDN of the name may have a value that ends with one of these words, in any
   * case. A DN may spell letters in other ways (RFC 4514, section 2.4): for such a name the result
   * is true. False for requests without a name, and for those malformed before the end of the name.
   *
   * @param words ASCII letters in lower case
   */
  public static boolean mayEndWith(LdapMessage request, byte[]... words) {
    ByteBuf body = request.body();
    int end = body.readerIndex() + request.opLength();
    int name = position(request, end);
    int last = BerReader.indexAfter(body, name, end);
    if (last == NONE) {
      return false;
    }
    int content = BerReader.content(body, name, end);
    int lastLetter = lastLetter(body, content, last);
    if (lastLetter > content && isPlainEnding(body.getByte(lastLetter - 1), words)) {
      return false;
    }
    for (byte[] word : words) {
      if (endsWith(body, content, lastLetter, word)) {
        return true;
      }
    }
    return isSpelledOtherwise(body, content, last);
  }

  /**
   * Copies the part of the name that decides whether it is at or below a name of one RDN. This is
   * the whole name, or the last RDN of a large request if that is plain. Returns null for requests
   * without a name.
   */
  public static byte @Nullable [] decidingPart(LdapMessage request) {
    ByteBuf body = request.body();
    int end = body.readerIndex() + request.opLength();
    int name = position(request, end);
    int content = BerReader.content(body, name, end);
    int last = BerReader.indexAfter(body, name, end);
    if (content == NONE || last == NONE) {
      return null;
    }
    int start = body.readableBytes() > LARGE ? lastRdn(body, content, last) : content;
    return ByteBufUtil.getBytes(body, start, last - start);
  }

  /** Returns the start of the last RDN; the start of the name if that RDN has special octets. */
  private static int lastRdn(ByteBuf body, int start, int end) {
    for (int index = end - 1; index > start; index--) {
      byte octet = body.getByte(index);
      if (octet == '\\' || octet == '"') {
        return start;
      }
      if (octet == ',' || octet == ';') {
        return body.getByte(index - 1) == '\\' ? start : index + 1;
      }
    }
    return start;
  }

  private static int position(LdapMessage request, int end) {
    ByteBuf body = request.body();
    int op = body.readerIndex();
    return switch (request.type()) {
      case SEARCH_REQUEST, COMPARE_REQUEST, ADD_REQUEST, MODIFY_REQUEST, MODIFY_DN_REQUEST ->
          BerReader.content(body, op, end);
      case BIND_REQUEST -> BerReader.indexAfter(body, BerReader.content(body, op, end), end);
      case DELETE_REQUEST -> op;
      default -> NONE;
    };
  }

  /**
   * True for a letter that ends none of the words and is no hexadecimal digit. Such a letter is not
   * the end of an escape, so the value ends with it however the letters before it are spelled.
   */
  private static boolean isPlainEnding(byte octet, byte[]... words) {
    int letter = octet | 0x20;
    if (letter <= 'f' || letter > 'z') {
      return false;
    }
    for (byte[] word : words) {
      if (letter == word[word.length - 1]) {
        return false;
      }
    }
    return true;
  }

  /**
   * True if the last RDN has an escape, a quote, a number sign, a control octet or an octet beyond
   * ASCII. Preparation maps control octets to nothing (RFC 4518, section 2.2). Some directories
   * fold octets beyond ASCII to a letter.
   */
  private static boolean isSpelledOtherwise(ByteBuf body, int start, int end) {
    for (int index = end - 1; index >= start; index--) {
      byte octet = body.getByte(index);
      if (octet == '\\' || octet == '"' || octet == '#' || octet < ' ' || octet == DELETE) {
        return true;
      }
      if (octet == ',' || octet == ';') {
        return false;
      }
    }
    return false;
  }

  /** True for spaces, and for tabs and line ends, which some directories take for spaces. */
  private static boolean isSpace(byte octet) {
    return octet == ' ' || (octet >= '\t' && octet <= '\r');
  }

  /** Returns the index after the last octet that is no space. */
  private static int lastLetter(ByteBuf body, int start, int end) {
    int last = end;
    while (last > start && isSpace(body.getByte(last - 1))) {
      last--;
    }
    return last;
  }

  /** Compares from the end, since most names differ in their last letter. */
  private static boolean endsWith(ByteBuf body, int start, int end, byte[] word) {
    int first = end - word.length;
    if (first < start) {
      return false;
    }
    int offset = word.length - 1;
    while (offset >= 0 && (body.getByte(first + offset) | 0x20) == word[offset]) {
      offset--;
    }
    return offset < 0;
  }
}
