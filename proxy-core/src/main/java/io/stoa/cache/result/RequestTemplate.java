// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.ldap.filter.QueryTemplate;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.Interner;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.RequestShape;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.KeyWriter;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * All search or compare requests of one shape, decoded for the caches. The first request of a shape
 * is decoded and normalized; a later one only has its values folded.
 *
 * <p>Octets: 88 with its digest, and those of its parts that no other template has. One is kept for
 * each shape, not for each request.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Requests of one shape differ in values, messageID and encoding of lengths only.
 *   <li>A key has as many values as its request, each folded.
 *   <li>Equal queries, forms and attribute lists of one generation are one object each.
 * </ol>
 *
 * <p>Threading: immutable, except for the uses and the digest.
 *
 * @param verdict CACHE, or the reason for a bypass
 * @param query the normalized request without limits and values; {@link NormalQuery#NONE} for a
 *     bypass
 * @param accepted limits by which a request of the shape was decoded, if its requests are regular
 *     and have no controls; else null
 * @param values the values of the request; null if the template is that of one request, whose
 *     values are part of {@code query}
 * @param form key of all parts of the request that may change how the directory returns an entry,
 *     except the attribute list; empty for a compare; null if any value may
 * @param selection the attribute list; null for a compare
 * @param sizeLimit the size limit; 0 for none
 * @param typesOnly true if attributes are returned without values
 * @param covered bit set of the sharing classes that cover the request
 * @param shape the shape; null if the template is that of one request
 * @param uses the stored results with the template; null if it has no shape
 * @param digest leads to the digest of its searches; null if it has no shape, or for a compare
 */
record RequestTemplate(
    Verdict verdict,
    NormalQuery query,
    @Nullable DecodeLimits accepted,
    @Nullable QueryTemplate values,
    @Nullable Octets form,
    @Nullable AttributeSelection selection,
    int sizeLimit,
    boolean typesOnly,
    long covered,
    @Nullable RequestShape shape,
    @Nullable Uses uses,
    @Nullable TemplateDigest digest) {

  /** Maximum octets of a shared part: 4,096. Attribute lists of 50 names are smaller. */
  static final int MAX_SHARED = 4096;

  /** Maximum number of shared parts: 1,024. They stay besides the bounds of the caches. */
  static final int SHARED = 1024;

  /** Estimated octets of a template and of its place in the table. */
  private static final int OVERHEAD = 400;

  /** The values of a request without any. */
  static final byte[] NO_VALUES = {};

  /** Decision whether a request may use the caches. */
  enum Verdict {
    /** The request may use the caches. */
    CACHE(Reason.STORED),
    /** A control changes the answer, or its effect is unknown. */
    CONTROL(Reason.CONTROL),
    /** The scope is not one of RFC 4511. */
    SCOPE(Reason.SCOPE),
    /** The request names attributes whose values change without a write. */
    VOLATILE(Reason.VOLATILE),
    /** The filter names an excluded attribute. */
    EXCLUDED_ATTRIBUTE(Reason.EXCLUDED_ATTRIBUTE),
    /** The search can reach an excluded subtree. */
    EXCLUDED_SUBTREE(Reason.EXCLUDED_SUBTREE),
    /** The filter names a secret attribute. Neither the answer nor the request is stored. */
    SECRET(Reason.SECRET);

    private final Reason reason;

    Verdict(Reason reason) {
      this.reason = reason;
    }

    /** Returns the reason for the bypass. */
    Reason reason() {
      return reason;
    }
  }

  /** Number of stored results with one template. Threading: thread-safe. */
  static final class Uses {
    private int results;

    private synchronized boolean add() {
      results++;
      return results == 1;
    }

    private synchronized boolean remove() {
      results--;
      return results == 0;
    }
  }

  static RequestTemplate bypass(Verdict verdict) {
    return new RequestTemplate(
        verdict, NormalQuery.NONE, null, null, Octets.EMPTY, null, 0, false, 0, null, null, null);
  }

  /**
   * Returns a copy for the table of templates. Equal parts are shared: applications use few
   * attribute lists, forms and queries, each in many requests.
   *
   * @param request any request of the shape
   * @param limits the limits by which it was decoded; null if unknown
   */
  RequestTemplate interned(
      Interner interner,
      RequestShape requestShape,
      Request request,
      @Nullable DecodeLimits limits) {
    boolean plain = request.controls().isEmpty() && !request.irregular();
    return new RequestTemplate(
        verdict,
        interner.intern(query, query.size()),
        plain ? limits : null,
        values,
        form == null ? null : interner.intern(form, form.length()),
        selection == null ? null : interner.intern(selection, selection.size()),
        sizeLimit,
        typesOnly,
        covered,
        requestShape,
        new Uses(),
        request.op() instanceof SearchOp ? new TemplateDigest() : null);
  }

  /** True if several results may have it. */
  boolean isShared() {
    return shape != null;
  }

  /** Adds a result with this template. The first one counts its octets, if it is shared. */
  void addResult(LongAdder octets) {
    Uses shared = uses;
    if (shared != null && shared.add()) {
      octets.add(size());
    }
  }

  /** Removes a result with this template. The last one returns its octets, if it is shared. */
  void removeResult(LongAdder octets) {
    Uses shared = uses;
    if (shared != null && shared.remove()) {
      octets.add(-size());
    }
  }

  /**
   * Returns the estimated memory in octets of a form that belongs to one result; 0 if the template
   * has the form.
   *
   * @param folded the folded values of the request
   */
  int formSize(byte[] folded) {
    boolean own = form == null && selection != null && query.values() > 0;
    return own ? ReadContext.OVERHEAD + query.size() + folded.length : 0;
  }

  /** True if the results of its requests may be stored and served. */
  boolean isCacheable() {
    return verdict == Verdict.CACHE;
  }

  /** Returns the folded values of a scanned request of this shape. */
  byte[] values(RequestScanner scanned) {
    QueryTemplate template = values;
    return template == null || template.count() == 0 ? NO_VALUES : template.values(scanned);
  }

  /**
   * Returns what a result keeps to send its request again: the values as the client sent them, or
   * the whole body if the template is that of one request.
   *
   * @param scanner scanner of the event loop
   * @param folded the folded values, which are returned if they are the same octets
   */
  byte[] sent(LdapMessage message, RequestScanner scanner, byte[] folded) {
    if (shape == null) {
      return message.copyBody();
    }
    if (!shape.equals(scanner.scan(message))) {
      throw new IllegalStateException("the request has changed since its lookup");
    }
    return scanner.allValues(folded);
  }

  /**
   * Returns the body of a request.
   *
   * @param sent as {@link #sent} returned it
   */
  Octets body(byte[] sent) {
    if (shape == null) {
      return Octets.of(sent);
    }
    int count = query.values();
    return Octets.of(
        shape.request(count == 1 ? new byte[][] {sent} : KeyWriter.strings(sent, count)));
  }

  /**
   * Returns the estimated memory of a template in octets.
   *
   * @param template null if requests of the shape have none
   */
  static int size(RequestShape shape, @Nullable RequestTemplate template) {
    return template == null ? OVERHEAD + shape.length() : template.size();
  }

  /** Returns its estimated memory in octets. */
  int size() {
    return OVERHEAD
        + query.size()
        + (shape == null ? 0 : shape.length())
        + (form == null ? 0 : form.length())
        + (selection == null ? 0 : selection.size());
  }
}
