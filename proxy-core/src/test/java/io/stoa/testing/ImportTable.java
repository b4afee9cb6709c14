// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who may import whom, as data: the architecture tests of all modules enforce it, and the table in
 * docs/architecture.md must equal {@link #markdown()}. Immutable.
 */
public final class ImportTable {
  /** The package {@code io.stoa} itself, which no other package of proxy-core may import. */
  public static final String ROOT = "root";

  /** proxy-core, in the order in which bytes meet the packages. */
  public static final List<Row> CORE =
      List.of(
          row("ldap, origin, memory, retry"),
          row("external", "ldap", "origin"),
          row("codec, match", "ldap"),
          row("diff", "ldap"),
          row("filter", "ldap", "match", "diff"),
          row("index", "ldap", "match", "filter"),
          row("change", "ldap", "match", "filter"),
          row("operation", "ldap", "match", "change", "origin"),
          row("limit", "ldap", "match", "operation"),
          row("identity", "ldap", "origin", "external", "operation"),
          row("queue", "ldap", "operation"),
          row("backend", "ldap", "codec"),
          row("tier", "backend"),
          row("listen", "ldap", "codec", "origin", "operation"),
          row("frontend", "ldap", "codec", "origin", "operation", "limit", "identity", "listen"),
          row("dial", "ldap", "codec", "backend"),
          row("connection", "ldap", "codec", "operation", "identity", "backend", "dial"),
          row(
              "upstream",
              "ldap",
              "codec",
              "change",
              "origin",
              "operation",
              "identity",
              "queue",
              "backend",
              "tier",
              "dial",
              "connection",
              "retry"),
          row(
              "probe",
              "ldap",
              "codec",
              "operation",
              "identity",
              "backend",
              "dial",
              "connection",
              "upstream",
              "retry"),
          row("topology", "ldap", "match", "origin", "operation", "identity", "backend", "tier"),
          row("coherence", "ldap", "match", "change", "operation"),
          row("view", "ldap", "match", "filter", "index", "change"),
          row("commit", "filter", "change"),
          row("derive", "ldap", "match", "filter", "change"),
          row(
              "realm",
              "ldap",
              "match",
              "filter",
              "index",
              "change",
              "operation",
              "coherence",
              "view",
              "commit"),
          row(
              "watch",
              "ldap",
              "match",
              "filter",
              "change",
              "operation",
              "coherence",
              "derive",
              "view",
              "realm"),
          row(
              "write",
              "ldap",
              "match",
              "codec",
              "change",
              "origin",
              "operation",
              "identity",
              "coherence"),
          row("link", "ldap", "identity"),
          row("feed", "ldap", "match", "filter", "change", "commit", "retry", "link"),
          row("accesslog", "ldap", "match", "filter", "change", "link", "feed"),
          row("changelog", "ldap", "match", "filter", "change", "link", "feed", "retry"),
          row("peer", "ldap", "match", "change"),
          row("adapt", "ldap", "match", "origin", "external", "operation", "identity"),
          row("page", "ldap", "match", "origin", "operation", "identity"),
          row("access", "ldap", "match", "change", "memory", "operation"),
          row(
              "cache",
              "ldap",
              "match",
              "filter",
              "memory",
              "access",
              "change",
              "origin",
              "operation",
              "coherence",
              "derive",
              "view",
              "realm",
              "watch"),
          row(
              "upkeep",
              "ldap",
              "match",
              "filter",
              "codec",
              "change",
              "operation",
              "derive",
              "view",
              "realm",
              "watch",
              "cache"),
          row("replay", "ldap", "operation", "backend"),
          row(
              "route",
              "ldap",
              "match",
              "codec",
              "change",
              "operation",
              "identity",
              "coherence",
              "queue",
              "backend",
              "tier",
              "replay",
              "upstream"),
          row(
              "wiring",
              "ldap",
              "match",
              "filter",
              "codec",
              "change",
              "operation",
              "backend",
              "tier",
              "topology",
              "dial",
              "upstream",
              "probe",
              "coherence",
              "derive",
              "view",
              "realm",
              "watch",
              "access",
              "cache",
              "link",
              "feed",
              "accesslog",
              "changelog"),
          new Row(List.of("monitor"), Allowance.ALL_ABOVE, List.of()),
          new Row(List.of(ROOT), Allowance.ALL_ABOVE, List.of()));

  /** proxy-server: the named packages may import proxy-core and small trees, never each other. */
  public static final List<Row> SERVER =
      List.of(
          new Row(
              List.of("server.action", "server.administrator", "server.config.value"),
              Allowance.CORE_ONLY,
              List.of()),
          new Row(List.of("server.tree"), Allowance.CORE_ONLY, List.of("server.action")),
          new Row(List.of("server.config"), Allowance.CORE_ONLY, List.of("server.administrator")),
          new Row(
              List.of("server.tuning"),
              Allowance.CORE_ONLY,
              List.of("server.action", "server.tree", "server.config", "server.administrator")),
          new Row(List.of("server.admin"), Allowance.CORE_AND_TREE, List.of("server.action")),
          new Row(
              List.of("server.management", "server.demo", "server.journal", "server.shared"),
              Allowance.CORE_AND_TREE,
              List.of()),
          new Row(List.of("server"), Allowance.ANYTHING, List.of()));

  /** admin-cli, which knows no other module. */
  public static final List<Row> CLI =
      List.of(
          row("cli.client"),
          row("cli.output", "cli.client"),
          row("cli", "cli.client", "cli.output"));

  private ImportTable() {}

  /** What a row allows, beside what is not ours. */
  public enum Allowance {
    LISTED("nothing of ours"),
    ALL_ABOVE("any of the above"),
    CORE_ONLY("proxy-core"),
    CORE_AND_TREE("proxy-core and `server.tree`"),
    ANYTHING("any");

    private final String text;

    Allowance(String text) {
      this.text = text;
    }
  }

  /** One line of the table: the same rule for each of the packages. */
  public record Row(List<String> packages, Allowance allowance, List<String> listed) {
    String markdown() {
      String names = packages.stream().map(name -> name(name)).collect(Collectors.joining(", "));
      return "| " + names + " | " + String.join(", ", allowed()) + " |";
    }

    private List<String> allowed() {
      List<String> allowed = new ArrayList<>(listed);
      if (allowance != Allowance.LISTED || listed.isEmpty()) {
        allowed.add(0, allowance.text);
      }
      return allowed;
    }

    private static String name(String name) {
      return name.equals(ROOT) ? name : "`" + name + "`";
    }
  }

  /** The names of all packages of proxy-core that come before {@code name}, in table order. */
  public static List<String> above(String name) {
    return corePackages().stream().takeWhile(other -> !other.equals(name)).toList();
  }

  /** The names of all packages of proxy-core, in table order. */
  public static List<String> corePackages() {
    return CORE.stream().flatMap(row -> row.packages().stream()).toList();
  }

  /** The table as docs/architecture.md shows it. */
  public static List<String> markdown() {
    List<String> lines = new ArrayList<>(List.of("| package | may import |", "|---|---|"));
    CORE.forEach(row -> lines.add(row.markdown()));
    SERVER.forEach(row -> lines.add(row.markdown()));
    CLI.forEach(row -> lines.add(row.markdown()));
    return lines;
  }

  private static Row row(String packages, String... listed) {
    return new Row(List.of(packages.split(", ")), Allowance.LISTED, List.of(listed));
  }
}
