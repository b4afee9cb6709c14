// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.OpType;

/**
 * The name that a request is about, looked at without decoding the request: a few octets are read
 * and nothing is allocated. Stateless.
 */
public final class TargetName {
  private static final int NONE = -1;

  private TargetName() {}

  /** Whether the request is a base search of the entry without a name, the root DSE. */
  public static boolean isRootDse(LdapMessage request) {
    if (request.type() != OpType.SEARCH_REQUEST) {
      return false;
    }
    ByteBuf body = request.body();
    int op = body.readerIndex();
    int end = op + request.opLength();
    int base = content(body, op, end);
    int scope = behind(body, base, end);
    return scope != NONE
        && isBlank(body, content(body, base, end), scope)
        && isBlank(body, content(body, scope, end), behind(body, scope, end));
  }

  /** Whether there are only spaces, which some servers take for no name, or zeros. */
  private static boolean isBlank(ByteBuf body, int start, int end) {
    for (int index = start; index < end; index++) {
      if (body.getByte(index) != ' ' && body.getByte(index) != 0) {
        return false;
      }
    }
    return end != NONE;
  }

  /**
   * Whether the name ends with these letters, in any case, spaces at its end left out. False for
   * requests without a name, and for those that are malformed before the name's end.
   *
   * @param lowerCase ASCII letters in lower case
   */
  public static boolean endsWith(LdapMessage request, byte[] lowerCase) {
    ByteBuf body = request.body();
    int op = body.readerIndex();
    int end = op + request.opLength();
    int name =
        switch (request.type()) {
          case SEARCH_REQUEST, COMPARE_REQUEST, ADD_REQUEST, MODIFY_REQUEST, MODIFY_DN_REQUEST ->
              content(body, op, end);
          case BIND_REQUEST -> behind(body, content(body, op, end), end);
          case DELETE_REQUEST -> op;
          default -> NONE;
        };
    int content = content(body, name, end);
    int last = behind(body, name, end);
    return content != NONE && last != NONE && endsWith(body, content, last, lowerCase);
  }

  private static boolean endsWith(ByteBuf body, int start, int end, byte[] lowerCase) {
    int last = end;
    while (last > start && body.getByte(last - 1) == ' ') {
      last--;
    }
    int first = last - lowerCase.length;
    if (first < start) {
      return false;
    }
    for (int offset = 0; offset < lowerCase.length; offset++) {
      if ((body.getByte(first + offset) | 0x20) != lowerCase[offset]) {
        return false;
      }
    }
    return true;
  }

  /** Index of the content of the element at an index. */
  private static int content(ByteBuf body, int element, int end) {
    if (element < 0 || element >= end) {
      return NONE;
    }
    long header = BerReader.header(body, element + 1, end);
    return header < 0 ? NONE : element + 1 + BerReader.lengthOctets(header);
  }

  /** Index behind the element at an index. */
  private static int behind(ByteBuf body, int element, int end) {
    int content = content(body, element, end);
    if (content == NONE) {
      return NONE;
    }
    int length = BerReader.length(BerReader.header(body, element + 1, end));
    return length > end - content ? NONE : content + length;
  }
}
