// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.server.localtree.TreeEntry;
import java.util.List;

/**
 * Entries below {@code cn=monitor} that describe backends, databases and listeners, in the form of
 * slapd's back-monitor. Threading: confined to the thread that builds the answer.
 */
final class OpenLdapObjects {
  private static final String ROOT = "cn=Monitor";
  private static final String BACKENDS = "cn=Backends," + ROOT;
  private static final String DATABASES = "cn=Databases," + ROOT;
  private static final String CONTAINER = "monitorContainer";
  private static final String OBJECT = "monitoredObject";
  private static final String INFO = "monitoredInfo";
  private static final String NO = "FALSE";

  private static final List<String> KINDS = List.of("monitor", "proxy");
  private static final int MONITOR = 0;
  private static final int PROXY = 1;

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  OpenLdapObjects(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    backends();
    databases();
    listeners();
    entries.add("Log", ROOT, CONTAINER, "The log is configured in conf/logback.xml.");
    entries.add("Overlays", ROOT, CONTAINER, "Stoa has no overlays.");
    entries.add("SASL", ROOT, CONTAINER, "SASL mechanisms are the directory's.");
    entries.add("TLS", ROOT, CONTAINER, "TLS counters are in cn=monitor.");
  }

  private void backends() {
    entries
        .add("Backends", ROOT, CONTAINER, "Kinds of databases.")
        .operational(INFO, KINDS.toArray(String[]::new));
    for (int i = 0; i < KINDS.size(); i++) {
      entries
          .add("Backend " + i, BACKENDS, OBJECT)
          .operational(INFO, KINDS.get(i))
          .operational("monitorRuntimeConfig", NO);
    }
  }

  private void databases() {
    List<String> suffixes = snapshot.status().suffixes();
    entries
        .add("Databases", ROOT, CONTAINER, "Stoa's own tree, and the directories' naming contexts.")
        .operational("readOnly", NO)
        .operational("namingContexts", suffixes.toArray(String[]::new))
        .operational("monitorContext", ROOT);
    database("Frontend").operational(INFO, "frontend").operational("namingContexts", "");
    database("Database 0", MONITOR).operational("monitorContext", ROOT);
    for (int i = 0; i < suffixes.size(); i++) {
      database("Database " + (i + 1), PROXY).operational("namingContexts", suffixes.get(i));
    }
  }

  private TreeEntry database(String name) {
    return entries
        .add(name, DATABASES, OBJECT)
        .operational("monitorIsShadow", NO)
        .operational("readOnly", NO);
  }

  private TreeEntry database(String name, int kind) {
    return database(name)
        .operational(INFO, KINDS.get(kind))
        .add("seeAlso", "cn=Backend " + kind + "," + BACKENDS);
  }

  private void listeners() {
    String parent = entries.add("Listeners", ROOT, CONTAINER, "Listeners for clients.").dn();
    List<ListenerConfig> listeners = snapshot.status().listeners();
    List<Long> accepted = snapshot.status().accepted();
    for (int i = 0; i < listeners.size(); i++) {
      ListenerConfig listener = listeners.get(i);
      entries
          .add("Listener " + i, parent, OBJECT)
          .operational("monitorConnectionLocalAddress", address(listener))
          .operational("monitorTotalListenerConnections", accepted.get(i).toString())
          .add("labeledURI", url(listener));
    }
  }

  private static String address(ListenerConfig listener) {
    return listener.isTcp()
        ? "IP=" + listener.host() + ":" + listener.port()
        : "PATH=" + listener.host();
  }

  private static String url(ListenerConfig listener) {
    return listener.kind() == Protocol.LDAP ? "ldap://" + listener : listener.toString();
  }
}
