// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.position;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.csn.PositionReader;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.PositionRequest;
import io.stoa.upstream.health.HealthProbe;
import io.stoa.upstream.server.Backend;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the position of one server. Reads the naming contexts in the root DSE, and for each of them
 * {@code contextCSN} (OpenLDAP) or {@code nsds50ruv} (389-ds). For Active Directory the root DSE is
 * enough.
 *
 * <p>A server that has answered a write is polled at once. Replicas that have the write may then
 * serve the session's reads, even if the server fails the next moment. A second poll follows when
 * no pending write holds back the position any longer. One poll is in flight at a time, and at most
 * one of these starts within 5 ms, independent of the number of writes.
 *
 * <p>Threading: event loop of the health probe, whose connection is used, except {@link #pollSoon},
 * which is thread-safe.
 */
final class PositionPoll {
  private static final String TASK = "poll of positions after a write";
  private static final Logger LOG = LoggerFactory.getLogger(PositionPoll.class);
  private static final String VENDOR = "vendorVersion";
  private static final String CONTEXTS = "namingContexts";

  /** Maximum number of naming contexts polled for a server: 16. Further ones are ignored. */
  private static final int MAX_CONTEXTS = 16;

  /**
   * Number of turns after which the root DSE is read again: 40. An incomplete answer also causes
   * that.
   */
  private static final int TURNS = 40;

  /** Minimum time between the starts of two polls after writes: 5 ms. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * Delay of the second poll: 25 ms. A directory holds back its position for a shorter time after
   * it has answered a write.
   */
  private static final long SURE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final EventExecutor loop;
  private final HealthProbe probe;
  private final SessionGuarantees guarantees;
  private final AtomicBoolean soon = new AtomicBoolean();
  private final AtomicBoolean second = new AtomicBoolean();
  private long lastSoon = System.nanoTime() - PAUSE_NANOS;
  private List<PositionSearch> searches = List.of();
  private int turn;
  private boolean polling;
  private boolean reported;
  private boolean logged;
  private boolean complete = true;

  /**
   * Creates a poll for one server.
   *
   * @param loop the loop of the health probe
   */
  PositionPoll(EventExecutor loop, HealthProbe probe, SessionGuarantees guarantees) {
    this.loop = loop;
    this.probe = probe;
    this.guarantees = guarantees;
  }

  /**
   * A search for the position of one naming context.
   *
   * <p>Threading: immutable.
   */
  private record PositionSearch(String context, SearchParameters terms) {}

  /** Called when the server has answered a write, or is usable again. */
  void pollSoon() {
    if (soon.compareAndSet(false, true) && !loop.isShuttingDown()) {
      loop.execute(new GuardedTask(TASK, () -> poll(soon, PAUSE_NANOS)));
    }
  }

  /** Polls after a request, once no answer is pending and the last such poll is old enough. */
  private void poll(AtomicBoolean requested, long pauseNanos) {
    long now = System.nanoTime();
    long rest = polling ? PAUSE_NANOS : lastSoon + pauseNanos - now;
    if (rest > 0) {
      schedule(requested, pauseNanos, rest);
      return;
    }
    lastSoon = now;
    requested.set(false); // before the poll, since later writes may not be in its answer
    poll();
    if (requested == soon && second.compareAndSet(false, true)) {
      schedule(second, SURE_NANOS, SURE_NANOS);
    }
  }

  private void schedule(AtomicBoolean requested, long pauseNanos, long delayNanos) {
    Runnable task = new GuardedTask(TASK, () -> poll(requested, pauseNanos));
    loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  /** Polls the server unless an answer is pending. */
  void poll() {
    if (polling) {
      return;
    }
    polling = true;
    PositionRequest request = guarantees.startRequest(probe.backend());
    if (searches.isEmpty() || !complete || turn % TURNS == 0) {
      List<String> attributes =
          List.of(CONTEXTS, VENDOR, PositionReader.USN, PositionReader.SERVICE);
      probe.search(
          SearchParameters.entry(new byte[0], attributes), found -> rootRead(request, found));
    } else {
      new Round(request, Position.NONE);
    }
    turn++;
  }

  private void rootRead(PositionRequest request, Found found) {
    byte[] root = found.read();
    if (root == null) {
      polling = false; // health checks decide whether the server is up
      return;
    }
    Position ofRoot = PositionReader.ofRoot(root);
    searches = ofRoot.isEmpty() ? searches(root) : List.of();
    new Round(request, ofRoot);
  }

  private static List<PositionSearch> searches(byte[] root) {
    boolean ds389 =
        PositionReader.values(root, VENDOR).stream().anyMatch(name -> name.startsWith("389-"));
    return PositionReader.values(root, CONTEXTS).stream()
        .limit(MAX_CONTEXTS)
        .map(context -> ds389 ? ofDs389(context) : ofOpenLdap(context))
        .toList();
  }

  private static PositionSearch ofOpenLdap(String context) {
    return new PositionSearch(
        normal(context),
        SearchParameters.entry(octets(context), List.of(PositionReader.CONTEXT_CSN)));
  }

  /**
   * Returns the search in {@code cn=config}. In the database, the replica update vector is written
   * only periodically, and may lack a new write.
   */
  private static PositionSearch ofDs389(String context) {
    String escaped = context.replace(" ", "").replace("=", "\\3D").replace(",", "\\2C");
    String replica = "cn=replica,cn=" + escaped + ",cn=mapping tree,cn=config";
    return new PositionSearch(
        normal(context), SearchParameters.entry(octets(replica), List.of(PositionReader.RUV)));
  }

  private static String normal(String context) {
    return context.toLowerCase(Locale.ROOT).replace(" ", "");
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The searches of one turn. */
  private final class Round {
    private final PositionRequest request;
    private Position position;
    private int open;
    private boolean lost;

    Round(PositionRequest request, Position position) {
      this.request = request;
      this.position = position;
      this.open = searches.size() + 1;
      searches.forEach(ask -> probe.search(ask.terms(), found -> onAnswered(ask, found)));
      onAnswered();
    }

    private void onAnswered(PositionSearch ask, Found found) {
      byte[] entry = found.read();
      // a refusal does not show the position
      lost |= found.code() < 0 || Backend.isRefusal(found.code());
      if (entry != null) {
        position = position.merge(PositionReader.of(ask.context(), entry));
      }
      onAnswered();
    }

    private void onAnswered() {
      open--;
      if (open > 0) {
        return;
      }
      polling = false;
      if (!lost) {
        complete = guarantees.onPosition(request, position, contexts());
        log(position.isEmpty());
      }
    }
  }

  private Set<String> contexts() {
    return searches.stream().map(PositionSearch::context).collect(Collectors.toSet());
  }

  private void log(boolean silent) {
    if (silent && !reported && !logged) {
      LOG.info(
          "upstream {} does not show its replication position: its lag is unknown",
          probe.address());
      logged = true;
    }
    reported |= !silent;
  }
}
