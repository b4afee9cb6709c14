// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.cache.result.CacheStage;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Answers searches with the paged results control (RFC 2696) from memory where possible.
 *
 * <p>A server's own cookie is valid on one connection only, which then serves one client alone. A
 * result that may be stored whole needs no such cookie. {@link FirstPage} looks it up in memory, or
 * reads it, and sends the first page. This class keeps the rest in a {@link Cursor} and sends the
 * further pages. So clients that send the control with each search (Net::LDAP of Ruby) share
 * results and connections like others.
 *
 * <p>Threading: event-loop confined.
 */
public final class PageStage implements Stage {
  private static final byte[] PAGED = Oids.PAGED.getBytes(StandardCharsets.US_ASCII);

  private final Cursors cursors;
  private final PageContext context;
  private final CacheStage next;

  /**
   * Creates the stage before {@code next}.
   *
   * @param context configuration and state that all event loops share
   */
  public PageStage(PageContext context, CacheStage next) {
    this.cursors = new Cursors(context.config().maxOctets());
    this.context = context;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    boolean paged =
        operation.type() == OpType.SEARCH_REQUEST && operation.message().hasControl(PAGED);
    PagedRequest request = paged ? PagedRequest.of(operation) : null;
    if (request == null) {
      next.handle(operation);
    } else if (Cursors.isOwn(request.cookie())) {
      answerNextPage(operation, request);
    } else if (request.isServableFirstPage() && canCut(operation)) {
      new FirstPage(this, operation, request).begin();
    } else {
      next.handle(operation);
    }
  }

  /**
   * For explanations: returns the searches that {@link FirstPage} would look up, in order. The last
   * one is sent upstream if none is a hit. A search whose pages are cut here is looked up as a
   * whole.
   */
  public static List<LdapMessage> lookupMessages(Operation search, PageContext context) {
    boolean paged = context.mayCut() && search.message().hasControl(PAGED);
    PagedRequest request = paged ? PagedRequest.of(search) : null;
    if (request == null || !request.isServableFirstPage()) {
      return List.of(search.message().retained());
    }
    int id = search.messageId();
    boolean unfit = context.oversized().contains(search.session(), request, search.receivedNanos());
    LdapMessage asked =
        unfit ? search.message().retained() : request.whole(id, context.config().maxEntries());
    return List.of(request.whole(id), asked);
  }

  private boolean canCut(Operation operation) {
    return context.mayCut() && operation.session().restriction() != Restriction.EXCLUSIVE;
  }

  /**
   * Answers a further page. Stoa's cookies are never forwarded: a server could mistake them for its
   * own.
   */
  private void answerNextPage(Operation operation, PagedRequest request) {
    Cursor cursor = cursors.take(operation.session(), request.cookie());
    if (cursor == null || request.size() < 0 || !request.continues(cursor.request())) {
      PageControl.refuse(operation.sink());
    } else if (request.size() == 0) {
      PageControl.endAbandonedSearch(operation.sink(), cursor.left(), kind());
    } else if (!sendPage(operation, cursor, request)) {
      PageControl.refuse(operation.sink());
    }
  }

  /** Sends the next page. Returns false and sends nothing if there is no room for the rest. */
  boolean sendPage(Operation operation, Cursor cursor, PagedRequest request) {
    List<EncodedResponse> page = cursor.take(request.size());
    byte[] cookie = cursor.isAtEnd() ? PagedResults.NO_COOKIE : cursors.begin(cursor);
    if (cookie == null) {
      return false;
    }
    page.forEach(operation.sink()::respond);
    if (cookie.length == 0) {
      PageControl.endLastPage(operation.sink(), cursor.done());
    } else {
      PageControl.endPage(operation.sink(), cursor.done(), cursor.left(), cookie, kind());
    }
    return true;
  }

  /** Forwards a request unchanged. */
  void forward(Operation operation) {
    next.handle(operation);
  }

  CacheStage cache() {
    return next;
  }

  OversizedSearches oversized() {
    return context.oversized();
  }

  int maxEntries() {
    return context.config().maxEntries();
  }

  ServerKind kind() {
    return context.profile().get().kind();
  }
}
