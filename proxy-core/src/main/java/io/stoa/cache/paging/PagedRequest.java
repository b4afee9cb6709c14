// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search for a page of its result (RFC 2696, section 2).
 *
 * <p>Threading: immutable while the arrays are not modified.
 *
 * @param search the request without its controls
 * @param op the octets of {@code search}
 * @param size maximum number of entries of the page
 * @param cookie position at which the page begins; empty for the first page
 * @param others the controls other than the paging control
 * @param plain true if no other control prevents an answer from memory
 */
record PagedRequest(
    SearchOp search, byte[] op, int size, byte[] cookie, List<Control> others, boolean plain) {
  private static final int BASE = 0;

  /** Controls that do not affect which entries form a page. */
  private static final Set<String> NEUTRAL = Set.of(Oids.MANAGE_DSA_IT, Oids.SESSION_TRACKING);

  /** Returns the request; null if a server would refuse it or could parse it differently. */
  static @Nullable PagedRequest of(Operation operation) {
    Request request = operation.request();
    List<Control> others = new ArrayList<>(request.controls());
    others.removeIf(control -> control.oid().equals(Oids.PAGED));
    boolean once = others.size() == request.controls().size() - 1;
    return once ? of(operation, others, !request.irregular()) : null;
  }

  private static @Nullable PagedRequest of(
      Operation operation, List<Control> others, boolean regular) {
    SearchOp search = (SearchOp) operation.request().op();
    PagedResults value = value(operation.request().controls());
    if (value == null) {
      return null;
    }
    byte[] op = operation.message().copyOp();
    boolean plain = regular && others.stream().allMatch(c -> NEUTRAL.contains(c.oid()));
    return new PagedRequest(search, op, value.size(), value.cookie(), others, plain);
  }

  private static @Nullable PagedResults value(List<Control> controls) {
    try {
      return PagedResults.of(controls);
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** True for a first page that may be answered from memory. */
  boolean isServableFirstPage() {
    return plain && size > 0 && cookie.length == 0 && !isRootDse();
  }

  /** True for a search of the root DSE. Servers differ in whether its answer counts as a page. */
  private boolean isRootDse() {
    return search.base().length == 0 && search.scope() == BASE;
  }

  /**
   * True if the first page holds all entries that the size limit allows. A server should then
   * ignore the control (RFC 2696, section 3).
   */
  boolean isLimitedToOnePage() {
    return search.sizeLimit() > 0 && size >= search.sizeLimit();
  }

  /**
   * True if both request pages of one result. All parts but the cookie and page size must be equal
   * (RFC 2696, section 3).
   */
  boolean continues(PagedRequest earlier) {
    return Arrays.equals(op, earlier.op) && others.equals(earlier.others);
  }

  /** Returns the search for the whole result. */
  LdapMessage whole(int messageId) {
    return LdapMessage.of(messageId, op, others);
  }

  /** Returns the search for the whole result, limited to {@code maxEntries} entries. */
  LdapMessage whole(int messageId, int maxEntries) {
    int limit = search.sizeLimit();
    if (limit > 0 && limit <= maxEntries) {
      return whole(messageId);
    }
    byte[] limited =
        search.rewrite(op, search.base(), search.scope(), maxEntries, search.timeLimit());
    return LdapMessage.of(messageId, limited, others);
  }
}
