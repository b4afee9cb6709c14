// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.paging.PageTerms.PageConfig;
import io.stoa.cache.result.CacheConfig;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.routing.RouteConfig;
import io.stoa.routing.retry.ReplayLimits;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.pool.UpstreamConfig;
import java.time.Duration;

/**
 * What the proxy is configured to be now: what it was at the start, and of what can change since
 * then the latest. Whoever uses a value asks for it each time. Thread-safe.
 */
final class LiveConfig {
  /** What clients page through may take so little of the heap, and large groups as much. */
  private static final int HELD_SHARE = 16;

  private final boolean follow;
  private final int loops;
  private final int directories;
  private volatile UpstreamConfig upstream;
  private volatile ClientLimits limits;
  private volatile DecodeLimits decoding;
  private volatile ReplayLimits replay;
  private volatile PageConfig pages;

  /**
   * Makes it.
   *
   * @param loops event loops
   * @param directories each has what is sent again by itself
   */
  LiveConfig(ProxyConfig start, int loops, int directories) {
    this.follow = start.adapt().referrals() == Referrals.FOLLOW;
    this.loops = loops;
    this.directories = directories;
    this.upstream = start.upstream();
    this.limits = start.limits();
    this.decoding = limits.decoding();
    this.replay = replay(upstream, start.cache());
    this.pages = pages(start.cache());
  }

  /** From now on this holds, as far as it can change. */
  void tune(ProxyConfig now) {
    upstream = upstream.tuned(now.upstream());
    limits = limits.tuned(now.limits());
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

  DecodeLimits decoding() {
    return decoding;
  }

  PageConfig pages() {
    return pages;
  }

  /** On what terms ways to servers are chosen. */
  RouteConfig route(QueueBound bound) {
    return new RouteConfig(
        follow,
        () -> upstream.replay().bindAffinity(),
        () -> replay,
        bound,
        () -> upstream.queueTimeout());
  }

  /** How long a change may be under way at most: it may be referred to another server. */
  Duration longestChange() {
    UpstreamConfig now = upstream;
    return now.operationTimeout().multipliedBy(2).plus(now.queueTimeout());
  }

  /** Whether clients are disconnected if nobody knows the outcome of their writes. */
  boolean disconnects() {
    return upstream.replay().disconnects();
  }

  /** Octets that may be held on each loop for one of these purposes. */
  long heldShare() {
    return Runtime.getRuntime().maxMemory() / HELD_SHARE / loops;
  }
}
