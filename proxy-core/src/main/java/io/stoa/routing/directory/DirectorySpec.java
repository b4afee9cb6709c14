// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.upstream.balancing.ServerSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of a directory: the servers that hold the same part of the tree.
 *
 * <p>Threading: immutable.
 *
 * @param suffixes suffixes of the directory, as configured; empty for the directory that holds all
 *     that no other claims
 * @param servers servers in the order of the configuration
 */
public record DirectorySpec(List<String> suffixes, List<ServerSpec> servers) {
  public DirectorySpec {
    suffixes = List.copyOf(suffixes);
    servers = List.copyOf(servers);
  }

  /**
   * Groups servers with the same suffixes, in any order and spelling.
   *
   * @return at least one directory, in the order of their first servers
   * @throws IllegalArgumentException if a suffix is malformed or claimed twice, or a directory has
   *     no primary
   */
  public static List<DirectorySpec> of(List<ServerSpec> servers) {
    List<DirectorySpec> directories = new ArrayList<>();
    for (List<ServerSpec> members : grouped(servers)) {
      directories.add(new DirectorySpec(members.get(0).suffixes(), members));
    }
    List<NormalDn> claimed = new ArrayList<>();
    for (DirectorySpec directory : directories) {
      directory.suffixes.forEach(suffix -> claim(suffix, claimed));
      directory.checkPrimary();
    }
    return List.copyOf(directories);
  }

  private static List<List<ServerSpec>> grouped(List<ServerSpec> servers) {
    List<List<ServerSpec>> groups = new ArrayList<>();
    for (ServerSpec server : servers) {
      List<ServerSpec> specs =
          groups.stream()
              .filter(group -> sameSuffixes(group.get(0).suffixes(), server.suffixes()))
              .findFirst()
              .orElse(null);
      if (specs == null) {
        groups.add(new ArrayList<>(List.of(server)));
      } else {
        specs.add(server);
      }
    }
    return groups;
  }

  /** True if two lists have the same suffixes, in any order and spelling. */
  public static boolean sameSuffixes(List<String> one, List<String> other) {
    List<NormalDn> names = one.stream().map(SuffixTable::dn).toList();
    List<NormalDn> others = other.stream().map(SuffixTable::dn).toList();
    return names.size() == others.size()
        && names.stream()
            .allMatch(dn -> others.stream().anyMatch(two -> SuffixTable.same(dn, two)));
  }

  /** True if a DN is one of its suffixes, in any spelling. */
  public boolean has(String suffix) {
    NormalDn dn = SuffixTable.dn(suffix);
    return suffixes.stream().map(SuffixTable::dn).anyMatch(own -> SuffixTable.same(own, dn));
  }

  private static void claim(String suffix, List<NormalDn> claimed) {
    NormalDn dn = SuffixTable.dn(suffix);
    if (!dn.isDn() || dn.isRoot()) {
      throw new InvalidConfigException(
          "servers",
          " has the suffix '"
              + suffix
              + "', which is not the DN of an entry. Omit the suffix for the directory that "
              + "holds all entries outside the other suffixes");
    }
    if (claimed.stream().anyMatch(other -> SuffixTable.same(dn, other))) {
      throw new InvalidConfigException(
          "servers",
          " has the suffix '"
              + suffix
              + "' twice: give all servers of one directory the same list of suffixes; two "
              + "directories cannot have the same suffix");
    }
    claimed.add(dn);
  }

  private void checkPrimary() {
    if (servers.stream().noneMatch(ServerSpec::primary)) {
      String which =
          suffixes.isEmpty() ? "without suffix" : "with suffix '" + suffixes.get(0) + "'";
      throw new InvalidConfigException(
          "servers",
          " has no primary for the directory "
              + which
              + ": set role: primary for one of its servers");
    }
  }
}
