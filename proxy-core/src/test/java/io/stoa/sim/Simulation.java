// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.result.AlwaysAvailable;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.coherence.tracking.OwnWrites;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientSession;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.replication.SessionGuarantees;
import io.stoa.sim.StatelessRandom.Stream;
import io.stoa.sim.check.Bounds;
import io.stoa.sim.check.Checker;
import io.stoa.sim.check.LeakChecker;
import io.stoa.sim.check.QuietChecker;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.SessionChecker;
import io.stoa.sim.check.SetChecker;
import io.stoa.sim.check.TimeChecker;
import io.stoa.sim.check.Violation;
import io.stoa.sim.check.Write;
import io.stoa.write.WaitingReads;
import io.stoa.write.Windows;
import io.stoa.write.WriteContext;
import io.stoa.write.WriteStage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One history: the stages of the cache and of writes as they are, over loops and a directory that
 * live in virtual time. Thread-confined.
 */
final class Simulation {
  private static final Duration MAX_AGE = SimCaching.MAX_AGE;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int LOOPS = 2;
  private static final int FEW = 6;

  /** Until then a feed has begun. */
  private static final long BEGIN = VirtualTime.START + 1_000 * Faults.MILLIS;

  /** From the end of what is done until whatever was stored before is too old. */
  private static final long QUIET_TIME = Faults.MAX_LAG + 2 * MAX_AGE.toNanos();

  /** Asked again when all is quiet. */
  private static final int LAST_READS = 20;

  /** Whoever asks last may wait for the answer to another one in vain, and then for his own. */
  private static final long LAST_ANSWERS = 3 * MAX_AGE.toNanos();

  /** With it goes what is only kept until the next change. */
  private static final SimChange LAST =
      new SimChange(SimChange.Kind.MODIFY, SimNames.SUFFIX, SimNames.flag(0));

  private final Program program;
  private final Faults faults;
  private final VirtualTime time;
  private final long quiet;
  private final SimDirectory directory;
  private final SessionGuarantees consistency;
  private final SimCaching caching;
  private final Caches caches;
  private final @Nullable SimDomain domain;
  private final @Nullable SimAudit audit;
  private final ChangeListener changes;
  private final ServerProfile profile;
  private final SimRequestLog requestLog = new SimRequestLog(PAUSE.toNanos());
  private final VirtualLoop domainLoop;
  private final List<VirtualLoop> loops = new ArrayList<>();
  private final List<SimClient> clients = new ArrayList<>();

  Simulation(Program program) {
    this.program = program;
    this.faults = program.faults();
    this.time = new VirtualTime(program.draws());
    long calm = QUIET_TIME + (program.compared() ? SimAudit.MAX_DURATION.toNanos() : 0);
    this.quiet = Math.max(BEGIN + Program.length(), faults.until()) + calm;
    this.directory = new SimDirectory(time, faults, SimTree.FIRST, program.replicated());
    this.profile = program.fed() ? SimSchema.PROFILE : ServerProfile.EXACT;
    this.consistency = consistency();
    this.caching = new SimCaching(program.uniform(), program.compared());
    this.caches =
        new Caches(
            caching.of(SimCaching.SIZE), () -> PAUSE, new AlwaysAvailable(), clockAndRandom());
    caches.setProfile(profile);
    VirtualLoop third = new VirtualLoop(time, program.draws().of(Stream.LOOP, LOOPS));
    this.domain = program.fed() ? new SimDomain(time, faults, directory, third) : null;
    this.changes = new OwnWrites(caches.changes(), caches::domains, change -> {});
    this.domainLoop = third;
    List<SimChain> chains = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      VirtualLoop loop = new VirtualLoop(time, program.draws().of(Stream.LOOP, i));
      loops.add(loop);
      chains.add(chain(loop));
    }
    for (int i = 0; i < SimNames.CLIENTS.size(); i++) {
      int loop = i % LOOPS;
      String who = SimNames.CLIENTS.get(i);
      clients.add(new SimClient(time, loops.get(loop), chains.get(loop), requestLog, who));
    }
    this.audit = program.compared() ? audit(chains) : null;
  }

  private SimAudit audit(List<SimChain> chains) {
    SimAudit made = new SimAudit(time, program.draws(), caches);
    for (int i = 0; i < LOOPS; i++) {
      int loop = i;
      List<ClientSession> there =
          IntStream.range(0, clients.size())
              .filter(number -> number % LOOPS == loop)
              .mapToObj(number -> clients.get(number).session())
              .toList();
      made.addEventLoop(loops.get(i), chains.get(i).first(), there);
    }
    return made;
  }

  private ClockAndRandom clockAndRandom() {
    return new ClockAndRandom(time::now, program.draws().of(Stream.DICE, 0)::nextInt);
  }

  private SessionGuarantees consistency() {
    ReplicationConfig config =
        new ReplicationConfig(
            SessionScope.IDENTITY, Duration.ofSeconds(10), Duration.ofMillis(250));
    return new SessionGuarantees(config, () -> PAUSE, () -> TIMEOUT, () -> profile, time::now);
  }

  private SimChain chain(VirtualLoop loop) {
    WriteContext terms =
        new WriteContext(
            new Windows(List.of(), changes, () -> profile),
            changes,
            consistency.waiting(),
            () -> false,
            () -> TIMEOUT,
            time::now);
    SimRoute route = new SimRoute(time, faults, directory, consistency, requestLog);
    WriteStage write =
        new WriteStage(
            terms, loop, new WaitingReads(() -> TIMEOUT, time::now), new NoLender(), route);
    return new SimChain(new CacheStage(caches, consistency, write), domain);
  }

  /** Nothing is done together. Stateless. */
  private record NoLender() implements WriteContext.BindLender {
    @Override
    public void lend(ClientSession deputy, ClientSession client) {
      throw new IllegalStateException("there are no windows");
    }

    @Override
    public long bindNumber(ClientSession session) {
      return 0;
    }
  }

  /** What has come of comparing what is in memory with the directory, where that is done. */
  MaintenanceStatus compared() {
    return Objects.requireNonNull(audit).status();
  }

  /** Whether the members of a class were found not to be given the same. */
  boolean demoted() {
    return caches.classes().status(time.now()).stream().anyMatch(ClassStatus::demoted);
  }

  /** All of it, and what is wrong with it. */
  Outcome run() {
    start();
    time.runUntil(BEGIN);
    time.at(faults.from(), this::fail);
    List<Act> acts = program.acts();
    acts.forEach(act -> time.at(BEGIN + act.at(), () -> perform(act)));
    if (audit != null) {
      long calm = quiet - SimAudit.MAX_DURATION.toNanos();
      directory.timeline().setComparison(calm, quiet);
      time.at(calm, audit::verify);
    }
    time.at(quiet, () -> repeatLastReads(acts));
    time.runUntil(quiet + LAST_ANSWERS);
    Outcome outcome = outcome();
    caches.flush();
    directory.write(LAST, code -> {});
    time.runUntil(quiet + LAST_ANSWERS + MAX_AGE.toNanos());
    return domain == null ? outcome : outcome.and(domain);
  }

  private void start() {
    if (domain != null) {
      caches.setDomains(domain);
      domain.start();
    }
    if (!program.replicated()) {
      return;
    }
    for (SimServer server : directory.servers()) {
      boolean primary = server == directory.primary();
      consistency
          .replication()
          .add(server, directory, server.toString(), () -> true, primary ? () -> true : null);
    }
    int number = 0;
    for (SimServer server : directory.servers()) {
      SimPositionReader positions = new SimPositionReader(time, faults, server, number++);
      new SimPositionMonitor(time, consistency, server, positions).start();
    }
  }

  private void fail() {
    if (faults.fault() == Fault.LOOPS_PAUSED) {
      loops.forEach(loop -> loop.pause(faults.until()));
    }
    if (faults.fault() == Fault.LOOPS_PAUSED || faults.fault() == Fault.DOMAIN_PAUSED) {
      domainLoop.pause(faults.until());
    }
  }

  private void perform(Act act) {
    int messageId = act.number() + 1;
    if (act instanceof Act.ClientRead ask) {
      clients.get(ask.client()).read(messageId, ask.question());
    } else if (act instanceof Act.ClientWrite tell) {
      String who = SimNames.CLIENTS.get(tell.client());
      clients.get(tell.client()).write(messageId, who, tell.change());
    } else if (act instanceof Act.RenameAndEmpty empty) {
      String who = SimNames.CLIENTS.get(empty.client());
      clients.get(empty.client()).write(messageId, who, directory.renameAndEmpty(empty.which()));
    } else if (act instanceof Act.Abandon abandon) {
      clients.forEach(client -> client.abandon(abandon.earlier() + 1));
    } else {
      performOutsideClients(act);
    }
  }

  private void performOutsideClients(Act act) {
    if (act instanceof Act.DirectWrite round) {
      directory.write(round.change(), code -> {});
    } else if (act instanceof Act.Transaction together) {
      directory.transaction(together.changes(), together.abort());
    } else if (act instanceof Act.RuleChange rule) {
      directory.setRules(program.fed() ? rule.variant() % SimAcl.BY_GROUP : rule.variant());
    } else if (act instanceof Act.Administration steer) {
      administer(steer);
    }
  }

  private void administer(Act.Administration steer) {
    byte[] dn = steer.dn().getBytes(StandardCharsets.UTF_8);
    switch (steer.action()) {
      case FLUSH -> caches.flush();
      case FLUSH_SUBTREE -> caches.flush(dn, true);
      case FLUSH_IDENTITY -> caches.flushIdentity(dn);
      case SHRINK -> caches.configure(caching.of(FEW));
      case GROW -> caches.configure(caching.of(SimCaching.SIZE));
      case SCHEMA -> replaceSchema();
    }
  }

  private void replaceSchema() {
    caches.setProfile(profile);
    if (domain != null) {
      domain.flush();
    }
  }

  /** Whatever was asked last is asked again, twice: the second time it is in memory. */
  private void repeatLastReads(List<Act> acts) {
    int messageId = Program.ACTS + 1;
    for (int i = Math.max(0, acts.size() - LAST_READS); i < acts.size(); i++) {
      if (acts.get(i) instanceof Act.ClientRead ask) {
        SimClient client = clients.get(ask.client());
        client.read(messageId++, ask.question());
        int second = messageId++;
        time.after(MAX_AGE.toNanos() * 3 / 4, () -> client.read(second, ask.question()));
      }
    }
  }

  private Outcome outcome() {
    Recording recording = requestLog.recording(directory.timeline()::since);
    SimTimeline timeline = directory.timeline();
    Bounds bounds = bounds();
    recording.writes().stream().filter(Write::sure).map(Write::state).forEach(timeline::markKnown);
    List<Violation> violations = new ArrayList<>(requestLog.unanswered());
    for (Checker checker : checkers(timeline)) {
      violations.addAll(checker.check(recording, timeline, bounds));
    }
    long hits = recording.reads().stream().filter(Read::fromMemory).count();
    return new Outcome(recording, violations, hits, 0);
  }

  private Bounds bounds() {
    long age = MAX_AGE.toNanos();
    boolean alone = !program.replicated();
    return program.fed()
        ? new Bounds(age, SimDomain.STALENESS.toNanos(), SimDomain.RIGHTS.toNanos(), age, alone)
        : Bounds.ofAge(age, alone);
  }

  private List<Checker> checkers(SimTimeline timeline) {
    return List.of(
        new SetChecker(),
        new SessionChecker(),
        new LeakChecker(timeline.secrets()),
        new QuietChecker(quiet),
        new TimeChecker());
  }
}
