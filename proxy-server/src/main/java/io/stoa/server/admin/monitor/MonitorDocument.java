// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import com.unboundid.util.json.JSONBuffer;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.action.Action;
import io.stoa.server.localtree.TreeEntry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * {@code cn=monitor} as a JSON document (RFC 8259), as the administrator sees it. Entries of single
 * connections are left out.
 *
 * <p>Threading: immutable.
 *
 * @param source sources of the values
 */
public record MonitorDocument(MonitorSource source) {
  private static final String ROOT = "cn=monitor";
  private static final String NETWORKS = "cn=networks,cn=monitor";
  private static final String DIGESTS = "cn=digests,cn=monitor";
  private static final String ADVICE = "cn=advice,cn=monitor";

  /** Capacity of the document in characters: 32 Ki, more than the entries of a small directory. */
  private static final int CAPACITY = 32 * 1024;

  /**
   * Returns the entries of some subtrees, and always the first entry of the tree.
   *
   * @param bases DNs of the subtrees, without regard to case and to blanks beside commas and equals
   *     signs; none for the whole tree. The part {@code ,cn=monitor} may be missing
   * @param executor computes the document
   */
  public CompletableFuture<String> read(List<String> bases, Executor executor) {
    Subtrees subtrees = Subtrees.of(bases);
    return clients(subtrees)
        .thenApplyAsync(clients -> json(entries(subtrees, clients), subtrees), executor);
  }

  /**
   * Asks the event loops for their clients only if the document counts them by network. Busy loops
   * answer late, and other counts of clients are at most half a second old without it.
   */
  private CompletableFuture<List<ClientStatus>> clients(Subtrees subtrees) {
    return subtrees.reach(NETWORKS)
        ? source.survey().take(ClientChoice.ALL)
        : CompletableFuture.completedFuture(List.of());
  }

  /**
   * The subtrees of a document.
   *
   * <p>Threading: immutable.
   *
   * @param bases their DNs in lower case
   */
  private record Subtrees(List<String> bases) {
    static Subtrees of(List<String> bases) {
      return bases.isEmpty()
          ? new Subtrees(List.of(ROOT))
          : new Subtrees(bases.stream().map(Subtrees::complete).toList());
    }

    private static String complete(String base) {
      String name = base.strip().replaceAll("\\s*([,=])\\s*", "$1").toLowerCase(Locale.ROOT);
      return isWithin(name, ROOT) ? name : name + "," + ROOT;
    }

    private static boolean isWithin(String dn, String base) {
      return dn.equals(base) || dn.endsWith("," + base);
    }

    /** True if an entry at or below a DN may be in one of the subtrees. */
    boolean reach(String dn) {
      return bases.stream().anyMatch(base -> isWithin(dn, base) || isWithin(base, dn));
    }

    /** True for an entry of a subtree, and for the first entry of the tree. */
    boolean contain(TreeEntry entry) {
      String dn = entry.dn().toLowerCase(Locale.ROOT);
      return dn.equals(ROOT) || bases.stream().anyMatch(base -> isWithin(dn, base));
    }
  }

  private List<TreeEntry> entries(Subtrees subtrees, List<ClientStatus> clients) {
    MonitorSnapshot.Details details =
        new MonitorSnapshot.Details(
            List.of(),
            List.of(),
            clients,
            List.of(),
            subtrees.reach(DIGESTS) ? source.digests().apply(true) : List.of(),
            subtrees.reach(ADVICE) ? source.advice().get() : null);
    return new MonitorTree(new MonitorSnapshot(source, Audience.ADMINISTRATOR, details))
        .entries(() -> {});
  }

  private String json(List<TreeEntry> entries, Subtrees subtrees) {
    JSONBuffer json = new JSONBuffer(null, CAPACITY, false);
    json.beginObject();
    json.appendString("time", source.clock().instant().toString());
    json.beginArray("entries");
    entries.stream().filter(subtrees::contain).forEach(entry -> add(entry, json));
    json.endArray();
    json.endObject();
    return json.toString();
  }

  private static void add(TreeEntry entry, JSONBuffer json) {
    json.beginObject();
    json.appendString("dn", entry.dn());
    json.beginObject("attributes");
    for (String name : entry.names()) {
      if (!EntryList.COMMON.contains(name) && !name.equals(Action.OFFERED)) {
        json.beginArray(name);
        entry.values(name).forEach(json::appendString);
        json.endArray();
      }
    }
    json.endObject();
    json.endObject();
  }
}
