// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;
import static io.stoa.net.transport.InvalidConfigException.requirePositive;

import io.netty.util.internal.PlatformDependent;
import io.stoa.client.limit.SearchLimits;
import io.stoa.client.quota.Quotas;
import io.stoa.ldap.protocol.DecodeLimits;
import java.time.Duration;

/**
 * Limits of a client's connections, requests and responses.
 *
 * <p>Threading: immutable.
 *
 * @param frameBeforeBind maximum octets of an LDAPMessage of an anonymous client
 * @param frameAfterBind maximum octets of an LDAPMessage of a bound client
 * @param filterDepth maximum nesting of a search filter
 * @param operationsInFlight maximum number of unanswered operations of one connection. At the
 *     limit, reading from the connection pauses.
 * @param longLivedSearches maximum number of persistent and sync searches of one connection;
 *     further ones get busy
 * @param connections maximum number of open client connections; further ones get busy and are
 *     closed
 * @param requestMemory maximum octets of the unanswered requests of all clients; 0 means a quarter
 *     of the direct memory. Beyond the maximum, the slowest clients of the largest network are
 *     disconnected.
 * @param writeBuffer octets that may wait for a slow client before reading for it pauses
 * @param writeTimeout maximum time for which a client may take no octet of a waiting response
 * @param idleTimeout maximum time of a connection without operations; zero means no limit
 * @param requestTimeout maximum time from the first to the last octet of a request
 * @param negotiationTimeout maximum time until the next step of a SASL bind; a user may have to
 *     type a password
 * @param search limits of searches
 * @param quotas limits of networks and identities
 */
public record ClientLimits(
    int frameBeforeBind,
    int frameAfterBind,
    int filterDepth,
    int operationsInFlight,
    int longLivedSearches,
    int connections,
    int requestMemory,
    int writeBuffer,
    Duration writeTimeout,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration negotiationTimeout,
    SearchLimits search,
    Quotas quotas) {

  /** Default limits. */
  public static final ClientLimits DEFAULTS =
      new ClientLimits(
          256 * 1024,
          4 * 1024 * 1024,
          1_000,
          1_000,
          32,
          20_000,
          0,
          1024 * 1024,
          Duration.ofSeconds(60),
          Duration.ZERO,
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          SearchLimits.OFF,
          Quotas.DEFAULTS);

  public ClientLimits {
    requireAtLeast("frameBeforeBind", frameBeforeBind, 1024);
    refuse(
        frameAfterBind < frameBeforeBind,
        "frameAfterBind",
        " " + frameAfterBind + " is below ",
        "frameBeforeBind",
        " " + frameBeforeBind);
    requireAtLeast("filterDepth", filterDepth, 1);
    refuse(filterDepth > 1_000, "filterDepth", " " + filterDepth + " is above 1000");
    requireAtLeast("operationsInFlight", operationsInFlight, 1);
    requireAtLeast("longLivedSearches", longLivedSearches, 0);
    requireAtLeast("connections", connections, 1);
    refuse(
        requestMemory != 0 && requestMemory < frameAfterBind,
        "requestMemory",
        " " + requestMemory + " is below ",
        "frameAfterBind",
        " " + frameAfterBind);
    requireAtLeast("writeBuffer", writeBuffer, 64 * 1024);
    requirePositive("writeTimeout", writeTimeout);
    requirePositive("requestTimeout", requestTimeout);
    requirePositive("negotiationTimeout", negotiationTimeout);
    requireNotNegative("idleTimeout", idleTimeout);
  }

  /** Returns a copy with another maximum of open client connections. */
  public ClientLimits connections(int limit) {
    return with(limit, requestMemory);
  }

  /** Returns a copy with another maximum for the memory of unanswered requests, in octets. */
  public ClientLimits requestMemory(int octets) {
    return with(connections, octets);
  }

  private ClientLimits with(int maxConnections, int octets) {
    return new ClientLimits(
        frameBeforeBind,
        frameAfterBind,
        filterDepth,
        operationsInFlight,
        longLivedSearches,
        maxConnections,
        octets,
        writeBuffer,
        writeTimeout,
        idleTimeout,
        requestTimeout,
        negotiationTimeout,
        search,
        quotas);
  }

  /**
   * Returns the maximum octets of unanswered requests: a quarter of the direct memory unless set.
   */
  public long effectiveRequestMemory() {
    return requestMemory == 0 ? PlatformDependent.maxDirectMemory() / 4 : requestMemory;
  }

  /** Returns a copy with those settings of {@code now} that can change while Stoa runs. */
  public ClientLimits tuned(ClientLimits now) {
    return new ClientLimits(
        now.frameBeforeBind,
        now.frameAfterBind,
        now.filterDepth,
        now.operationsInFlight,
        now.longLivedSearches,
        now.connections,
        now.requestMemory,
        writeBuffer,
        now.writeTimeout,
        now.idleTimeout,
        now.requestTimeout,
        now.negotiationTimeout,
        now.search,
        now.quotas);
  }

  /** Returns the limits for decoding requests. */
  public DecodeLimits decoding() {
    DecodeLimits defaults = DecodeLimits.DEFAULTS;
    return new DecodeLimits(
        filterDepth, defaults.filterNodes(), defaults.attributes(), defaults.controls());
  }
}
