// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.Backends;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.Monitor;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shape;
import io.stoa.cli.output.Shapes;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl status}. Threading: one instance for each run. */
@Command(name = "status", description = "Prints the state of Stoa in a few lines.")
final class StatusCommand implements Callable<Integer> {
  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Override
  public Integer call() throws StoaException {
    return stoactl.run(StatusCommand::report);
  }

  private static Report report(StoaClient client) throws StoaException {
    Monitor monitor = Monitor.read(client);
    List<String> forRestart = Configuration.now(client).forRestart();
    Map<String, @Nullable Object> json = json(monitor, client);
    json.put("restartNeeded", forRestart);
    List<String> lines = new ArrayList<>(lines(monitor, client));
    if (!forRestart.isEmpty()) {
      lines.add(Printable.of("restart required for: " + String.join(", ", forRestart)));
    }
    return new Report(json, lines);
  }

  private static Map<String, @Nullable Object> json(Monitor monitor, StoaClient client) {
    EntryValues base = monitor.base();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("uri", client.endpoint().toString());
    json.put("version", base.text("version"));
    json.put("uptimeSeconds", monitor.uptime());
    json.put("ready", base.bool("ready"));
    json.put("clients", base.number("currentconnections"));
    json.put("clientsMax", base.number("maxconnections"));
    json.put("clientsTotal", base.number("totalconnections"));
    json.put("operations", base.number("opscompleted"));
    json.put("inFlight", monitor.inFlight());
    json.put("cacheEnabled", monitor.caches().bool("stoaCacheEnabled"));
    json.put("searchHitRatio", hits(monitor));
    json.put("backends", list(monitor.backends(), Shapes.BACKENDS, "number", "url", "state"));
    json.put("windows", list(monitor.windows(), Shapes.WINDOWS, "name", "state", "waiting"));
    return json;
  }

  private static List<Map<String, @Nullable Object>> list(
      List<EntryValues> entries, Shape shape, String... names) {
    return entries.stream()
        .map(
            entry -> {
              Map<String, @Nullable Object> values = shape.json(entry);
              values.keySet().retainAll(List.of(names));
              return values;
            })
        .toList();
  }

  private static @Nullable Double hits(Monitor monitor) {
    long hits = monitor.caches().count("stoaFilterCacheHits");
    return Amounts.share(hits, hits + monitor.caches().count("stoaFilterCacheMisses"));
  }

  private static List<String> lines(Monitor monitor, StoaClient client) {
    EntryValues base = monitor.base();
    boolean ready = Boolean.TRUE.equals(base.bool("ready"));
    boolean cache = Boolean.TRUE.equals(monitor.caches().bool("stoaCacheEnabled"));
    TextTable table =
        new TextTable()
            .row("stoa", base.text("version") + " at " + client.endpoint())
            .row("state", ready ? "ready" : Monitor.notReady(base))
            .row("up for", Amounts.seconds(monitor.uptime()))
            .row(
                "clients",
                Amounts.count(base.number("currentconnections"))
                    + " of "
                    + Amounts.count(base.number("maxconnections")))
            .row(
                "operations",
                Amounts.count(base.number("opscompleted"))
                    + " done, "
                    + Amounts.count(monitor.inFlight())
                    + " in flight")
            .row("cache", cache ? "on, " + Amounts.percent(hits(monitor)) + " hits" : "off");
    monitor.backends().forEach(one -> table.row("backend", server(one)));
    monitor.windows().forEach(one -> table.row("window", window(one)));
    return table.lines();
  }

  private static String server(EntryValues server) {
    return server.text(Backends.NUMBER)
        + " "
        + Backends.url(server)
        + " "
        + server.text("health-check-state");
  }

  private static String window(EntryValues window) {
    return window.name()
        + " "
        + window.text("stoaWindowState")
        + ", "
        + Amounts.count(window.number("stoaWindowWaiting"))
        + " waiting";
  }
}
