// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Stage;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.ReadRequirement;
import io.stoa.replication.UnreplicatedWrite;
import io.stoa.sim.StatelessRandom.Stream;
import io.stoa.testing.Responses;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of the chain: chooses a server by the rules of the real one, and brings its answer some
 * time later, or never. Thread-confined.
 */
final class SimRoute implements Stage {
  private static final long LATEST_COMMIT = 650 * Faults.MILLIS;

  private final VirtualTime time;
  private final Faults faults;
  private final SimDirectory directory;
  private final SessionGuarantees consistency;
  private final Requests requests;

  SimRoute(
      VirtualTime time,
      Faults faults,
      SimDirectory directory,
      SessionGuarantees consistency,
      Requests requests) {
    this.time = time;
    this.faults = faults;
    this.directory = directory;
    this.consistency = consistency;
    this.requests = requests;
  }

  /** What the octets of requests mean, and what became of them. Thread-confined. */
  interface Requests {
    /** Of a search or a compare, as it is now: Stoa may have asked for more. */
    SimRequest requestOf(Operation operation);

    /** Of a write. */
    SimChange changeOf(Operation operation);

    /** A server has answered it, being in that state. */
    void onServed(Operation operation, int state);

    /** It has made that state. */
    void onApplied(Operation operation, int state);
  }

  @Override
  public void handle(Operation operation) {
    Request request = operation.request();
    if (operation.mayChange()) {
      write(operation, request);
    } else {
      read(operation, request);
    }
  }

  private boolean isReplicated() {
    return directory.servers().size() > 1;
  }

  private SimExchange send(Operation operation, SimServer server) {
    if (isReplicated()) {
      operation.addSource(consistency.readFrom(server));
    }
    operation.countSending();
    operation.moveTo(OperationState.FORWARDED);
    SimExchange exchange = new SimExchange(operation);
    operation.setCancellation(exchange);
    return exchange;
  }

  private void read(Operation operation, Request request) {
    int number = SimAudit.isOwnRequest(operation) ? -(int) time.now() : operation.messageId();
    SplittableRandom random = faults.draws().of(Stream.READ, number);
    SimServer server = choose(operation, random);
    SimRequest question = requests.requestOf(operation);
    SimExchange exchange = send(operation, server);
    long back = Faults.way(random);
    time.at(
        arrival(server, Faults.way(random)),
        () -> {
          SimServer.ServerAnswer answered = server.answer(question, time.now());
          time.after(back, () -> exchange.onResponse(() -> deliver(exchange, request, answered)));
        });
  }

  private long arrival(SimServer server, long way) {
    long arrival = time.now() + way;
    return server == directory.primary() ? faults.seen(arrival) : arrival;
  }

  private SimServer choose(Operation operation, SplittableRandom random) {
    SimServer primary = directory.primary();
    SimServer other = directory.servers().get(random.nextInt(directory.servers().size()));
    return other == primary || operation.needsOneServer() ? primary : replica(other, operation);
  }

  private SimServer replica(SimServer other, Operation operation) {
    SimServer primary = directory.primary();
    return admits(other, operation) ? other : primary;
  }

  private boolean admits(SimServer replica, Operation operation) {
    ReadRequirement reading = consistency.reading(operation);
    return consistency.isComparable(replica, directory.primary())
        && consistency.admits(replica, reading, false)
        && !consistency.replication().isBehind(replica);
  }

  private void deliver(SimExchange exchange, Request request, SimServer.ServerAnswer answered) {
    Operation operation = exchange.operation();
    requests.onServed(operation, answered.state());
    long noted = 0;
    for (LdapMessage entry : answered.found(operation.messageId())) {
      noted = recordAnswer(operation, request, noted);
      exchange.respond(entry);
    }
    recordAnswer(operation, request, noted);
    exchange.complete(answered.done(operation.messageId(), operation.type().tag()));
  }

  private long recordAnswer(Operation operation, Request request, long noted) {
    return isReplicated() ? consistency.onAnswer(operation, request, noted) : noted;
  }

  private void write(Operation operation, Request request) {
    SplittableRandom random = faults.draws().of(Stream.WRITE, operation.messageId());
    SimServer primary = directory.primary();
    UnreplicatedWrite change =
        isReplicated() ? consistency.begin(operation, request, null, primary) : null;
    SimExchange exchange = send(operation, primary);
    long there = arrival(primary, Faults.way(random));
    long back = Faults.way(random);
    if (faults.losesAnswer(random)) {
      time.at(there + back, () -> exchange.onResponse(() -> lose(exchange, change)));
      time.at(there + random.nextLong(LATEST_COMMIT), () -> commit(operation, code -> {}));
    } else {
      time.at(there, () -> commit(operation, code -> answer(exchange, change, code, back)));
    }
  }

  private void commit(Operation operation, IntConsumer done) {
    directory.write(
        requests.changeOf(operation),
        code -> {
          if (code == 0) {
            requests.onApplied(operation, directory.primary().state());
          }
          done.accept(code);
        });
  }

  private void answer(
      SimExchange exchange, @Nullable UnreplicatedWrite change, int code, long back) {
    time.after(
        back,
        () ->
            exchange.onResponse(
                () -> {
                  end(change, true);
                  Operation operation = exchange.operation();
                  byte[] op = Responses.result(operation.type().tag(), code).op();
                  exchange.complete(LdapMessage.of(operation.messageId(), op, List.of()));
                }));
  }

  private void lose(SimExchange exchange, @Nullable UnreplicatedWrite change) {
    end(change, false);
    exchange.lose();
  }

  private void end(@Nullable UnreplicatedWrite change, boolean known) {
    if (change != null) {
      consistency.end(change, directory.primary(), known);
    }
  }
}
