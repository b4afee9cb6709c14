// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.RequestTemplate.Verdict;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.Interner;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.RequestShape;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import java.util.Optional;

/**
 * The cache rules for one schema and configuration, with the table of request templates that they
 * produced. A request whose shape is in the table is neither decoded nor normalized: only its
 * values are folded.
 *
 * <p>Octets: those of two tables. A template takes a place of {@link BoundedCache} (72 and its
 * share of the table) besides its own octets. Parts that templates share are in an {@link
 * Interner}.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A template of the table decides for all requests of its shape, for these rules only.
 *   <li>The table takes at most its share of {@code cache.maxBytes}. An evicted template lives on
 *       with its results, which count it.
 *   <li>The scanner keeps no octets of a request that may hold a secret.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class CacheGeneration {
  private final ServerProfile profile;
  private final Cacheability cacheability;
  private final Exclusions.Clients exclusions;
  private final BoundedCache<RequestShape, Optional<RequestTemplate>> templates;
  private final int number;
  private final Interner interner =
      new Interner(RequestTemplate.SHARED, RequestTemplate.MAX_SHARED);

  CacheGeneration(int number, ServerProfile profile, CacheConfig config, long maxBytes) {
    this.number = number;
    this.profile = profile;
    this.cacheability = new Cacheability(number, profile, config);
    this.exclusions = new Exclusions.Clients(config.exclusions());
    this.templates = new BoundedCache<>(config.requestCacheSize(), maxBytes, CacheGeneration::size);
  }

  private static int size(RequestShape shape, Optional<RequestTemplate> template) {
    return RequestTemplate.size(shape, template.orElse(null));
  }

  /** Evicts templates until the new bounds hold. */
  void setBounds(CacheConfig config, long maxBytes) {
    templates.setBounds(config.requestCacheSize(), maxBytes);
  }

  /** Returns the number that distinguishes the keys of generations. */
  int number() {
    return number;
  }

  ServerProfile profile() {
    return profile;
  }

  Exclusions.Clients exclusions() {
    return exclusions;
  }

  Cacheability cacheability() {
    return cacheability;
  }

  /**
   * Returns the template of a search or compare: that of its shape if possible, or one of its own.
   *
   * @param scanner scanner of the event loop, which then has the values of the request
   */
  RequestTemplate template(
      Operation operation, RequestScanner scanner, LookupListener lookupListener) {
    boolean mayHoldSecret = true; // also if the request is malformed
    try {
      RequestTemplate template = find(operation, scanner, lookupListener);
      mayHoldSecret = template.verdict() == Verdict.SECRET;
      return template;
    } finally {
      if (mayHoldSecret) {
        scanner.clear();
      }
    }
  }

  private RequestTemplate find(
      Operation operation, RequestScanner scanner, LookupListener lookupListener) {
    RequestShape shape = scanner.scan(operation.message());
    Optional<RequestTemplate> known =
        shape == null ? Optional.empty() : lookupListener.get(templates, shape);
    if (known == null && shape != null) {
      known = newTemplate(operation, shape, scanner, lookupListener);
    }
    return known == null || known.isEmpty()
        ? cacheability.template(operation.request())
        : known.get();
  }

  /** Returns the template of a new shape; empty if requests of the shape have none. */
  private Optional<RequestTemplate> newTemplate(
      Operation operation,
      RequestShape shape,
      RequestScanner scanner,
      LookupListener lookupListener) {
    DecodeLimits limits = operation.limitsBeforeDecoding();
    Request request = operation.request();
    if (request.controls().stream().anyMatch(Cacheability::isTracking)) {
      return Optional.empty(); // each session has its own tracking control
    }
    RequestTemplate created = cacheability.template(request, scanner);
    if (created != null && created.verdict() == Verdict.CONTROL) {
      return Optional.of(created); // the values of such controls often differ
    }
    RequestShape own = shape.copy();
    Optional<RequestTemplate> template =
        Optional.ofNullable(created).map(found -> found.interned(interner, own, request, limits));
    if (lookupListener.isCounted()) {
      templates.put(own, template);
    }
    return template;
  }

  /** Returns the estimated memory of the templates in octets. */
  long bytes() {
    return templates.bytes();
  }
}
