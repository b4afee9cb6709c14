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
 * How all servers are set up that may answer, as far as that was read. Immutable.
 *
 * @param known by the names of servers; of one that could not be asked, what was known before
 * @param silent those that could not be asked, and why
 * @param servers the names of all of them
 */
record ServerConfigs(
    Map<String, SlapdSettings> known, Map<String, String> silent, Set<String> servers) {
  static final ServerConfigs NONE = new ServerConfigs(Map.of(), Map.of(), Set.of());

  private static final String UNREADABLE =
      "the account cannot read cn=config: a rule there like \"to * by dn.exact=FEED-ACCOUNT read\" would"
          + " let it";

  ServerConfigs {
    known = Map.copyOf(known);
    silent = Map.copyOf(silent);
    servers = Set.copyOf(servers);
  }

  /**
   * What has become of asking one server. Immutable.
   *
   * @param setup null if the account is not shown it
   * @param silent why it could not be asked; null if it was
   */
  record Answer(@Nullable SlapdSettings setup, @Nullable String silent) {}

  /** After all of them were asked once more. */
  ServerConfigs then(Map<String, Answer> answers) {
    Map<String, SlapdSettings> next = new HashMap<>();
    Map<String, String> failed = new HashMap<>();
    answers.forEach(
        (server, answer) -> {
          SlapdSettings setup = answer.silent() == null ? answer.setup() : known.get(server);
          if (setup != null) {
            next.put(server, setup);
          }
          if (answer.silent() != null) {
            failed.put(server, answer.silent());
          }
        });
    return new ServerConfigs(next, failed, answers.keySet());
  }

  /**
   * Whether what was given until now may be other than what is. One that could not be asked may
   * have been set up in another way meanwhile, or been another server, and have answered; so may
   * one of several that is new, or comes back.
   */
  boolean mayDiffer(ServerConfigs before) {
    return servers.stream()
        .filter(server -> !silent.containsKey(server))
        .anyMatch(
            server ->
                !Objects.equals(known.get(server), before.known.get(server))
                    || (servers.size() > 1 && before.silent.containsKey(server)));
  }

  boolean areKnown() {
    return !known.isEmpty();
  }

  /** What any of them derives. */
  DerivedConfig derived(DerivedConfig declared) {
    DerivedConfig all = declared;
    for (SlapdSettings setup : inOrder().values()) {
      all = all.and(setup.derived());
    }
    return all;
  }

  /** Something that each of them says, without repetitions. */
  List<String> all(Function<SlapdSettings, List<String>> what) {
    return inOrder().values().stream().flatMap(one -> what.apply(one).stream()).distinct().toList();
  }

  /** What decides who may see what, on all servers, as far as it could be read. */
  String rules() {
    return inOrder().values().stream()
        .map(setup -> new TreeSet<>(setup.ruling()).toString())
        .distinct()
        .collect(Collectors.joining("\n"));
  }

  private Map<String, SlapdSettings> inOrder() {
    return new TreeMap<>(known);
  }

  /**
   * Why a server may not show entries as its own databases hold them, by its last reading; null if
   * all are proved to.
   */
  @Nullable String foreign() {
    for (String server : new TreeSet<>(servers)) {
      SlapdSettings setup = known.get(server);
      String why = setup == null ? UNREADABLE : setup.foreign();
      if (why != null) {
        return servers.size() > 1 ? why + " (" + server + ")" : why;
      }
    }
    return null;
  }

  /**
   * Why it is not known when rights change; null if it is.
   *
   * @param own why that is so of one server
   */
  @Nullable String reason(Function<SlapdSettings, @Nullable String> own) {
    List<String> ordered = new ArrayList<>(servers);
    ordered.sort(null);
    for (String server : ordered) {
      String silence = silent.get(server);
      SlapdSettings setup = known.get(server);
      String why = setup == null ? UNREADABLE : own.apply(setup);
      if (silence != null || why != null) {
        return (silence == null ? why : silence) + (servers.size() > 1 ? " (" + server + ")" : "");
      }
    }
    Set<Set<String>> rules = new HashSet<>();
    known.values().forEach(setup -> rules.add(setup.ruling()));
    return rules.size() > 1
        ? "rules of access or limits are not the same on " + String.join(", ", ordered)
        : null;
  }
}
