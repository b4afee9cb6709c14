// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.net.transport.InvalidConfigException;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * An administrator's override of a server's configuration.
 *
 * <p>Threading: immutable.
 *
 * @param address address of the server
 * @param drained true if the server is drained, false if it is used; empty for no override
 * @param weight share of the tier's load; empty for no override
 */
public record ServerOverride(
    ServerAddress address, Optional<Boolean> drained, Optional<Integer> weight) {
  private static final String FORM = "is not of the form URL [drained|used] [weight NUMBER]";
  private static final int MAX_DIGITS = 9;

  /** Returns an empty override. */
  public static ServerOverride none(ServerAddress address) {
    return new ServerOverride(address, Optional.empty(), Optional.empty());
  }

  /**
   * Parses {@code URL [drained|used] [weight NUMBER]}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ServerOverride parse(String text) {
    List<String> words = new ArrayList<>(List.of(text.strip().split(" +")));
    ServerOverride operated = none(ServerAddress.parse(words.remove(0)));
    if (!words.isEmpty() && (words.get(0).equals("drained") || words.get(0).equals("used"))) {
      operated = operated.withDrained(Optional.of(words.remove(0).equals("drained")));
    }
    if (words.size() == 2 && words.get(0).equals("weight")) {
      operated = operated.withWeight(weight(words.get(1)));
      words.clear();
    }
    if (!words.isEmpty() || operated.isEmpty()) {
      throw new IllegalArgumentException("'" + text + "' " + FORM);
    }
    return operated;
  }

  /**
   * Parses a weight.
   *
   * @throws IllegalArgumentException if the text is not a number from 1 on
   */
  public static int weight(String text) {
    boolean number = text.matches("\\d+") && text.length() <= MAX_DIGITS;
    if (!number || Integer.parseInt(text) == 0) {
      throw new IllegalArgumentException("weight '" + text + "' must be a number of at least 1");
    }
    return Integer.parseInt(text);
  }

  /** Returns a copy with another value of {@code drained}. */
  public ServerOverride withDrained(Optional<Boolean> other) {
    return new ServerOverride(address, other, weight);
  }

  /** Returns a copy with another weight. */
  public ServerOverride withWeight(int other) {
    return new ServerOverride(address, drained, Optional.of(other));
  }

  /** True if nothing is overridden. */
  public boolean isEmpty() {
    return drained.isEmpty() && weight.isEmpty();
  }

  /**
   * Returns the servers with the overrides applied.
   *
   * @throws IllegalArgumentException if an override names an unknown server, or a server twice
   */
  public static List<ServerSpec> apply(List<ServerSpec> servers, List<ServerOverride> overrides) {
    long different = overrides.stream().map(ServerOverride::address).distinct().count();
    if (different < overrides.size()) {
      throw new InvalidConfigException("overrides", " names a server twice");
    }
    overrides.forEach(one -> one.check(servers));
    return servers.stream().map(server -> applied(server, overrides)).toList();
  }

  /**
   * Returns a predicate for servers that the configuration drains or overrides. Such a server is
   * put into use by an explicit override only; an empty one does not suffice.
   */
  public static Predicate<ServerAddress> isConfigured(
      List<ServerOverride> wanted, List<ServerSpec> servers) {
    return server ->
        wanted.stream().anyMatch(one -> one.address.equals(server))
            || servers.stream().anyMatch(one -> one.drained() && one.address().equals(server));
  }

  /** True if the override is for one of these servers. */
  public boolean appliesTo(List<ServerSpec> servers) {
    return servers.stream().anyMatch(server -> server.address().equals(address));
  }

  private void check(List<ServerSpec> servers) {
    if (!appliesTo(servers)) {
      String addresses =
          servers.stream()
              .map(server -> server.address().toString())
              .collect(Collectors.joining(", "));
      throw new InvalidConfigException(
          "overrides", " " + address + " is not one of the configured servers: " + addresses);
    }
  }

  private static ServerSpec applied(ServerSpec server, List<ServerOverride> overrides) {
    return overrides.stream()
        .filter(one -> one.address.equals(server.address()))
        .findFirst()
        .map(one -> one.applied(server))
        .orElse(server);
  }

  private ServerSpec applied(ServerSpec server) {
    return new ServerSpec(
        server.address(),
        server.primary(),
        weight.orElse(server.weight()),
        server.tier(),
        server.suffixes(),
        drained.orElse(server.drained()),
        server.reconnect());
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return address
        + drained.map(is -> is ? " drained" : " used").orElse("")
        + weight.map(number -> " weight " + number).orElse("");
  }
}
