// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who may import whom, as data: the architecture tests of all modules enforce it, and the table in
 * docs/internals/architecture.md must equal {@link #markdown()}. Immutable.
 */
public final class ImportTable {
  /** proxy-core: a package comes after all that it may import. */
  public static final List<Row> CORE =
      List.of(
          row("ldap.protocol"),
          row("ldap.csn", "ldap.protocol"),
          row("ldap.schema", "ldap.protocol"),
          row("ldap.filter", "ldap.protocol", "ldap.schema"),
          row("net.codec", "ldap.protocol"),
          row("net.peer"),
          row("net.proxyprotocol", "net.codec", "net.peer"),
          row("net.transport"),
          row("net.tls", "net.transport"),
          row("operation.event", "net.peer"),
          row("operation.digest", "ldap.protocol", "net.transport", "operation.event"),
          row(
              "operation",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "net.peer",
              "net.transport",
              "operation.event",
              "operation.digest"),
          row("operation.external", "ldap.protocol", "net.peer"),
          row(
              "replication",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "operation"),
          row("client.auth", "ldap.protocol", "net.peer", "operation", "operation.external"),
          row(
              "client.access",
              "ldap.protocol",
              "ldap.schema",
              "net.peer",
              "net.transport",
              "operation.event",
              "operation"),
          row(
              "client.quota",
              "ldap.protocol",
              "ldap.schema",
              "net.transport",
              "operation.event",
              "operation"),
          row("client.limit", "ldap.protocol", "ldap.schema", "net.transport", "operation"),
          row(
              "client.listener",
              "net.codec",
              "net.peer",
              "net.proxyprotocol",
              "net.transport",
              "net.tls"),
          row(
              "client.connection",
              "ldap.protocol",
              "net.codec",
              "net.peer",
              "net.proxyprotocol",
              "net.transport",
              "net.tls",
              "operation.event",
              "operation.digest",
              "operation",
              "client.auth",
              "client.access",
              "client.quota",
              "client.limit",
              "client.listener"),
          row(
              "client.rootdse",
              "ldap.protocol",
              "net.peer",
              "operation",
              "operation.external",
              "client.auth"),
          row("feed.connection", "ldap.protocol", "net.transport", "operation"),
          row("feed.event", "ldap.protocol", "ldap.csn", "ldap.schema", "ldap.filter"),
          row("feed.transaction", "ldap.protocol", "ldap.csn", "feed.event"),
          row(
              "feed.syncrepl",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "feed.connection",
              "feed.event",
              "feed.transaction"),
          row(
              "feed.accesslog",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "feed.connection",
              "feed.event",
              "feed.syncrepl"),
          row(
              "feed.changelog",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "feed.connection",
              "feed.event",
              "feed.syncrepl"),
          row("coherence.freshness", "ldap.csn"),
          row("coherence.index", "ldap.protocol", "ldap.schema", "ldap.filter"),
          row(
              "coherence.view",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "feed.event",
              "coherence.index"),
          row(
              "coherence.invalidation",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "operation",
              "feed.event",
              "feed.transaction",
              "feed.syncrepl",
              "coherence.index",
              "coherence.view"),
          row(
              "coherence.rights",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "feed.event"),
          row(
              "coherence.tracking",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "operation",
              "feed.event",
              "coherence.view",
              "coherence.invalidation",
              "coherence.rights"),
          row("cache.memory"),
          row("cache.ghost", "cache.memory"),
          row(
              "cache.sharing",
              "ldap.protocol",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "operation",
              "feed.event",
              "cache.memory"),
          row(
              "cache.result",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.peer",
              "net.transport",
              "operation",
              "operation.digest",
              "replication",
              "coherence.view",
              "coherence.invalidation",
              "coherence.rights",
              "coherence.tracking",
              "cache.memory",
              "cache.ghost",
              "cache.sharing"),
          row(
              "cache.maintenance",
              "ldap.protocol",
              "ldap.csn",
              "ldap.filter",
              "net.transport",
              "operation",
              "feed.event",
              "coherence.view",
              "coherence.invalidation",
              "coherence.rights",
              "coherence.tracking",
              "cache.result"),
          row("cache.paging", "ldap.protocol", "ldap.schema", "operation", "cache.result"),
          row("upstream.activedirectory", "ldap.protocol", "operation"),
          row("upstream.admission", "ldap.protocol", "operation"),
          row("upstream.auth", "ldap.protocol", "net.transport", "operation", "operation.external"),
          row("upstream.server", "ldap.protocol", "net.transport", "upstream.admission"),
          row("upstream.balancing", "net.transport", "upstream.server"),
          row(
              "upstream.connect",
              "ldap.protocol",
              "net.codec",
              "net.proxyprotocol",
              "net.transport",
              "net.tls",
              "upstream.server"),
          row(
              "upstream.connection",
              "ldap.protocol",
              "net.codec",
              "net.transport",
              "operation",
              "upstream.auth",
              "upstream.server",
              "upstream.connect"),
          row(
              "upstream.pool",
              "ldap.protocol",
              "net.codec",
              "net.transport",
              "operation.event",
              "operation",
              "replication",
              "upstream.admission",
              "upstream.auth",
              "upstream.server",
              "upstream.balancing",
              "upstream.connect",
              "upstream.connection"),
          row(
              "upstream.health",
              "ldap.protocol",
              "net.transport",
              "operation",
              "upstream.auth",
              "upstream.server",
              "upstream.connect",
              "upstream.connection",
              "upstream.pool"),
          row(
              "write",
              "ldap.protocol",
              "ldap.schema",
              "net.peer",
              "net.transport",
              "operation",
              "replication",
              "feed.event"),
          row("routing.retry", "ldap.protocol", "operation", "upstream.server"),
          row(
              "routing",
              "ldap.protocol",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "operation",
              "replication",
              "upstream.admission",
              "upstream.auth",
              "upstream.server",
              "upstream.balancing",
              "upstream.pool",
              "routing.retry"),
          row(
              "routing.directory",
              "ldap.protocol",
              "ldap.schema",
              "net.peer",
              "net.transport",
              "operation",
              "upstream.auth",
              "upstream.balancing"),
          row(
              "metrics",
              "ldap.protocol",
              "net.peer",
              "net.tls",
              "operation.event",
              "operation",
              "client.listener",
              "feed.event",
              "coherence.view",
              "coherence.invalidation",
              "cache.sharing",
              "cache.result",
              "cache.maintenance",
              "upstream.server",
              "upstream.balancing",
              "write"),
          row(
              "proxy.feeds",
              "ldap.protocol",
              "ldap.csn",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "net.tls",
              "operation",
              "feed.connection",
              "feed.event",
              "feed.syncrepl",
              "feed.accesslog",
              "feed.changelog",
              "coherence.freshness",
              "coherence.view",
              "coherence.invalidation",
              "coherence.rights",
              "coherence.tracking",
              "cache.sharing",
              "cache.result",
              "upstream.server",
              "upstream.balancing",
              "upstream.connect",
              "upstream.pool",
              "upstream.health",
              "routing.directory"),
          row(
              "proxy.discovery",
              "ldap.protocol",
              "ldap.schema",
              "ldap.filter",
              "net.transport",
              "operation",
              "upstream.server",
              "upstream.balancing",
              "upstream.connect",
              "routing.directory"),
          row(
              "proxy.position",
              "ldap.csn",
              "net.transport",
              "operation",
              "replication",
              "upstream.server",
              "upstream.balancing",
              "upstream.health"),
          row(
              "proxy.advice",
              "ldap.protocol",
              "operation",
              "operation.digest",
              "feed.event",
              "cache.ghost",
              "cache.sharing",
              "cache.result"),
          new Row(List.of("proxy"), Allowance.ALL_ABOVE, List.of()),
          new Row(List.of("proxy.preflight"), Allowance.ALL_ABOVE, List.of()));

  /** proxy-server: the named packages may import proxy-core and small trees, never each other. */
  public static final List<Row> SERVER =
      List.of(
          new Row(
              List.of(
                  "server.accesslog",
                  "server.admin.action",
                  "server.admin.auth",
                  "server.config.value",
                  "server.systemd"),
              Allowance.CORE_ONLY,
              List.of()),
          new Row(List.of("server.localtree"), Allowance.CORE_ONLY, List.of("server.admin.action")),
          new Row(
              List.of("server.config"),
              Allowance.CORE_ONLY,
              List.of("server.accesslog", "server.admin.auth")),
          new Row(
              List.of("server.reconfigure"),
              Allowance.CORE_ONLY,
              List.of(
                  "server.admin.action", "server.localtree", "server.config", "server.admin.auth")),
          new Row(
              List.of("server.admin.monitor"),
              Allowance.CORE_AND_TREE,
              List.of("server.admin.action")),
          new Row(
              List.of("server.admin.trace"),
              Allowance.CORE_AND_TREE,
              List.of("server.accesslog", "server.admin.action")),
          new Row(List.of("server.management", "server.demo"), Allowance.CORE_AND_TREE, List.of()),
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
    CORE_AND_TREE("proxy-core and `server.localtree`"),
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
      return "`" + name + "`";
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

  /** The table as docs/internals/architecture.md shows it. */
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
