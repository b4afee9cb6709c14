// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.paging.PageContext.PageConfig;
import io.stoa.cache.result.CacheConfig;
import io.stoa.client.access.AccessRules;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.routing.RouteConfig;
import io.stoa.routing.retry.ReplayLimits;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.pool.UpstreamConfig;
import java.time.Duration;

/**
 * The current configuration of the proxy: the initial one, with the latest values of settings that
 * can change. Callers must read a value each time they use it.
 *
 * <p>Threading: thread-safe.
 */
final class LiveConfig {
  /**
   * Divisor of the heap for each purpose: paged searches, large groups and retries may each hold
   * one sixteenth.
   */
  private static final int HELD_SHARE = 16;

  private final boolean follow;
  private final int loops;
  private final int directories;
  private volatile UpstreamConfig upstream;
  private volatile ClientLimits limits;
  private volatile AccessRules rules;
  private volatile DecodeLimits decoding;
  private volatile ReplayLimits replay;
  private volatile PageConfig pages;

  /**
   * Creates the initial configuration.
   *
   * @param loops the number of event loops
   * @param directories the number of directories; each has a share of the memory for retries
   */
  LiveConfig(ProxyConfig start, int loops, int directories) {
    this.follow = start.adapt().referrals() == Referrals.FOLLOW;
    this.loops = loops;
    this.directories = directories;
    this.upstream = start.upstream();
    this.limits = start.limits();
    this.rules = start.rules();
    this.decoding = limits.decoding();
    this.replay = replay(upstream, start.cache());
    this.pages = pages(start.cache());
  }

  /** Applies a new configuration, as far as settings can change. */
  void apply(ProxyConfig now) {
    upstream = upstream.withReloadable(now.upstream());
    limits = limits.tuned(now.limits());
    rules = now.rules();
    decoding = limits.decoding();
    replay = replay(upstream, now.cache());
    pages = pages(now.cache());
  }

  private ReplayLimits replay(UpstreamConfig servers, CacheConfig cache) {
    return new ReplayLimits(
        servers.operationTimeout(),
        servers.replay().hedge(),
        cache.bypassLimit(),
        cache.maxResultBytes(),
        heldShare() / directories);
  }

  private PageConfig pages(CacheConfig cache) {
    return new PageConfig(cache.paging(), cache.bypassLimit(), heldShare());
  }

  UpstreamConfig upstream() {
    return upstream;
  }

  ClientLimits limits() {
    return limits;
  }

  AccessRules rules() {
    return rules;
  }

  DecodeLimits decoding() {
    return decoding;
  }

  PageConfig pages() {
    return pages;
  }

  /** Returns the configuration of the routing stages. */
  RouteConfig route(QueueBound bound) {
    return new RouteConfig(
        follow,
        () -> upstream.replay().bindAffinity(),
        () -> replay,
        bound,
        () -> upstream.queueTimeout());
  }

  /** Returns the maximum duration of a write, including a referral to another server. */
  Duration maxWriteDuration() {
    UpstreamConfig now = upstream;
    return now.operationTimeout().multipliedBy(2).plus(now.queueTimeout());
  }

  /** True if clients are disconnected when the outcome of their writes is unknown. */
  boolean disconnects() {
    return upstream.replay().disconnects();
  }

  /** Returns the bytes that each loop may hold for one of these purposes. */
  long heldShare() {
    return Runtime.getRuntime().maxMemory() / HELD_SHARE / loops;
  }
}
