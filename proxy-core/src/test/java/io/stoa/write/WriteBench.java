// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientSession;
import io.stoa.operation.OwnChange;
import io.stoa.operation.Stage;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SmallDirectory;
import io.stoa.testing.TestSession;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The real stages of writes, from the gate of the reads to the windows, before an upstream that the
 * test answers.
 *
 * <p>Threading: confined to the test's thread.
 */
final class WriteBench {
  static final String NAME = "all";
  static final Duration EVERY = Duration.ofSeconds(2);
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  final ManualLoop loop = new ManualLoop();
  final ManualUpstream upstream = new ManualUpstream();
  final ChangeLog changes = new ChangeLog();
  final Windows windows;
  final Stage chain;
  private final SessionGuarantees guarantees =
      new SessionGuarantees(
          ReplicationConfig.DEFAULTS,
          () -> TIMEOUT,
          () -> TIMEOUT,
          () -> SmallDirectory.PROFILE,
          loop::now);
  private final WriteContext context;
  private final Lender lender = new Lender();

  WriteBench(WindowConfig... configs) {
    windows = new Windows(List.of(configs), changes, () -> SmallDirectory.PROFILE);
    context =
        new WriteContext(
            windows, changes, guarantees.waiting(), () -> false, () -> TIMEOUT, loop::now);
    chain = chain(loop);
  }

  /** Returns a window over all entries, which closes at a number of writes. */
  static WindowConfig window(int maxOperations) {
    return new WindowConfig(NAME, null, null, EVERY, maxOperations, Batch.SINGLE, false);
  }

  /** Returns the same with transactions. */
  static WindowConfig transactions() {
    return new WindowConfig(NAME, null, null, EVERY, 10_000, Batch.TRANSACTIONS, false);
  }

  /** Returns the stages of a further event loop. */
  Stage chain(ManualLoop other) {
    WaitingReads reads = new WaitingReads(() -> TIMEOUT, other::now);
    WriteStage stage = new WriteStage(context, other.executor(), reads, lender, upstream);
    return new PendingWriteGate(guarantees.waiting(), reads, stage);
  }

  TestSession client(String name) {
    return new TestSession(loop).named(dn(name));
  }

  /** Sends a modification of an entry. */
  void write(TestSession client, String entry) {
    client.send(modify(entry), chain);
  }

  /** Closes the window, and sends its writes. */
  void close() {
    assertThat(windows.flush(NAME)).isPresent();
    loop.run();
  }

  /** Answers all requests, and runs what follows. */
  void answerAll() {
    upstream.answerAll();
    loop.run();
  }

  void answer(int code) {
    upstream.answer(code);
    loop.run();
  }

  WindowStatus status() {
    return windows.status().get(0);
  }

  static String dn(String name) {
    return "cn=" + name + ",dc=x";
  }

  static RawRequest modify(String entry) {
    return Requests.replace(dn(entry), "sn", "new");
  }

  /** Returns a modification that passes a window at once. */
  static RawRequest urgent(String entry) {
    return modify(entry).with(new Control(Oids.WRITE_NOW, true));
  }

  /**
   * The caches: they process each report at once, or when the test says so.
   *
   * <p>Threading: confined to the test's thread.
   */
  static final class ChangeLog implements ChangeListener {
    final List<List<OwnChange>> reports = new ArrayList<>();
    final List<OwnChange> unknown = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();
    private boolean holds;

    void hold() {
      holds = true;
    }

    void apply() {
      holds = false;
      List<Runnable> all = List.copyOf(held);
      held.clear();
      all.forEach(Runnable::run);
    }

    @Override
    public void onChanges(List<OwnChange> changes, Runnable applied) {
      reports.add(changes);
      if (holds) {
        held.add(applied);
      } else {
        applied.run();
      }
    }

    @Override
    public void onUnknownOutcome(List<OwnChange> changes) {
      unknown.addAll(changes);
    }
  }

  /** Lends passwords to transaction sessions; all binds are equally old. Stateless. */
  private static final class Lender implements WriteContext.BindLender {
    @Override
    public void lend(ClientSession session, ClientSession client) {}

    @Override
    public long bindNumber(ClientSession session) {
      return session instanceof TestSession ? 1 : 0;
    }
  }
}
