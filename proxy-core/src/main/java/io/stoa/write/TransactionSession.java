// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.net.peer.Peer;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Acts for clients of one identity where their writes are done together, on a connection that is
 * bound as they are and serves nothing else. It has their password only while it does so.
 * Event-loop confined.
 */
final class TransactionSession implements ClientSession {
  private static final int MOST = 512;
  private static final int STEP = 8;
  private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final EventExecutor loop;
  private final List<Runnable> resets = new ArrayList<>();
  private ClientIdentity identity = ClientIdentity.ANONYMOUS;
  private Peer peer = Peer.UNKNOWN;
  private int most = MOST;
  private int lastId;
  private long usedAt;
  private long restsUntil = System.nanoTime();
  private boolean busy;

  /** What it has begun with since it was last done. */
  private final List<Operation> running = new ArrayList<>();

  TransactionSession(EventExecutor loop) {
    this.loop = loop;
  }

  /** It acts for a client until it is {@link #done}. */
  void actFor(ClientSession client) {
    identity = client.identity().deputy();
    peer = client.peer();
  }

  /**
   * The password goes.
   *
   * @param tried how many writes were tried together
   * @param together whether they were done; else half as many are tried the next time
   */
  void done(int tried, boolean together) {
    busy = false;
    running.clear();
    usedAt = System.nanoTime();
    most = together ? Math.min(MOST, most + STEP) : Math.max(2, tried / 2);
    identity = identity.forgetting();
  }

  /** Has it do something; false if it does already, or rests. */
  boolean take() {
    boolean free = !busy && restsUntil - System.nanoTime() <= 0;
    busy |= free;
    return free;
  }

  /** The directory does not begin a transaction for it: it is not asked again at once. */
  void rest() {
    restsUntil = System.nanoTime() + REST_NANOS;
  }

  /** There is nothing to do, after all. */
  void leave() {
    busy = false;
  }

  /** How many writes are tried together. */
  int most() {
    return most;
  }

  /** Whether it has done nothing since then, and would not rest. */
  boolean idleSince(long then) {
    return !busy && usedAt - then < 0 && restsUntil - then < 0;
  }

  /** It has begun with a request. */
  void running(Operation request) {
    running.add(request);
  }

  /** Of its connection all messageIDs are its own. */
  int nextId() {
    lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
    return lastId;
  }

  /** Its connection is given up. */
  void end() {
    List<Runnable> all = List.copyOf(resets);
    resets.clear();
    all.forEach(Runnable::run);
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }

  @Override
  public EventExecutor executor() {
    return loop;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public boolean mayStartTls() {
    return false;
  }

  @Override
  public boolean open() {
    return true;
  }

  @Override
  public Restriction restriction() {
    return Restriction.EXCLUSIVE;
  }

  @Override
  public void restrict(Restriction restriction) {
    // It always has a connection of its own.
  }

  @Override
  public Doubt doubt() {
    return state -> {};
  }

  @Override
  public void onReset(Runnable action) {
    resets.add(action);
  }

  @Override
  public boolean admitLongLived(Operation operation) {
    return false;
  }

  @Override
  public boolean reserve(int octets) {
    return true;
  }

  @Override
  public void giveBack(int octets) {
    // Its answers are few and small.
  }

  @Override
  public SaslBind sasl() {
    throw new IllegalStateException("a deputy does not bind");
  }

  /** That a transaction is aborted its end tells, too (RFC 5805, section 3.4). */
  @Override
  public void notify(LdapMessage unsolicited) {
    unsolicited.release();
  }

  @Override
  public void disconnect(Rejection reason) {
    fail(reason);
  }

  @Override
  public void lost(boolean byServer) {
    fail(Rejection.UPSTREAM_LOST);
  }

  /** Nobody else would tell what it has begun with. */
  private void fail(Rejection reason) {
    end();
    for (Operation present : List.copyOf(running)) {
      if (!present.ended()) {
        present.sink().reject(reason);
      }
    }
  }
}
