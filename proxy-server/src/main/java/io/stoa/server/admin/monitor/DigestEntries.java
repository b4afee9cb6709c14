// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.DigestStatus.Sender;
import io.stoa.server.localtree.TreeEntry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Entries of search digests below {@code cn=Digests,cn=monitor}, for the administrator. Threading:
 * confined to the thread that builds the answer.
 */
final class DigestEntries {
  private static final String OTHERS = "others";
  private static final String ANONYMOUS = "anonymous";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  DigestEntries(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    if (!snapshot.showsClients()) {
      return;
    }
    TreeEntry parent =
        entries.add("Digests", "cn=Monitor", "monitorContainer", "Searches by pattern.");
    parent.setActions(snapshot.offers().digests());
    snapshot.digests().forEach(digest -> add(digest, parent.dn()));
  }

  private void add(DigestStatus digest, String parent) {
    SearchPattern pattern = digest.pattern();
    TreeEntry entry =
        entries.add(pattern == null ? OTHERS : pattern.id(), parent, "stoaSearchDigest");
    if (pattern != null) {
      entry
          .operational("stoaDigestBase", pattern.base())
          .operational("stoaDigestScope", pattern.scopeWord())
          .operational("stoaDigestFilter", pattern.filter())
          .operational("stoaDigestAttributes", pattern.attributes())
          .operational("stoaDigestDeref", pattern.derefWord());
    }
    entry
        .operational("stoaDigestFirst", TimeForm.GENERALIZED.print(digest.first()))
        .operational("stoaDigestLast", TimeForm.GENERALIZED.print(digest.last()));
    number(entry, "stoaDigestSearches", digest.searches());
    number(entry, "stoaDigestHits", digest.hits());
    number(entry, "stoaDigestJoined", digest.joined());
    number(entry, "stoaDigestMisses", digest.misses());
    number(entry, "stoaDigestBypassed", digest.bypassed());
    number(entry, "stoaDigestEntries", digest.entries());
    number(entry, "stoaDigestOctets", digest.octets());
    number(entry, "stoaDigestEmpty", digest.empty());
    number(entry, "stoaDigestFailed", digest.failed());
    number(entry, "stoaDigestMistaken", digest.mistaken());
    number(entry, "stoaDigestValues", digest.values());
    micros(entry, "stoaDigestHitP50", digest.hitTimes().p50());
    micros(entry, "stoaDigestHitP99", digest.hitTimes().p99());
    micros(entry, "stoaDigestMissP50", digest.missTimes().p50());
    micros(entry, "stoaDigestMissP99", digest.missTimes().p99());
    micros(entry, "stoaDigestUpstream", digest.upstream());
    micros(entry, "stoaDigestRecent", digest.recent());
    senders(entry, "stoaDigestIdentities", digest.identities(), DigestEntries::identity);
    senders(entry, "stoaDigestNetworks", digest.networks(), FailedBindCounters::nameOf);
  }

  private static String identity(Octets name) {
    return name.length() == 0 ? ANONYMOUS : new String(name.array(), UTF_8);
  }

  private static void senders(
      TreeEntry entry, String name, List<Sender> senders, Function<Octets, String> text) {
    entry.operational(
        name,
        senders.stream()
            .map(sender -> sender.count() + " " + text.apply(sender.name()))
            .toArray(String[]::new));
  }

  private static void micros(TreeEntry entry, String name, Duration time) {
    number(entry, name, TimeUnit.NANOSECONDS.toMicros(time.toNanos()));
  }

  private static void number(TreeEntry entry, String name, long value) {
    entry.operational(name, Long.toString(value));
  }
}
