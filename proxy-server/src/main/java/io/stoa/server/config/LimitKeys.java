// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.NUMBER;

import io.stoa.client.connection.ClientLimits;
import io.stoa.client.limit.SearchLimits;
import io.stoa.server.config.value.ValueType.Sequence;
import java.time.Duration;
import java.util.List;

/**
 * The keys of the section {@code limits}, in the order of the documentation. Threading: immutable.
 */
final class LimitKeys {
  static final KeySection KEYS = new KeySection("limits.");

  private static final ClientLimits LIMITS = ClientLimits.DEFAULTS;
  private static final SearchLimits SEARCH = SearchLimits.OFF;

  static final ConfigKey<Integer> FRAME_BEFORE_BIND =
      KEYS.live(
          "frameBeforeBind",
          INT_SIZE,
          LIMITS.frameBeforeBind(),
          "Maximum size of a request of an anonymous client. At least 1KiB.");
  static final ConfigKey<Integer> FRAME_AFTER_BIND =
      KEYS.live(
          "frameAfterBind",
          INT_SIZE,
          LIMITS.frameAfterBind(),
          "Maximum size of a request of a bound client. At least limits.frameBeforeBind.");
  static final ConfigKey<Integer> FILTER_DEPTH =
      KEYS.live(
          "filterDepth",
          NUMBER,
          LIMITS.filterDepth(),
          "Maximum nesting of a search filter, from 1 to 1000.");
  static final ConfigKey<Integer> OPERATIONS_IN_FLIGHT =
      KEYS.live(
          "operationsInFlight",
          NUMBER,
          LIMITS.operationsInFlight(),
          "Maximum number of operations in flight of one client connection; at the limit Stoa stops"
              + " reading from it. At most upstream.queueLimit.");
  static final ConfigKey<Integer> LONG_LIVED_SEARCHES =
      KEYS.live(
          "longLivedSearches",
          NUMBER,
          LIMITS.longLivedSearches(),
          "Maximum number of persistent and sync searches of one client connection; further ones"
              + " are answered busy.");
  static final ConfigKey<Integer> CONNECTIONS =
      KEYS.live(
          "connections",
          NUMBER,
          LIMITS.connections(),
          "Maximum number of client connections. At the limit, idle connections without a bind are"
              + " closed, or else new ones are answered busy.");
  static final ConfigKey<Integer> REQUEST_MEMORY =
      KEYS.live(
          "requestMemory",
          INT_SIZE,
          LIMITS.requestMemory(),
          "Maximum memory of all clients' unanswered requests; beyond it the slowest clients are"
              + " disconnected. 0: a quarter of the direct memory.");
  static final ConfigKey<Integer> WRITE_BUFFER =
      KEYS.key(
          "writeBuffer",
          INT_SIZE,
          LIMITS.writeBuffer(),
          "Bytes that may be buffered for a client before it counts as slow, at least 64KiB. At"
              + " four times as many, reading for it pauses.");
  static final ConfigKey<Duration> WRITE_TIMEOUT =
      KEYS.live(
          "writeTimeout",
          DURATION,
          LIMITS.writeTimeout(),
          "Time without progress in reading a pending answer, after which a client is disconnected."
              + " A client that holds up a server has at most 10 s, and several have less.");
  static final ConfigKey<Duration> IDLE_TIMEOUT =
      KEYS.live(
          "idleTimeout",
          DURATION,
          LIMITS.idleTimeout(),
          "Time after which an idle client connection is closed; 0: never.");
  static final ConfigKey<Duration> REQUEST_TIMEOUT =
      KEYS.live(
          "requestTimeout",
          DURATION,
          LIMITS.requestTimeout(),
          "Maximum time from the first to the last byte of a request.");

  static final ConfigKey<Duration> NEGOTIATION_TIMEOUT =
      KEYS.live(
          "negotiationTimeout",
          DURATION,
          LIMITS.negotiationTimeout(),
          "Maximum time that a client takes for the next step of a SASL bind.");

  static final ConfigKey<Integer> SIZE_LIMIT =
      KEYS.live(
          "sizeLimit",
          NUMBER,
          SEARCH.sizeLimit(),
          "Maximum number of entries that a search returns, over all its pages. 0: the directory's"
              + " limit.");
  static final ConfigKey<Duration> TIME_LIMIT =
      KEYS.live(
          "timeLimit",
          DURATION,
          SEARCH.timeLimit(),
          "Maximum duration of a search. 0: the directory's limit.");
  static final ConfigKey<Boolean> PAGED_RESULTS =
      KEYS.live(
          "pagedResults",
          BOOLEAN,
          SEARCH.pagedResults(),
          "Permission of paged results (RFC 2696).");
  static final ConfigKey<Integer> PAGED_SEARCHES =
      KEYS.live(
          "pagedSearches",
          NUMBER,
          SEARCH.pagedSearches(),
          "Maximum number of unfinished paged searches of all clients; further ones are answered"
              + " busy. 0: unlimited.");
  static final ConfigKey<Integer> PAGE_SIZE =
      KEYS.live(
          "pageSize",
          NUMBER,
          SEARCH.pageSize(),
          "Maximum number of entries of a page. 0: as requested by the client.");
  static final ConfigKey<Boolean> SORTING =
      KEYS.live(
          "sorting", BOOLEAN, SEARCH.sorting(), "Permission of server-side sorting (RFC 2891).");
  static final ConfigKey<Integer> SORT_KEYS =
      KEYS.live(
          "sortKeys", NUMBER, SEARCH.sortKeys(), "Maximum number of sort keys. 0: unlimited.");
  static final ConfigKey<List<String>> EXEMPT =
      KEYS.live(
          "exempt",
          new Sequence<>(DN, true, "'cn=sync,ou=apps,dc=example,dc=com'"),
          SEARCH.exempt(),
          "DNs of clients that are exempt from the limits sizeLimit to sortKeys.");

  private LimitKeys() {}

  /** Builds the section's configuration. */
  static ClientLimits assemble(Settings settings) {
    return new ClientLimits(
        settings.get(FRAME_BEFORE_BIND),
        settings.get(FRAME_AFTER_BIND),
        settings.get(FILTER_DEPTH),
        settings.get(OPERATIONS_IN_FLIGHT),
        settings.get(LONG_LIVED_SEARCHES),
        settings.get(CONNECTIONS),
        settings.get(REQUEST_MEMORY),
        settings.get(WRITE_BUFFER),
        settings.get(WRITE_TIMEOUT),
        settings.get(IDLE_TIMEOUT),
        settings.get(REQUEST_TIMEOUT),
        settings.get(NEGOTIATION_TIMEOUT),
        search(settings),
        QuotaKeys.assemble(settings));
  }

  private static SearchLimits search(Settings settings) {
    return new SearchLimits(
        settings.get(SIZE_LIMIT),
        settings.get(TIME_LIMIT),
        settings.get(PAGED_RESULTS),
        settings.get(PAGED_SEARCHES),
        settings.get(PAGE_SIZE),
        settings.get(SORTING),
        settings.get(SORT_KEYS),
        settings.get(EXEMPT));
  }
}
