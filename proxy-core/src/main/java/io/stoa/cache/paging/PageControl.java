// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.operation.ResponseSink;
import java.util.List;

/**
 * Ends pages as the directory itself would end them, except for the cookies.
 *
 * <p>slapd returns no estimate. 389 Directory Server returns the number of entries left when the
 * page began, except with the last page. Other servers are treated like slapd.
 *
 * <p>Threading: stateless.
 */
final class PageControl {
  private static final int SUCCESS = 0;
  private static final int UNWILLING_TO_PERFORM = 53;

  private PageControl() {}

  /** Ends a page that is not the last one. */
  static void endPage(ResponseSink sink, byte[] done, int left, byte[] cookie, ServerKind kind) {
    complete(sink, done, kind == ServerKind.DS389 ? left : 0, cookie);
  }

  /** Ends the last page. */
  static void endLastPage(ResponseSink sink, byte[] done) {
    complete(sink, done, 0, PagedResults.NO_COOKIE);
  }

  /** Ends a result that the client abandons with a page size of 0 (RFC 2696, section 3). */
  static void endAbandonedSearch(ResponseSink sink, int left, ServerKind kind) {
    String text =
        switch (kind) {
          case OPENLDAP -> "search abandoned by pagedResult size=0";
          case DS389 -> "Simple Paged Results Search abandoned";
          case OTHER, UNKNOWN -> "";
        };
    EncodedResponse done = LdapResult.encode(OpType.SEARCH_RESULT_DONE, SUCCESS, text);
    if (kind == ServerKind.OPENLDAP) {
      sink.complete(done);
    } else {
      complete(sink, done.op(), kind == ServerKind.DS389 ? left : 0, PagedResults.NO_COOKIE);
    }
  }

  /** Refuses a cookie that is invalid or has expired. */
  static void refuse(ResponseSink sink) {
    sink.complete(
        LdapResult.encode(
            OpType.SEARCH_RESULT_DONE,
            UNWILLING_TO_PERFORM,
            "paged results cookie is invalid or old"));
  }

  private static void complete(ResponseSink sink, byte[] done, int estimate, byte[] cookie) {
    Control control = new PagedResults(estimate, cookie).control(false);
    sink.complete(LdapMessage.of(0, done, List.of(control)));
  }
}
