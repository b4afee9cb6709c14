// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.Interner;
import io.stoa.cache.result.CacheRequest.Verdict;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;

/**
 * The cache rules for one schema and configuration, with the plan cache that they produced. The
 * plan cache maps the octets of a request to its decoded form, so that a repeated request is
 * neither decoded nor normalized again.
 *
 * <p>Threading: thread-safe.
 */
final class CacheGeneration {
  private static final int PLAN_OVERHEAD = 250;

  private final int number;
  private final ServerProfile profile;
  private final Cacheability cacheability;
  private final Exclusions.Clients exclusions;
  private final BoundedCache<Octets, CacheRequest> plans;
  private final Interner interner = new Interner();

  CacheGeneration(int number, ServerProfile profile, CacheConfig config, long maxBytes) {
    this.number = number;
    this.profile = profile;
    this.cacheability = new Cacheability(profile, config);
    this.exclusions = new Exclusions.Clients(config.exclusions());
    this.plans = new BoundedCache<>(config.requestCacheSize(), maxBytes, CacheGeneration::size);
  }

  private static int size(Octets request, CacheRequest plan) {
    Octets place = plan.reach().place();
    int planSize = PLAN_OVERHEAD + request.length() + plan.query().length() + plan.form().length();
    return place == null ? planSize : planSize + place.length();
  }

  /** Evicts plans until the new bounds hold. */
  void setBounds(CacheConfig config, long maxBytes) {
    plans.setBounds(config.requestCacheSize(), maxBytes);
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

  /** Returns the plan of a search or compare, from the plan cache if possible. */
  CacheRequest plan(Operation operation, LookupListener lookupListener) {
    return lookupListener.isCounted() ? plan(operation) : cacheability.plan(operation.request());
  }

  private CacheRequest plan(Operation operation) {
    Octets request = Octets.of(operation.message().copyBody());
    CacheRequest plan = plans.get(request);
    if (plan == null) {
      plan = interned(cacheability.plan(operation.request()));
      if (plan.verdict() != Verdict.SECRET) {
        plan = plan.of(request);
        plans.put(request, plan);
      }
    }
    return plan;
  }

  /**
   * Shares equal parts: applications use few attribute lists, forms and bases, each in many
   * requests.
   */
  private CacheRequest interned(CacheRequest plan) {
    AttributeSelection selection = plan.selection();
    return new CacheRequest(
        plan.verdict(),
        plan.query(),
        interner.intern(plan.form()),
        selection == null ? null : interner.intern(selection),
        plan.sizeLimit(),
        plan.typesOnly(),
        interner.intern(plan.reach()),
        plan.request(),
        plan.covered());
  }

  /** Returns the estimated memory of the plans in octets. */
  long bytes() {
    return plans.bytes();
  }
}
