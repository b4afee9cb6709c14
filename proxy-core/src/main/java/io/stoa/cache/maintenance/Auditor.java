// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.cache.maintenance.AuditComparison.ComparisonOutcome;
import io.stoa.cache.maintenance.AuditComparison.Difference;
import io.stoa.cache.maintenance.AuditComparison.Verdict;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.coherence.view.Members;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ClientSession;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares stored results with the directory, drops results that are wrong, and logs them. The log
 * shows the entries concerned and their reported changes, but no attribute values.
 *
 * <p>Threading: thread-safe.
 */
final class Auditor {
  private static final Logger LOG = LoggerFactory.getLogger(Auditor.class);

  /** Maximum number of entries in one log line: 8. */
  private static final int MAX_LOGGED_ENTRIES = 8;

  /** Maximum number of changes of all these entries in one log line: 16. */
  private static final int MAX_LOGGED_CHANGES = 16;

  private final List<MaintenanceLoop> loops;
  private final Comparer comparer;
  private final ChangeHistory changeHistory;
  private final MismatchListener mismatchListener;
  private final LongSupplier clock;
  private final LongAdder verified = new LongAdder();
  private final LongAdder withoutClient = new LongAdder();
  private final LongAdder undecided = new LongAdder();
  private final LongAdder incoherent = new LongAdder();
  private final List<LongAdder> staleness = new ArrayList<>();

  /**
   * Creates an auditor.
   *
   * @param comparer compares one result
   * @param changeHistory history of the changes that feeds have reported
   * @param mismatchListener called for wrong results that a class shares
   * @param clock time in ns, as {@link System#nanoTime}
   */
  Auditor(
      List<MaintenanceLoop> loops,
      Comparer comparer,
      ChangeHistory changeHistory,
      MismatchListener mismatchListener,
      LongSupplier clock) {
    this.loops = loops;
    this.comparer = comparer;
    this.changeHistory = changeHistory;
    this.mismatchListener = mismatchListener;
    this.clock = clock;
    for (int i = 0; i <= MaintenanceStatus.STALENESS.size(); i++) {
      staleness.add(new LongAdder());
    }
  }

  /**
   * A result, and a client as which it is read.
   *
   * <p>Threading: immutable.
   *
   * @param maintenanceLoop the event loop of the client
   */
  record AuditRequest(
      MaintenanceLoop maintenanceLoop, ClientSession client, CachedResultRef kept) {}

  /**
   * Investigates whether the members of a class get the same answers. Threading: event-loop
   * confined.
   */
  @FunctionalInterface
  interface MismatchListener {
    /** Called when a client's shared result differs from upstream and no change explains that. */
    void onMismatch(AuditRequest request);
  }

  /**
   * Compares one result with the directory's answer to a client. Threading: event-loop confined.
   */
  @FunctionalInterface
  interface Comparer {
    /** Starts the comparison. The outcome is reported once. */
    void compare(
        MaintenanceLoop maintenanceLoop,
        ClientSession client,
        CachedResultRef result,
        Consumer<ComparisonOutcome> outcome);
  }

  /** History of the changes that feeds have reported. Threading: thread-safe. */
  @FunctionalInterface
  interface ChangeHistory {
    /**
     * Reads the recent changes of entries, latest first.
     *
     * @param maxChanges maximum number of changes
     * @param found called once, on any thread
     */
    void read(Set<Uuid> entries, int maxChanges, Consumer<List<RingRecord>> found);
  }

  /** Outcome of an audit. */
  enum Finding {
    VERIFIED,
    DIFFERING,
    UNVERIFIABLE,
    /** No client is connected as which the result could be read. */
    NO_CLIENT
  }

  /**
   * Audits one result.
   *
   * @param found called once with the outcome, on any thread
   */
  void audit(CachedResultRef result, Consumer<Finding> found) {
    AtomicBoolean open = new AtomicBoolean(true);
    tryAt(
        0,
        result,
        finding -> {
          if (open.compareAndSet(true, false)) {
            found.accept(finding);
          }
        });
  }

  /** Tries each loop for a client other than the reader of the result, and then for any client. */
  private void tryAt(int index, CachedResultRef result, Consumer<Finding> found) {
    int count = loops.size();
    if (index == 2 * count) {
      withoutClient.increment();
      found.accept(Finding.NO_CLIENT);
      return;
    }
    MaintenanceLoop maintenanceLoop = loops.get(index % count);
    try {
      maintenanceLoop
          .loop()
          .execute(
              () ->
                  safely(
                      found,
                      () -> {
                        ClientSession client =
                            index < count
                                ? maintenanceLoop.witness(result)
                                : maintenanceLoop.client(result);
                        if (client == null) {
                          tryAt(index + 1, result, found);
                        } else {
                          compare(new AuditRequest(maintenanceLoop, client, result), found);
                        }
                      }));
    } catch (RejectedExecutionException e) {
      found.accept(Finding.UNVERIFIABLE); // the proxy is shutting down
    }
  }

  private void compare(AuditRequest request, Consumer<Finding> found) {
    comparer.compare(
        request.maintenanceLoop(),
        request.client(),
        request.kept(),
        outcome -> safely(found, () -> found.accept(onOutcome(request, outcome))));
  }

  /** Reports an outcome even after an unexpected error, so that further audits can run. */
  private static void safely(Consumer<Finding> found, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOG.error("internal error while auditing a stored result; the audit was skipped", e);
      found.accept(Finding.UNVERIFIABLE);
    }
  }

  private Finding onOutcome(AuditRequest request, ComparisonOutcome outcome) {
    if (outcome.verdict() == Verdict.UNDECIDED) {
      undecided.increment();
      return Finding.UNVERIFIABLE;
    }
    count(outcome.behindNanos());
    Difference difference = outcome.difference();
    if (difference == null) {
      verified.increment();
      return Finding.VERIFIED;
    }
    onWrong(request, difference);
    return Finding.DIFFERING;
  }

  private void count(long behindNanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(behindNanos + 999_999);
    int bucket = 0;
    while (bucket < MaintenanceStatus.STALENESS.size()
        && MaintenanceStatus.STALENESS.get(bucket) < millis) {
      bucket++;
    }
    staleness.get(bucket).increment();
  }

  private void onWrong(AuditRequest request, Difference difference) {
    incoherent.increment();
    if (request.kept().reader() != null && !isExplained(difference)) {
      mismatchListener.onMismatch(request); // before the result is dropped
    }
    difference.memory().view().onMismatch();
    Set<Uuid> entries = entries(difference);
    if (entries.isEmpty()) {
      log(difference, "the entryCSNs of all entries are equal");
    } else {
      String states = states(difference, entries);
      changeHistory.read(
          entries,
          MAX_LOGGED_CHANGES + 1,
          changes -> log(difference, states + "; " + text(changes)));
    }
  }

  /**
   * True if each differing entry has another state upstream. Then the feed has lost a change, and
   * the members of the class are not to blame.
   */
  private static boolean isExplained(Difference difference) {
    Members members = difference.memory().view().members();
    long movedEntries =
        difference.states().entrySet().stream()
            .filter(one -> members.contains(one.getKey()))
            .filter(one -> !one.getValue().equals(members.csn(one.getKey())))
            .count();
    return movedEntries == difference.own().differing(difference.there()).size()
        && difference.own().code() == difference.there().code();
  }

  /** Returns the differing entries, as far as the directory has returned their states. */
  private static Set<Uuid> entries(Difference difference) {
    Members members = difference.memory().view().members();
    Set<Uuid> entries = new LinkedHashSet<>();
    difference
        .states()
        .forEach(
            (uuid, csn) -> {
              if (!csn.equals(members.csn(uuid))) {
                entries.add(uuid);
              }
            });
    members.uuids().stream()
        .filter(uuid -> !difference.states().containsKey(uuid))
        .forEach(entries::add);
    return entries;
  }

  private static void log(Difference difference, String details) {
    List<Octets> names = difference.own().differing(difference.there());
    LOG.warn(
        "incoherent: a stored result differed from the directory for longer than the staleness "
            + "bound and was dropped (entries={}, differing={}, stored result code={}, "
            + "result code of the directory={}): {}",
        difference.own().count(),
        names.size(),
        difference.own().code(),
        difference.there().code(),
        details);
  }

  /** Returns the reported changes as text. A change that the feed has lost is missing here. */
  private String text(List<RingRecord> changes) {
    String each =
        changes.stream()
            .limit(MAX_LOGGED_CHANGES)
            .map(this::text)
            .collect(Collectors.joining("; ", "changes reported by the feed, latest first: ", ""));
    return changes.isEmpty()
        ? "the feed has reported no recent change of them"
        : changes.size() > MAX_LOGGED_CHANGES ? each + "; and more" : each;
  }

  private static String states(Difference difference, Set<Uuid> entries) {
    Members members = difference.memory().view().members();
    String each =
        entries.stream()
            .limit(MAX_LOGGED_ENTRIES)
            .map(uuid -> state(uuid, members.csn(uuid), difference.states().get(uuid)))
            .collect(Collectors.joining("; "));
    return entries.size() > MAX_LOGGED_ENTRIES ? each + "; and others" : each;
  }

  private static String state(Uuid uuid, @Nullable Csn stored, @Nullable Csn upstream) {
    return uuid + " stored " + text(stored) + ", directory " + text(upstream);
  }

  private static String text(@Nullable Csn csn) {
    return csn == null ? "none" : csn.text();
  }

  private String text(RingRecord record) {
    Csn csn = record.change().csn();
    long ago = TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - record.appendedNanos());
    return record.uuid()
        + " "
        + record.change().getClass().getSimpleName()
        + " "
        + text(csn)
        + " "
        + ago
        + " ms ago";
  }

  long verified() {
    return verified.sum();
  }

  long withoutClient() {
    return withoutClient.sum();
  }

  long undecided() {
    return undecided.sum();
  }

  long incoherent() {
    return incoherent.sum();
  }

  /** Returns the number of audits by time behind: see {@link MaintenanceStatus#STALENESS}. */
  List<Long> staleness() {
    return staleness.stream().map(LongAdder::sum).toList();
  }
}
