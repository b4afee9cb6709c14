// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.metrics.OperationKind;
import io.stoa.operation.LatencyHistogram;
import io.stoa.operation.event.CacheOutcome;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.localtree.TreeEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Entries of counters below {@code cn=monitor}, in the form of slapd's back-monitor. Threading:
 * confined to the thread that builds the answer.
 */
final class OpenLdapCounters {
  private static final String ROOT = "cn=Monitor";
  private static final String CONTAINER = "monitorContainer";
  private static final String COUNTER = "monitorCounterObject";
  private static final String OBJECT = "monitoredObject";
  private static final String INFO = "monitoredInfo";
  private static final long NANOS_PER_MICRO = 1_000;

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  OpenLdapCounters(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    connections();
    operations();
    statistics();
    threads();
    time();
    waiters();
  }

  private void connections() {
    String parent = container("Connections", "Connections of clients.");
    counter("Max File Descriptors", parent, FileDescriptors.max());
    counter("Total", parent, snapshot.count(ClientEvent.CONNECTION_OPENED));
    counter("Current", parent, snapshot.status().connections());
  }

  private void operations() {
    String parent = "cn=Operations," + ROOT;
    initiated(
        entries.add("Operations", ROOT, CONTAINER, "Operations of clients, by kind."),
        snapshot.received(),
        snapshot.completed(),
        snapshot.nanos());
    for (OperationKind kind : OperationKind.values()) {
      String lower = kind.name().toLowerCase(Locale.ROOT);
      String name = kind.name().charAt(0) + lower.substring(1);
      TreeEntry entry = entries.add(name, parent, "monitorOperation");
      initiated(entry, snapshot.received(kind), snapshot.completed(kind), snapshot.nanos(kind));
      entry.operational("stoaLatency", latencies(kind));
    }
  }

  /** Returns outcome, upper bound in microseconds and number of operations, for each bucket. */
  private String[] latencies(OperationKind kind) {
    long[] bounds = LatencyHistogram.bounds();
    List<String> buckets = new ArrayList<>();
    for (CacheOutcome outcome : CacheOutcome.values()) {
      long[] counts = snapshot.counters().latencies().histogram(kind.request(), outcome).counts();
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] > 0) {
          String bound = i < bounds.length ? Long.toString(bounds[i] / NANOS_PER_MICRO) : "more";
          buckets.add(outcome.word() + " " + bound + " " + counts[i]);
        }
      }
    }
    return buckets.toArray(String[]::new);
  }

  private static void initiated(TreeEntry entry, long initiated, long done, long nanos) {
    entry
        .operational("monitorOpInitiated", Long.toString(initiated))
        .operational("monitorOpCompleted", Long.toString(done))
        .operational("stoaNanos", Long.toString(nanos));
  }

  private void statistics() {
    String parent = container("Statistics", "Responses sent to clients.");
    counter("Bytes", parent, snapshot.count(ClientEvent.OCTET_SENT));
    counter("PDU", parent, snapshot.counters().messagesSent());
    counter("Entries", parent, snapshot.count(ClientEvent.ENTRY_SENT));
    counter("Referrals", parent, snapshot.count(ClientEvent.REFERENCE_SENT));
  }

  private void threads() {
    String parent = container("Threads", "Event loops, and operations in progress.");
    long waiting = snapshot.status().queued();
    long working = Math.max(0, snapshot.inFlight() - waiting);
    addInfo("Max", parent, "Configured event loops", snapshot.status().eventLoops());
    addInfo(
        "Max Pending",
        parent,
        "Operations that may wait for a server",
        snapshot.status().queueLimit());
    addInfo("Open", parent, "Running event loops", snapshot.status().eventLoops());
    addInfo("Starting", parent, "Event loops that are starting", 0);
    addInfo("Active", parent, "Operations in progress", working);
    addInfo("Pending", parent, "Operations that wait for a server", waiting);
    addInfo("Backload", parent, "Operations in progress or waiting", working + waiting);
    entries.add("State", parent, OBJECT, "State of the threads").operational(INFO, "running");
    entries.add("Runqueue", parent, OBJECT, "Running tasks; Stoa has none");
    entries.add("Tasklist", parent, OBJECT, "Scheduled tasks; Stoa has none");
  }

  private void time() {
    String parent = container("Time", "Start time, present time and uptime.");
    entries
        .add("Start", parent, OBJECT)
        .operational("monitorTimestamp", TimeForm.GENERALIZED.print(snapshot.started()));
    entries
        .add("Current", parent, OBJECT)
        .operational("monitorTimestamp", TimeForm.GENERALIZED.print(snapshot.time()));
    long uptime = Duration.between(snapshot.started(), snapshot.time()).toSeconds();
    entries.add("Uptime", parent, OBJECT).operational(INFO, Long.toString(uptime));
  }

  private void waiters() {
    String parent = container("Waiters", "Client connections that wait.");
    counter("Write", parent, snapshot.status().writeWaiters());
    counter("Read", parent, snapshot.status().readWaiters());
  }

  private String container(String name, String description) {
    return entries.add(name, ROOT, CONTAINER, description).dn();
  }

  private void counter(String name, String parent, long value) {
    entries.add(name, parent, COUNTER).operational("monitorCounter", Long.toString(value));
  }

  private void addInfo(String name, String parent, String description, long value) {
    entries.add(name, parent, OBJECT, description).operational(INFO, Long.toString(value));
  }
}
