// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.util.json.JSONBuffer;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.monitor.ClientSelection.Parent;
import io.stoa.server.localtree.TreeEntry;
import java.util.List;
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
  private static final String SUFFIX = "," + MonitorTree.SUFFIX.name();
  private static final NormalDn ROOT = dn(MonitorTree.SUFFIX.name());

  /** Capacity of the document in characters: 32 Ki, more than the entries of a small directory. */
  private static final int CAPACITY = 32 * 1024;

  /**
   * Returns the entries of some subtrees, and always the first entry of the tree.
   *
   * @param bases DNs of the subtrees; none for the whole tree. The part {@code ,cn=monitor} may be
   *     missing
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
    return subtrees.reach(Parent.NETWORKS)
        ? source.survey().take(ClientChoice.ALL)
        : CompletableFuture.completedFuture(List.of());
  }

  private static NormalDn dn(String name) {
    return NormalDn.of(name.getBytes(UTF_8), ServerProfile.EXACT);
  }

  /** The subtrees of a document. Threading: immutable. */
  private record Subtrees(List<NormalDn> bases) {
    static Subtrees of(List<String> bases) {
      return bases.isEmpty()
          ? new Subtrees(List.of(ROOT))
          : new Subtrees(bases.stream().map(Subtrees::complete).toList());
    }

    private static NormalDn complete(String base) {
      NormalDn name = dn(base);
      return name.isBelowOrEqual(ROOT) ? name : dn(base + SUFFIX);
    }

    /** True if an entry below a parent may be in one of the subtrees. */
    boolean reach(Parent parent) {
      NormalDn place = parent.place();
      return bases.stream()
          .anyMatch(base -> base.isBelowOrEqual(place) || place.isBelowOrEqual(base));
    }

    /** True for an entry of a subtree, and for the first entry of the tree. */
    boolean contain(TreeEntry entry) {
      return ROOT.isBelowOrEqual(entry.normalDn())
          || bases.stream().anyMatch(entry.normalDn()::isBelowOrEqual);
    }
  }

  private List<TreeEntry> entries(Subtrees subtrees, List<ClientStatus> clients) {
    MonitorSnapshot.Details details =
        new MonitorSnapshot.Details(
            List.of(),
            List.of(),
            clients,
            List.of(),
            subtrees.reach(Parent.DIGESTS) ? source.digests().apply(true) : List.of(),
            subtrees.reach(Parent.ADVICE) ? source.advice().get() : null);
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
