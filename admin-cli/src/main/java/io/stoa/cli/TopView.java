// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.Backends;
import io.stoa.cli.client.ClientRates;
import io.stoa.cli.client.Endpoint;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.Monitor;
import io.stoa.cli.client.Rates;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.TextTable;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Output of {@code stoactl top} for one interval, as a screen, as a line and as JSON. Threading:
 * immutable.
 */
record TopView(Rates rates, Endpoint endpoint, Instant time) {
  private static final String COLUMNS = "%-8s %10s %7s %7s %10s %8s %8s %9s";
  private static final String SEARCH = "search";
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

  /** Returns the heading of the lines. */
  static String head() {
    return COLUMNS.formatted(
        "time", "ops/s", "hits", "entries", "search ms", "clients", "inflight", "backends");
  }

  String line() {
    Monitor now = rates.now();
    return COLUMNS.formatted(
        CLOCK.format(time),
        Amounts.decimal(rates.operations()),
        Amounts.percent(searchHits()),
        Amounts.percent(entryHits()),
        Amounts.decimal(rates.millis(SEARCH)),
        Amounts.count(now.base().number("currentconnections")),
        Amounts.count(now.inFlight()),
        now.backendsUp() + "/" + now.backends().size());
  }

  private @Nullable Double searchHits() {
    return rates.share("stoaFilterCacheHits", "stoaFilterCacheMisses");
  }

  private @Nullable Double entryHits() {
    return rates.share("stoaEntryCacheHits", "stoaEntryCacheMisses");
  }

  private @Nullable Double compareHits() {
    return rates.share("stoaCompareHits", "stoaCompareMisses");
  }

  // The screen

  /** Returns the screen while Stoa cannot be read. */
  static List<String> lost(@Nullable String reason, Instant now) {
    return List.of(
        Printable.of(String.valueOf(reason)),
        "Trying again, at " + CLOCK.format(now),
        "",
        "q quits");
  }

  List<String> screen(@Nullable ClientRates clients, TopChoice choice) {
    List<String> lines = new ArrayList<>(heading().lines());
    lines.add("");
    lines.addAll(new TopScreen(rates, clients, choice).lines());
    return lines;
  }

  private TextTable heading() {
    Monitor now = rates.now();
    EntryValues base = now.base();
    return new TextTable()
        .row(base.text("version") + " at " + endpoint, CLOCK.format(time))
        .row(
            Amounts.decimal(rates.operations())
                + " operations/s, "
                + Amounts.count(base.number("currentconnections"), "client")
                + ", "
                + Amounts.count(now.inFlight())
                + " in flight",
            "up for " + Amounts.seconds(now.uptime()))
        .row(
            "hits: searches "
                + Amounts.percent(searchHits())
                + ", entries "
                + Amounts.percent(entryHits())
                + ", compares "
                + Amounts.percent(compareHits()),
            Amounts.octets(now.caches().number("stoaCacheBytes")) + " stored");
  }

  // JSON

  Map<String, @Nullable Object> json() {
    Monitor now = rates.now();
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("time", time.truncatedTo(ChronoUnit.MILLIS).toString());
    json.put("seconds", Amounts.rounded(rates.seconds()));
    json.put("operationsPerSecond", Amounts.rounded(rates.operations()));
    json.put("searchHitRatio", rounded(searchHits()));
    json.put("entryHitRatio", rounded(entryHits()));
    json.put("compareHitRatio", rounded(compareHits()));
    json.put("clients", now.base().number("currentconnections"));
    json.put("inFlight", now.inFlight());
    Map<String, Object> operations = new LinkedHashMap<>();
    now.operations().keySet().forEach(kind -> operations.put(kind, operation(kind)));
    json.put("operations", operations);
    json.put("backends", now.backends().stream().map(this::server).toList());
    return json;
  }

  private Map<String, @Nullable Object> operation(String kind) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("perSecond", rounded(rates.operations(kind)));
    json.put("millis", rounded(rates.millis(kind)));
    return json;
  }

  private Map<String, @Nullable Object> server(EntryValues server) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("number", server.number(Backends.NUMBER));
    json.put("url", Backends.url(server));
    json.put("state", server.text("health-check-state"));
    json.put("perSecond", rounded(rates.answers(server)));
    json.put("inFlight", server.number("olmPendingOps"));
    json.put("latencyMicros", server.number("stoaServerLatency"));
    return json;
  }

  private static @Nullable Double rounded(@Nullable Double number) {
    return number == null ? null : (Double) Amounts.rounded(number);
  }
}
