// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.server.admin.action.Action.ActionResult;
import io.stoa.server.admin.action.ActionException;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.upstream.balancing.ServerOverride;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An administrator's overrides of the use of directory servers. With a configuration file they are
 * a key of the configuration, and survive a restart. Without one they last until Stoa ends.
 * Threading: thread-safe.
 */
final class ServerOverrides {
  /**
   * The key of the overrides. Its own change is not reported, as the lines about servers report it.
   */
  private static final String KEY = "upstream.overrides";

  private final @Nullable RuntimeConfiguration runtime;
  private final List<ServerSpec> configured;
  private final ProxyHandle proxy;
  private List<ServerOverride> overrides = List.of();

  /**
   * Creates the overrides.
   *
   * @param runtime null if Stoa runs without a configuration file
   * @param configured servers of the configuration
   */
  ServerOverrides(
      @Nullable RuntimeConfiguration runtime, List<ServerSpec> configured, ProxyHandle proxy) {
    this.runtime = runtime;
    this.configured = List.copyOf(configured);
    this.proxy = proxy;
  }

  /** Drains a server. */
  ActionResult drain(ServerAddress server) throws ActionException {
    if (isLast(server)) {
      throw ActionException.unwilling("the last server of a directory in use cannot be drained");
    }
    return change(server, (now, inFile) -> now.withDrained(Optional.of(true)));
  }

  /** True if no other server of its directory is in use. */
  private boolean isLast(ServerAddress server) {
    return proxy.status().directories().stream()
        .map(tiers -> tiers.stream().flatMap(tier -> tier.backends().stream()))
        .map(all -> all.filter(one -> one.state() != BackendState.DRAINED))
        .map(used -> used.map(BackendStatus::address).toList())
        .anyMatch(List.of(server)::equals);
  }

  /** Takes a server into use again. The override is removed unless the file drains the server. */
  ActionResult resume(ServerAddress server) throws ActionException {
    return change(
        server, (now, inFile) -> now.withDrained(inFile ? Optional.of(false) : Optional.empty()));
  }

  /** Sets the weight of a server. */
  ActionResult weight(ServerAddress server, String number) throws ActionException {
    try {
      int weight = ServerOverride.weight(number);
      return change(server, (now, inFile) -> now.withWeight(weight));
    } catch (IllegalArgumentException e) {
      throw ActionException.invalidArgument(String.valueOf(e.getMessage()));
    }
  }

  private ActionResult change(
      ServerAddress server, BiFunction<ServerOverride, Boolean, ServerOverride> change)
      throws ActionException {
    if (configured.stream().noneMatch(one -> one.address().equals(server))) {
      throw ActionException.unwilling(
          server + " was found by DNS: set upstream.overrides for its domain instead");
    }
    BiFunction<List<ServerOverride>, Predicate<ServerAddress>, List<ServerOverride>> update =
        (all, isInFile) -> withChange(all, server, now -> change.apply(now, isInFile.test(server)));
    List<String> lines = runtime == null ? change(update) : runtime.changeOverrides(update);
    String text =
        lines.stream().filter(line -> !line.startsWith(KEY)).collect(Collectors.joining("; "));
    return new ActionResult(text.isEmpty() ? server + " is in that state already" : text);
  }

  private synchronized List<String> change(
      BiFunction<List<ServerOverride>, Predicate<ServerAddress>, List<ServerOverride>> update)
      throws ActionException {
    List<ServerOverride> next =
        update.apply(overrides, ServerOverride.isConfigured(List.of(), configured));
    List<String> lines = proxy.get().applyServers(ServerOverride.apply(configured, next));
    overrides = next;
    return lines;
  }

  private static List<ServerOverride> withChange(
      List<ServerOverride> all, ServerAddress server, UnaryOperator<ServerOverride> change) {
    ServerOverride now =
        all.stream()
            .filter(one -> one.address().equals(server))
            .findFirst()
            .orElse(ServerOverride.none(server));
    List<ServerOverride> next = new ArrayList<>(all);
    next.remove(now);
    ServerOverride result = change.apply(now);
    if (!result.isEmpty()) {
      next.add(result);
    }
    return List.copyOf(next);
  }
}
