// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.NUMBER;

import io.stoa.client.connection.ClientLimits;
import io.stoa.client.limit.SearchLimits;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Sequence;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The keys of the section {@code limits}, in the order of the documentation. Threading: immutable.
 */
final class LimitKeys {
  private static final ClientLimits LIMITS = ClientLimits.DEFAULTS;
  private static final SearchLimits SEARCH = SearchLimits.OFF;

  static final ConfigKey<Integer> FRAME_BEFORE_BIND =
      key(
          "frameBeforeBind",
          INT_SIZE,
          LIMITS.frameBeforeBind(),
          "Largest request of an anonymous client.");
  static final ConfigKey<Integer> FRAME_AFTER_BIND =
      key(
          "frameAfterBind",
          INT_SIZE,
          LIMITS.frameAfterBind(),
          "Largest request of a bound client.");
  static final ConfigKey<Integer> FILTER_DEPTH =
      key("filterDepth", NUMBER, LIMITS.filterDepth(), "Deepest nesting of a search filter.");
  static final ConfigKey<Integer> OPERATIONS_IN_FLIGHT =
      key(
          "operationsInFlight",
          NUMBER,
          LIMITS.operationsInFlight(),
          "Most unanswered operations of one client connection; then Stoa stops reading from it.");
  static final ConfigKey<Integer> LONG_LIVED_SEARCHES =
      key(
          "longLivedSearches",
          NUMBER,
          LIMITS.longLivedSearches(),
          "Most persistent and sync searches of one client connection; more are answered busy.");
  static final ConfigKey<Integer> CONNECTIONS =
      key(
          "connections",
          NUMBER,
          LIMITS.connections(),
          "Most client connections; then idle ones without a bind give way, or new ones are told busy.");
  static final ConfigKey<Integer> REQUEST_MEMORY =
      key(
          "requestMemory",
          INT_SIZE,
          LIMITS.requestMemory(),
          "Most memory of the requests of all clients that have no answer yet; beyond that the"
              + " slowest clients are disconnected. 0: a quarter of the direct memory.");
  static final ConfigKey<Integer> WRITE_BUFFER =
      key(
          "writeBuffer",
          INT_SIZE,
          LIMITS.writeBuffer(),
          "Octets that may wait for a client before it counts as slow. After four times as many, reading"
              + " for it pauses.");
  static final ConfigKey<Duration> WRITE_TIMEOUT =
      key(
          "writeTimeout",
          DURATION,
          LIMITS.writeTimeout(),
          "How long a client may take nothing of a waiting answer before it is disconnected: at most 10 s"
              + " if a server is held up, and less if several clients hold up servers.");
  static final ConfigKey<Duration> IDLE_TIMEOUT =
      key(
          "idleTimeout",
          DURATION,
          LIMITS.idleTimeout(),
          "How long a client connection without operations may stay; 0 is for ever.");
  static final ConfigKey<Duration> REQUEST_TIMEOUT =
      key(
          "requestTimeout",
          DURATION,
          LIMITS.requestTimeout(),
          "How long a request may be under way after its first octet.");

  static final ConfigKey<Duration> NEGOTIATION_TIMEOUT =
      key(
          "negotiationTimeout",
          DURATION,
          LIMITS.negotiationTimeout(),
          "How long a client may take for the next step of a SASL bind.");

  static final ConfigKey<Integer> SIZE_LIMIT =
      key(
          "sizeLimit",
          NUMBER,
          SEARCH.sizeLimit(),
          "Most entries that a search gives, all its pages together; 0: what the directory allows.");
  static final ConfigKey<Duration> TIME_LIMIT =
      key(
          "timeLimit",
          DURATION,
          SEARCH.timeLimit(),
          "How long a search may take; 0: as long as the directory allows.");
  static final ConfigKey<Boolean> PAGED_RESULTS =
      key(
          "pagedResults",
          BOOLEAN,
          SEARCH.pagedResults(),
          "Whether results are given in pages (RFC 2696).");
  static final ConfigKey<Integer> PAGED_SEARCHES =
      key(
          "pagedSearches",
          NUMBER,
          SEARCH.pagedSearches(),
          "Most searches of all clients together whose pages are not at their end; more are answered"
              + " busy; 0: any.");
  static final ConfigKey<Integer> PAGE_SIZE =
      key(
          "pageSize",
          NUMBER,
          SEARCH.pageSize(),
          "Most entries of a page; 0: as many as the client wants.");
  static final ConfigKey<Boolean> SORTING =
      key(
          "sorting",
          BOOLEAN,
          SEARCH.sorting(),
          "Whether the directory sorts results for clients (RFC 2891).");
  static final ConfigKey<Integer> SORT_KEYS =
      key("sortKeys", NUMBER, SEARCH.sortKeys(), "Most keys by which it sorts; 0: any.");
  static final ConfigKey<List<String>> EXEMPT =
      key(
          "exempt",
          new Sequence<>(DN, true, "'cn=sync,ou=apps,dc=example,dc=com'"),
          SEARCH.exempt(),
          "DNs of clients for whom there is no limit from sizeLimit to sortKeys.");

  /** All keys of the section. */
  static final List<ConfigKey<?>> ALL =
      List.of(
          FRAME_BEFORE_BIND,
          FRAME_AFTER_BIND,
          FILTER_DEPTH,
          OPERATIONS_IN_FLIGHT,
          LONG_LIVED_SEARCHES,
          CONNECTIONS,
          REQUEST_MEMORY,
          WRITE_BUFFER,
          WRITE_TIMEOUT,
          IDLE_TIMEOUT,
          REQUEST_TIMEOUT,
          NEGOTIATION_TIMEOUT,
          SIZE_LIMIT,
          TIME_LIMIT,
          PAGED_RESULTS,
          PAGED_SEARCHES,
          PAGE_SIZE,
          SORTING,
          SORT_KEYS,
          EXEMPT);

  /** The keys that can change while Stoa runs. */
  static final Set<ConfigKey<?>> LIVE =
      ALL.stream().filter(key -> !key.equals(WRITE_BUFFER)).collect(Collectors.toUnmodifiableSet());

  private LimitKeys() {}

  private static <T> ConfigKey<T> key(String name, ValueType<T> type, T value, String meaning) {
    return ConfigKey.optional("limits." + name, type, value, meaning);
  }

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
        search(settings));
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
