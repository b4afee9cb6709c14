// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Configurations of all servers that may answer, as far as they could be read. Immutable.
 *
 * @param known configurations by name of the server; the previous one for a server that could not
 *     be read
 * @param unreadable servers that could not be read, and why
 * @param servers the names of all servers
 */
record ServerConfigs(
    Map<String, SlapdSettings> known, Map<String, String> unreadable, Set<String> servers) {
  static final ServerConfigs NONE = new ServerConfigs(Map.of(), Map.of(), Set.of());

  private static final String UNREADABLE =
      "the account cannot read cn=config. Add an access rule to it: \"to * by "
          + "dn.exact=FEED-ACCOUNT read\"";

  ServerConfigs {
    known = Map.copyOf(known);
    unreadable = Map.copyOf(unreadable);
    servers = Set.copyOf(servers);
  }

  /**
   * Result of reading one server. Immutable.
   *
   * @param setup the configuration; null if the account is not shown it
   * @param silent the reason why the server could not be read; null if it was
   */
  record ConfigReading(@Nullable SlapdSettings setup, @Nullable String silent) {}

  /** Returns the configurations after all servers were read again. */
  ServerConfigs update(Map<String, ConfigReading> answers) {
    Map<String, SlapdSettings> next = new HashMap<>();
    Map<String, String> failed = new HashMap<>();
    answers.forEach(
        (server, answer) -> {
          SlapdSettings settings = answer.silent() == null ? answer.setup() : known.get(server);
          if (settings != null) {
            next.put(server, settings);
          }
          if (answer.silent() != null) {
            failed.put(server, answer.silent());
          }
        });
    return new ServerConfigs(next, failed, answers.keySet());
  }

  /**
   * True if results served until now may differ from present ones. A server that could not be read
   * may have answered meanwhile with another configuration, or have been replaced. The same holds
   * for one of several servers that is new or comes back.
   */
  boolean mayDifferFrom(ServerConfigs before) {
    return servers.stream()
        .filter(server -> !unreadable.containsKey(server))
        .anyMatch(
            server ->
                !Objects.equals(known.get(server), before.known.get(server))
                    || (servers.size() > 1 && before.unreadable.containsKey(server)));
  }

  boolean isAnyKnown() {
    return !known.isEmpty();
  }

  /** Returns the attributes that any of them derives. */
  DerivedConfig derived(DerivedConfig declaredConfig) {
    DerivedConfig all = declaredConfig;
    for (SlapdSettings settings : inOrder().values()) {
      all = all.union(settings.derived());
    }
    return all;
  }

  /** Returns the values of all configurations, without duplicates. */
  List<String> all(Function<SlapdSettings, List<String>> property) {
    return inOrder().values().stream()
        .flatMap(one -> property.apply(one).stream())
        .distinct()
        .toList();
  }

  /** Returns the rules and limits of all servers, as far as they could be read. */
  String rules() {
    return inOrder().values().stream()
        .map(settings -> new TreeSet<>(settings.rightsValues()).toString())
        .distinct()
        .collect(Collectors.joining("\n"));
  }

  private Map<String, SlapdSettings> inOrder() {
    return new TreeMap<>(known);
  }

  /**
   * Returns why a server may not show entries as its own databases hold them, by the last reading;
   * null if all are proved to.
   */
  @Nullable String foreign() {
    for (String server : new TreeSet<>(servers)) {
      SlapdSettings settings = known.get(server);
      String why = settings == null ? UNREADABLE : settings.foreign();
      if (why != null) {
        return servers.size() > 1 ? why + " (" + server + ")" : why;
      }
    }
    return null;
  }

  /**
   * Returns why changes of rights may go unnoticed; null if all are noticed.
   *
   * @param own returns the reason for one server
   */
  @Nullable String reason(Function<SlapdSettings, @Nullable String> own) {
    List<String> ordered = new ArrayList<>(servers);
    ordered.sort(null);
    for (String server : ordered) {
      String silence = unreadable.get(server);
      SlapdSettings settings = known.get(server);
      String why = settings == null ? UNREADABLE : own.apply(settings);
      if (silence != null || why != null) {
        return (silence == null ? why : silence) + (servers.size() > 1 ? " (" + server + ")" : "");
      }
    }
    Set<Set<String>> rules = new HashSet<>();
    known.values().forEach(settings -> rules.add(settings.rightsValues()));
    return rules.size() > 1
        ? "access rules or limits differ between " + String.join(", ", ordered)
        : null;
  }
}
