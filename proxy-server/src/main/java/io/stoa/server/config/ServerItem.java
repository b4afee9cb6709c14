// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.routing.directory.DirectorySpec;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.Optional;

/**
 * A directory server as it is written in the file: a URL, or a mapping with a URL and options.
 *
 * <p>Threading: immutable.
 *
 * @param role empty if the file does not set it
 */
record ServerItem(
    ServerAddress address,
    Optional<Role> role,
    int weight,
    int tier,
    List<String> suffixes,
    boolean drained,
    String reconnect) {
  /** Checks the weight and the tier, so that an invalid one is reported at this item. */
  ServerItem {
    suffixes = List.copyOf(suffixes);
    new ServerSpec(address, true, weight, tier);
  }

  private static final ElementField<ServerAddress> URL =
      new ElementField<>(
              "url",
              ValueTypes.SERVER,
              "URL of the server. ldap+srv://DOMAIN and ldaps+srv://DOMAIN stand for all servers of a"
                  + " domain in DNS.")
          .asRequired();
  private static final ElementField<Role> ROLE =
      new ElementField<>(
          "role",
          ValueTypes.choice(Role.class),
          "primary (takes writes) or replica. If no server of a directory is primary, the first one"
              + " is.");
  private static final ElementField<Integer> WEIGHT =
      new ElementField<>(
          "weight",
          ValueTypes.NUMBER,
          "Share of the load within its tier, at least 1. Default: 1.",
          true);
  private static final ElementField<Integer> TIER =
      new ElementField<>(
          "tier",
          ValueTypes.NUMBER,
          "Tier, at least 1. Servers of tier 2 are used only while no server of tier 1 is up, and"
              + " so on. Default: 1.");

  private static final ElementField<List<String>> SUFFIX =
      new ElementField<>(
          "suffix",
          new Sequence<>(ValueTypes.DN, false),
          "Suffixes of its directory. Servers with equal lists form one directory. Servers without"
              + " suffixes serve all names that no other directory has.");

  private static final ElementField<Boolean> DRAINED =
      new ElementField<>(
          "drained",
          ValueTypes.BOOLEAN,
          "Draining of the server: operations in flight end, and no new ones are sent. Default:"
              + " false.",
          true);
  private static final ElementField<String> RECONNECT =
      new ElementField<>(
          "reconnect",
          ValueTypes.TEXT,
          "Any text. When it changes, all connections to the server are replaced, a few at a time.",
          true);

  /** Type of an item of the list. */
  static final Items<ServerItem> TYPE =
      new Items<>(
          "URLs or servers",
          List.of(URL, ROLE, WEIGHT, TIER, SUFFIX, DRAINED, RECONNECT),
          List.of(
              "ldaps://ldap1.example.com",
              "primary",
              "1",
              "1",
              "['dc=example,dc=com']",
              "false",
              "2026-01-31"),
          ServerItem::of,
          ServerItem::address,
          false);

  /** Role of a server: takes writes, or replicates. */
  enum Role {
    PRIMARY,
    REPLICA
  }

  /** Returns the URL, which is the short form of a server without options. */
  @Override
  public String toString() {
    return address.toString();
  }

  /** Creates a server without options. */
  static ServerItem of(ServerAddress address) {
    return new ServerItem(address, Optional.empty(), 1, 1, List.of(), false, "");
  }

  private static ServerItem of(ValueType.ItemValues values) {
    ServerAddress address = values.require(URL);
    int weight = values.get(WEIGHT).orElse(1);
    int tier = values.get(TIER).orElse(1);
    return new ServerItem(
        address,
        values.get(ROLE),
        weight,
        tier,
        values.get(SUFFIX).orElse(List.of()),
        values.get(DRAINED).orElse(false),
        values.get(RECONNECT).orElse(""));
  }

  /** Returns the parts that only a restart changes. The others are set to constants. */
  ServerItem restartPart() {
    return new ServerItem(address, role, 1, tier, suffixes, false, "");
  }

  /**
   * Returns the servers' specifications. If no server of a directory is declared primary, its first
   * server is.
   */
  static List<ServerSpec> specs(List<ServerItem> items) {
    return items.stream().map(item -> item.spec(items)).toList();
  }

  private ServerSpec spec(List<ServerItem> items) {
    List<ServerItem> siblings = items.stream().filter(this::isOfSameDirectory).toList();
    boolean hasPrimary = siblings.stream().anyMatch(item -> item.hasRole(Role.PRIMARY));
    boolean first =
        siblings.get(0).address.equals(address) && !hasPrimary && !hasRole(Role.REPLICA);
    boolean primary = first || hasRole(Role.PRIMARY);
    return new ServerSpec(address, primary, weight, tier, suffixes, drained, reconnect);
  }

  private boolean isOfSameDirectory(ServerItem other) {
    return DirectorySpec.sameSuffixes(suffixes, other.suffixes);
  }

  private boolean hasRole(Role wanted) {
    return role.filter(wanted::equals).isPresent();
  }
}
