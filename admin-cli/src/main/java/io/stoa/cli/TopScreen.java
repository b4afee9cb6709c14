// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.TopChoice.Order;
import io.stoa.cli.client.Backends;
import io.stoa.cli.client.ClientRates;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.Rates;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The screen of {@code top} below its heading, for a terminal of 80 columns and 24 lines.
 *
 * <p>Threading: immutable.
 */
record TopScreen(Rates rates, @Nullable ClientRates clients, TopChoice choice) {
  private static final double MICROS_OF_MILLI = 1000;

  /** A row with the values by which it can be ordered. Threading: immutable. */
  private record Row(
      String name,
      List<String> cells,
      @Nullable Double rate,
      double flight,
      @Nullable Double time) {
    double key(Order order) {
      Double value = order == Order.RATE ? rate : order == Order.TIME ? time : (Double) flight;
      return value == null ? -1 : value;
    }
  }

  List<String> lines() {
    List<String> lines =
        new ArrayList<>(
            switch (choice.view()) {
              case OVERVIEW -> overview();
              case SERVERS -> servers();
              case CLIENTS -> clientLines();
            });
    lines.add("");
    lines.add(TopChoice.KEYS);
    return lines;
  }

  private List<String> overview() {
    List<String> lines = new ArrayList<>(operations());
    lines.add("");
    lines.addAll(servers());
    rates.now().windows().forEach(window -> lines.add(window(window)));
    return lines;
  }

  private static List<String> table(List<String> head, List<Row> rows, Order order) {
    Comparator<Row> byName = Comparator.comparing(Row::name);
    Comparator<Row> byValue = Comparator.comparingDouble(row -> -row.key(order));
    TextTable table = new TextTable().row(head);
    rows.stream()
        .sorted(order == Order.NAME ? byName : byValue.thenComparing(byName))
        .forEach(row -> table.row(row.cells()));
    return table.lines();
  }

  /** Returns the operations of the interval; those that did not occur are left out. */
  private List<String> operations() {
    List<Row> rows = new ArrayList<>();
    for (String kind : rates.now().operations().keySet()) {
      Double rate = rates.operations(kind);
      if (rate != null && rate > 0) {
        Double millis = rates.millis(kind);
        Double micros = millis == null ? null : (Double) (millis * MICROS_OF_MILLI);
        List<String> cells = List.of(kind, Amounts.decimal(rate), Amounts.micros(micros));
        rows.add(new Row(kind, cells, rate, 0, micros));
      }
    }
    return table(List.of("operation", "each second", "time"), rows, choice.order());
  }

  private List<String> servers() {
    List<Row> rows = new ArrayList<>();
    for (EntryValues server : rates.now().backends()) {
      Long latency = server.number("stoaServerLatency");
      Double micros = latency == null ? null : (Double) latency.doubleValue();
      Double rate = rates.answers(server);
      List<String> cells =
          List.of(
              server.text(Backends.NUMBER) + " " + Backends.url(server),
              String.valueOf(server.text("health-check-state")),
              Amounts.decimal(rate),
              Amounts.count(server.number("olmPendingOps")),
              Amounts.micros(micros));
      rows.add(new Row(Backends.url(server), cells, rate, server.count("olmPendingOps"), micros));
    }
    return table(
        List.of("backend", "state", "each second", "in flight", "time"), rows, choice.order());
  }

  private List<String> clientLines() {
    ClientRates known = clients;
    if (known == null) {
      return List.of("reading the clients ...");
    }
    List<Row> rows = new ArrayList<>();
    for (EntryValues client : known.now()) {
      Double rate = known.perSecond(client);
      long flight = client.count("monitorConnectionOpsExecuting");
      List<String> cells =
          List.of(
              String.valueOf(client.text("monitorConnectionNumber")),
              peer(client),
              Amounts.decimal(rate),
              Amounts.count(flight),
              Amounts.count(client.number("monitorConnectionOpsPending")),
              identity(client));
      rows.add(new Row(identity(client), cells, rate, flight, null));
    }
    List<String> head = List.of("client", "peer", "each second", "flight", "queued", "identity");
    return table(head, rows, choice.order());
  }

  private static String identity(EntryValues client) {
    String dn = client.text("monitorConnectionAuthzDN");
    return dn == null || dn.isEmpty() ? "anonymous" : dn;
  }

  private static String peer(EntryValues client) {
    String peer = client.text("monitorConnectionPeerAddress");
    if (peer == null || peer.startsWith("PATH=")) {
      return peer == null ? Amounts.UNKNOWN : "local";
    }
    return peer.replaceFirst("^IP=", "");
  }

  private static String window(EntryValues window) {
    return new TextTable()
        .row(
            "window " + window.name(),
            String.valueOf(window.text("stoaWindowState")),
            Amounts.count(window.number("stoaWindowWaiting")) + " waiting")
        .lines()
        .get(0);
  }
}
