// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.operation.ResponseSink;
import java.util.List;

/**
 * How pages end: as the directory itself would end them, cookies apart. Stateless.
 *
 * <p>slapd never estimates; 389 Directory Server tells, except with the last page, how many entries
 * there were when the page began. Others are answered as by slapd.
 */
final class PageControl {
  static final byte[] NO_COOKIE = {};

  private static final int SUCCESS = 0;
  private static final int UNWILLING_TO_PERFORM = 53;

  private PageControl() {}

  /** Ends a page after which there is more. */
  static void more(ResponseSink sink, byte[] done, int left, byte[] cookie, ServerKind kind) {
    complete(sink, done, kind == ServerKind.DS389 ? left : 0, cookie);
  }

  /** Ends the last page. */
  static void last(ResponseSink sink, byte[] done) {
    complete(sink, done, 0, NO_COOKIE);
  }

  /** Ends a result whose rest the client does not want (section 3: a size of 0). */
  static void abandoned(ResponseSink sink, int left, ServerKind kind) {
    String text =
        switch (kind) {
          case OPENLDAP -> "search abandoned by pagedResult size=0";
          case DS389 -> "Simple Paged Results Search abandoned";
          case OTHER, UNKNOWN -> "";
        };
    byte[] done = LdapResult.encode(OpType.SEARCH_RESULT_DONE, SUCCESS, text);
    if (kind == ServerKind.OPENLDAP) {
      sink.complete(done);
    } else {
      complete(sink, done, kind == ServerKind.DS389 ? left : 0, NO_COOKIE);
    }
  }

  /** Refuses a cookie that is not good here, or not any more. */
  static void refuse(ResponseSink sink) {
    sink.complete(
        LdapResult.encode(
            OpType.SEARCH_RESULT_DONE,
            UNWILLING_TO_PERFORM,
            "paged results cookie is invalid or old"));
  }

  private static void complete(ResponseSink sink, byte[] done, int estimate, byte[] cookie) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.INTEGER, estimate).octets(BerReader.OCTET_STRING, cookie);
    byte[] octets = value.end(sequence).toByteArray();
    sink.complete(LdapMessage.of(0, done, List.of(new Control(Oids.PAGED, false, octets))));
  }
}
