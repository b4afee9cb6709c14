// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.ReadResult.Shown;
import io.stoa.coherence.view.DynamicEntries;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that the feed's account sees everything that a view shows. Each entry is read, and must be
 * in the shown state or a newer one. All entries above are read, too, and their names are learnt.
 * Many entries are read at once, as the feed's identity.
 *
 * <p>Threading: confined to the domain's thread.
 */
final class VisibilityVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(VisibilityVerifier.class);
  private static final int MAX_ENTRIES = 100;
  private static final int MAX_IN_FLIGHT = 8;
  private static final int MAX_CANDIDATES = 20_000;
  private static final long GATHER_MILLIS = 50;
  private static final int BASE = 0;
  private static final int SUBTREE = 2;
  private static final byte[] ANYTHING = octets("(objectClass=*)");

  private final DomainConfig config;
  private final DomainContext context;
  private final FeedEpoch epoch;
  private final DomainCounters counters;
  private final AncestorNames ancestors;
  private final FeedKind kind;
  private final List<String> attributes;
  private final Map<Uuid, List<PendingView>> entries = new LinkedHashMap<>();
  private final Map<NormalDn, PendingName> pendingNames = new LinkedHashMap<>();
  private int candidates;
  private int inFlight;
  private boolean scheduled;

  VisibilityVerifier(
      DomainConfig config, DomainContext context, FeedEpoch epoch, DomainCounters counters) {
    this.config = config;
    this.context = context;
    this.epoch = epoch;
    this.counters = counters;
    this.kind = config.kind();
    String state = kind.stateAttribute();
    List<String> stateAttributes =
        state == null ? List.of(kind.uuidAttribute()) : List.of(kind.uuidAttribute(), state);
    this.attributes =
        Stream.concat(stateAttributes.stream(), DynamicEntries.TYPES.stream()).toList();
    this.ancestors =
        new AncestorNames(config.names().apply(octets(config.context())), config.names());
  }

  /** A name to be learnt, with the views that wait for it. Confined to the domain's thread. */
  private record PendingName(byte[] name, List<PendingView> waiting) {}

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Examines a view. The view stays as it is if its visibility cannot be proved. */
  void examine(ReadStart readStart, ReadResult result, PendingView candidate) {
    Map<NormalDn, byte[]> ancestorNames = ancestors.above(readStart, result);
    if (candidate.view().isInvalid()) {
      return;
    }
    if (ancestorNames == null || candidates >= MAX_CANDIDATES) {
      counters.countUnverified();
      return;
    }
    candidates++;
    unverified(candidate).forEach(uuid -> ask(candidate, uuid));
    if (!kind.reportsRenames()) {
      ancestorNames.forEach((ancestor, name) -> ask(candidate, ancestor, name));
    }
    decide(candidate);
  }

  /**
   * Returns the entries that are not proved yet. An earlier proof counts only for an answer of the
   * feed's own server. Another server may be behind the proof, and show an entry where the account
   * could still see it.
   */
  private List<Uuid> unverified(PendingView candidate) {
    List<Uuid> unverified = new ArrayList<>();
    for (Uuid uuid : candidate.unverifiedEntries()) {
      Csn csn = candidate.view().members().csn(uuid);
      Shown shown = candidate.shown(uuid);
      if (candidate.isFromFeedServer()
          && csn != null
          && shown != null
          && epoch.confirmed().isConfirmed(uuid, csn, shown.name())) {
        candidate.markSeen(uuid);
      } else {
        unverified.add(uuid);
      }
    }
    return unverified;
  }

  private void ask(PendingView candidate, Uuid uuid) {
    entries.computeIfAbsent(uuid, none -> new ArrayList<>(1)).add(candidate);
    schedule();
  }

  private void ask(PendingView candidate, NormalDn ancestor, byte[] name) {
    if (!epoch.ancestors().isRead(ancestor)) {
      candidate.addName(ancestor);
      pendingNames
          .computeIfAbsent(ancestor, none -> new PendingName(name, new ArrayList<>(1)))
          .waiting()
          .add(candidate);
      schedule();
    }
  }

  private void schedule() {
    if (!scheduled && inFlight < MAX_IN_FLIGHT) {
      scheduled = true;
      long delay = entries.size() < MAX_ENTRIES ? GATHER_MILLIS : 0;
      context.executor().schedule(this::send, delay, TimeUnit.MILLISECONDS);
    }
  }

  private void send() {
    scheduled = false;
    if (epoch.viewState().isOver()) {
      entries.clear();
      pendingNames.clear();
      return;
    }
    Map<Uuid, List<PendingView>> batch = batch();
    if (!batch.isEmpty()) {
      sendEntries(batch);
    }
    while (!pendingNames.isEmpty() && inFlight < MAX_IN_FLIGHT) {
      Map.Entry<NormalDn, PendingName> next = pendingNames.entrySet().iterator().next();
      pendingNames.remove(next.getKey());
      sendAncestor(next.getKey(), next.getValue());
    }
    scheduleRest();
  }

  private Map<Uuid, List<PendingView>> batch() {
    Map<Uuid, List<PendingView>> batch = new HashMap<>();
    for (Iterator<Map.Entry<Uuid, List<PendingView>>> all = entries.entrySet().iterator();
        all.hasNext() && batch.size() < MAX_ENTRIES; ) {
      Map.Entry<Uuid, List<PendingView>> next = all.next();
      all.remove();
      batch.put(next.getKey(), next.getValue());
    }
    return batch;
  }

  private void scheduleRest() {
    if (!entries.isEmpty() || !pendingNames.isEmpty()) {
      schedule();
    }
  }

  private void sendEntries(Map<Uuid, List<PendingView>> batch) {
    counters.countVerifying(batch.size());
    long asked = context.clock().getAsLong();
    search(
        stateSearch(batch.keySet(), List.of()),
        found -> {
          Map<Uuid, SeenEntry> seen = seen(found);
          found.forEach(entry -> prove(entry, asked, batch));
          found.stream()
              .filter(DynamicEntries::isDynamic)
              .forEach(entry -> onFailed(batch, uuid(entry)));
          batch.forEach(
              (uuid, waiting) -> waiting.forEach(it -> onAnswered(it, uuid, seen.get(uuid))));
        },
        () -> batch.values().forEach(this::fail));
  }

  /**
   * Remembers a proof. An entry without a state is not remembered: its next state would look the
   * same.
   */
  private void prove(SearchEntry entry, long asked, Map<Uuid, List<PendingView>> batch) {
    Uuid uuid = uuid(entry);
    Csn state = state(entry);
    if (uuid != null && state != null && !DynamicEntries.isDynamic(entry)) {
      remember(uuid, state, entry.dn(), asked, batch.getOrDefault(uuid, List.of()));
      epoch.commits().onShown(state, asked);
    }
  }

  /** Remembers a proof with the identifier and the state of a view, if that shows the same. */
  private void remember(Uuid uuid, Csn state, byte[] name, long asked, List<PendingView> waiting) {
    Shown shown = waiting.isEmpty() ? null : waiting.get(0).shown(uuid);
    Csn shownState = shown == null ? null : shown.csn();
    epoch
        .confirmed()
        .add(
            shown == null ? uuid : shown.uuid(),
            shownState != null && shownState.equals(state) ? shownState : state,
            name,
            asked);
  }

  /**
   * Fails views of an entry that the directory composes of others: it changes with any of them, so
   * only its age bounds it.
   */
  private void onFailed(Map<Uuid, List<PendingView>> batch, @Nullable Uuid dynamicEntry) {
    fail(dynamicEntry == null ? List.of() : batch.getOrDefault(dynamicEntry, List.of()));
  }

  /**
   * Returns a search for the states of these entries, and of those last changed at one of these
   * CSNs or later.
   */
  Search stateSearch(Collection<Uuid> uuids, Collection<Csn> sinceCsns) {
    StringBuilder filter = new StringBuilder("(|");
    uuids.forEach(uuid -> filter.append(kind.entryFilter(uuid)));
    sinceCsns.forEach(csn -> filter.append(kind.changedSinceFilter(csn)));
    byte[] all = octets(filter.append(')').toString());
    return new Search(octets(config.context()), SUBTREE, all, attributes);
  }

  private void sendAncestor(NormalDn ancestor, PendingName pendingName) {
    search(
        new Search(pendingName.name(), BASE, ANYTHING, attributes),
        found -> pendingName.waiting().forEach(it -> onAnswered(it, ancestor, found)),
        () -> fail(pendingName.waiting()));
  }

  private void search(Search search, Consumer<List<SearchEntry>> found, Runnable onFailure) {
    inFlight++;
    context
        .reader()
        .search(
            search,
            entries -> onDomainThread(() -> onAnswered(() -> found.accept(entries))),
            why -> onDomainThread(() -> onAnswered(onFailure)));
  }

  /** Runs the handling of a response on the domain's thread, unless that has ended. */
  void onDomainThread(Runnable answer) {
    try {
      context.executor().execute(answer);
    } catch (RejectedExecutionException e) {
      LOG.debug("response discarded: the feed has ended", e);
    }
  }

  private void onAnswered(Runnable action) {
    inFlight--;
    action.run();
    scheduleRest();
  }

  private void fail(List<PendingView> waiting) {
    for (PendingView candidate : waiting) {
      candidate.fail();
      decide(candidate);
    }
  }

  /** Returns the entries of a response by entryUUID. */
  Map<Uuid, SeenEntry> seen(List<SearchEntry> found) {
    Map<Uuid, SeenEntry> seen = new HashMap<>();
    for (SearchEntry entry : found) {
      Uuid uuid = uuid(entry);
      if (uuid != null) {
        seen.put(uuid, new SeenEntry(state(entry)));
      }
    }
    return seen;
  }

  private @Nullable Csn state(SearchEntry entry) {
    String state = kind.stateAttribute();
    byte[] csn = state == null ? null : entry.only(state);
    return csn == null ? null : Csn.parse(csn);
  }

  private @Nullable Uuid uuid(SearchEntry entry) {
    byte[] text = entry.only(kind.uuidAttribute());
    return text == null ? null : Uuid.parse(text);
  }

  /** An entry that the feed's account sees, and its state if shown. Immutable. */
  record SeenEntry(@Nullable Csn state) {}

  /**
   * True if the account sees the entry in the shown state or a newer one. Where states are not
   * shown, its presence is enough.
   */
  private boolean isProof(PendingView candidate, Uuid uuid, @Nullable SeenEntry seenEntry) {
    if (seenEntry == null || kind.stateAttribute() == null) {
      return seenEntry != null;
    }
    Csn shown = candidate.view().members().csn(uuid);
    Csn state = seenEntry.state();
    return state != null && shown != null && state.compareTo(shown) >= 0;
  }

  private void onAnswered(PendingView candidate, Uuid uuid, @Nullable SeenEntry seenEntry) {
    if (isProof(candidate, uuid, seenEntry)) {
      candidate.markSeen(uuid);
    } else if (candidate.markUnseen(uuid)) {
      onContradicted(candidate, uuid);
    } else if (!candidate.view().isInvalid()) {
      context
          .executor()
          .schedule(() -> ask(candidate, uuid), config.settle().toMillis(), TimeUnit.MILLISECONDS);
    }
    decide(candidate);
  }

  /**
   * Handles an entry that the account still does not see as shown after the settle time. A change
   * that the feed has reported never took effect. Otherwise the entry is hidden from the account.
   * The view only fails if the change is still on its way from another server.
   */
  private void onContradicted(PendingView candidate, Uuid uuid) {
    Shown shown = candidate.shown(uuid);
    if (isOnItsWay(candidate.view().members().csn(uuid))) {
      candidate.fail();
      return;
    }
    boolean isReported = kind.stateAttribute() != null && epoch.lastCsns().of(uuid) != null;
    if (isReported || shown == null) {
      candidate
          .view()
          .invalidate(isReported ? InvalidationCause.ABORTED : InvalidationCause.UNCONFIRMED);
    } else {
      epoch.visibility().hide(shown.dn());
      epoch.invalidator().subtrees().onHidden(shown.dn());
    }
    candidate.fail();
  }

  /** True if the state was made by a change that the feed has yet to report. */
  private boolean isOnItsWay(@Nullable Csn shown) {
    if (shown == null) {
      return false;
    }
    Position covered = epoch.ring().covered();
    return shown.toPosition(config.context()).marks().entrySet().stream()
        .anyMatch(
            change ->
                covered.mark(change.getKey()) != null
                    && !covered.reaches(change.getKey(), change.getValue()));
  }

  private void onAnswered(PendingView candidate, NormalDn ancestor, List<SearchEntry> found) {
    boolean learnt = found.size() == 1 && learn(found.get(0), ancestor);
    if (learnt || (found.isEmpty() && candidate.isAbsent())) {
      candidate.markKnown(ancestor);
    } else {
      candidate.fail();
    }
    decide(candidate);
  }

  /** Learns a name. A name that was read before a change proves nothing about the name after it. */
  private boolean learn(SearchEntry entry, NormalDn ancestor) {
    Uuid uuid = uuid(entry);
    Csn state = state(entry);
    if (uuid == null || state == null) {
      return false;
    }
    RingRecord last = epoch.lastCsns().of(uuid);
    NormalDn reportedName = last == null ? null : last.change().dn();
    return (last == null || ancestor.equals(reportedName))
        && epoch.ancestors().addRead(uuid, ancestor, state);
  }

  private void decide(PendingView candidate) {
    if (!candidate.isDecided() || !candidate.decide()) {
      return;
    }
    candidates--;
    boolean wide = candidate.isWide();
    boolean seen =
        candidate.isProved()
            && !(wide
                && (!epoch.visibility().isComplete()
                    || epoch.visibility().isHidden(candidate.view())));
    if (seen) {
      candidate.view().markValid();
    } else {
      counters.countUnverified();
    }
  }
}
