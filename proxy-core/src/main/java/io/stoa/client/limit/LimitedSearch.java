// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies limits to one search before it is processed. A control beyond the limits is refused, or
 * removed if it is not critical (RFC 4511, section 4.1.11).
 *
 * <p>Threading: event loop.
 */
final class LimitedSearch {
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final int UNWILLING_TO_PERFORM = 53;

  private final Operation operation;
  private final SearchLimits limits;
  private final PagedSearches searches;
  private final List<Control> controls;
  private boolean changed;
  private PageCount pages = PageCount.NONE;
  private @Nullable Control sortResult;

  LimitedSearch(Operation operation, SearchLimits limits, PagedSearches searches) {
    this.operation = operation;
    this.limits = limits;
    this.searches = searches;
    this.controls =
        operation.message().hasControls()
            ? new ArrayList<>(operation.request().controls())
            : List.of();
  }

  /** Returns the sink for the response; null if the search has already been answered. */
  @Nullable LimitSink begin() {
    Control sort = SearchControls.find(controls, Oids.SORT_REQUEST);
    Control paged = SearchControls.find(controls, Oids.PAGED);
    boolean accepted = (sort == null || sort(sort)) && (paged == null || page(paged));
    if (!accepted) {
      return null;
    }
    if (changed) {
      byte[] op = operation.message().copyOp();
      operation.replaceRequest(LdapMessage.of(operation.messageId(), op, controls));
    }
    LimitSink sink = new LimitSink(operation, limits.sizeLimit(), pages, sortResult);
    operation.setSink(sink);
    return sink;
  }

  // Sorting

  private boolean sort(Control sort) {
    if (!limits.sorting()) {
      return unsorted(sort, INSUFFICIENT_ACCESS_RIGHTS, "sorting is not allowed for this client");
    }
    boolean many = limits.sortKeys() > 0 && SearchControls.sortKeys(sort) > limits.sortKeys();
    return !many || unsorted(sort, UNWILLING_TO_PERFORM, "Too many sort keys");
  }

  /** Returns true if the search continues unsorted; false if it was refused. */
  private boolean unsorted(Control sort, int code, String message) {
    Control result = SearchControls.sortResult(code);
    if (sort.critical()) {
      byte[] done = LdapResult.encode(OpType.SEARCH_RESULT_DONE, code, message).op();
      operation.sink().complete(LdapMessage.of(operation.messageId(), done, List.of(result)));
      return false;
    }
    sortResult = result;
    leaveOut(Oids.SORT_REQUEST);
    return true;
  }

  private void leaveOut(String oid) {
    controls.removeIf(control -> control.oid().equals(oid));
    changed = true;
  }

  // Pages

  private boolean page(Control paged) {
    PagedResults page = value(paged);
    if (page == null) {
      return refuse(Rejection.PAGING_MALFORMED);
    }
    if (!limits.pagedResults()) {
      return inOnePiece(paged, page);
    }
    return follow(page) && shrink(paged, page);
  }

  private static @Nullable PagedResults value(Control paged) {
    try {
      return PagedResults.of(List.of(paged));
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /**
   * Removes the paging control. Refused if it is critical, or if the client has already received a
   * page: such a search cannot continue.
   */
  private boolean inOnePiece(Control paged, PagedResults page) {
    if (paged.critical() || page.cookie().length > 0) {
      return refuse(Rejection.PAGING_DENIED);
    }
    leaveOut(Oids.PAGED);
    return true;
  }

  private boolean shrink(Control paged, PagedResults page) {
    if (limits.pageSize() > 0 && page.size() > limits.pageSize()) {
      PagedResults smaller = new PagedResults(limits.pageSize(), page.cookie());
      controls.replaceAll(
          one -> one.oid().equals(Oids.PAGED) ? smaller.control(paged.critical()) : one);
      changed = true;
    }
    return true;
  }

  private boolean follow(PagedResults page) {
    if (!limits.followsPages()) {
      return true;
    }
    if (page.cookie().length == 0) {
      boolean room = searches.begin(limits.pagedSearches(), operation.receivedNanos());
      pages = new Counted(0);
      return room || refuse(Rejection.TOO_MANY_PAGED);
    }
    int previousEntries = searches.resume(operation.session(), page.cookie());
    pages = new Counted(previousEntries);
    return previousEntries != PagedSearches.UNKNOWN || refuse(Rejection.COOKIE_LOST);
  }

  private boolean refuse(Rejection reason) {
    operation.sink().reject(reason);
    return false;
  }

  /**
   * A page of a search whose pages are counted together.
   *
   * <p>Threading: event loop.
   */
  private final class Counted implements PageCount {
    private final int previousEntries;

    Counted(int previousEntries) {
      this.previousEntries = previousEntries;
    }

    @Override
    public int entriesBefore() {
      return previousEntries;
    }

    @Override
    public void onEnd(byte[] cookie, int entries) {
      if (cookie.length == 0) {
        searches.end();
      } else {
        searches.pause(operation.session(), cookie, entries, System.nanoTime());
      }
    }
  }
}
