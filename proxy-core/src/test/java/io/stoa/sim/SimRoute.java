// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.coherence.Consistency;
import io.stoa.coherence.Consistency.Reading;
import io.stoa.coherence.RecentChange;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Request;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import io.stoa.sim.Draws.Stream;
import io.stoa.sim.SimDirectory.Server;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The end of the chain: chooses a server by the rules of the real one, and brings its answer some
 * time later, or never. Thread-confined.
 */
final class SimRoute implements Stage {
  private static final long LATEST_COMMIT = 900 * Faults.MILLIS;

  private final VirtualTime time;
  private final Faults faults;
  private final SimDirectory directory;
  private final Consistency consistency;
  private final Requests requests;

  SimRoute(
      VirtualTime time,
      Faults faults,
      SimDirectory directory,
      Consistency consistency,
      Requests requests) {
    this.time = time;
    this.faults = faults;
    this.directory = directory;
    this.consistency = consistency;
    this.requests = requests;
  }

  /** What the octets of requests mean, and what became of them. Thread-confined. */
  interface Requests {
    /** Of a search. */
    SimSearch search(Operation operation);

    /** Of a write. */
    SimChange change(Operation operation);

    /** A server has answered it, being in that state. */
    void served(Operation operation, int state);

    /** It has made that state. */
    void made(Operation operation, int state);
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    Request request = operation.request();
    if (operation.mayChange()) {
      write(operation, request);
    } else {
      read(operation, request);
    }
  }

  private boolean matters() {
    return directory.servers().size() > 1;
  }

  private void send(Operation operation, Server server) {
    if (matters()) {
      operation.readFrom(consistency.readFrom(server));
    }
    operation.sent();
    operation.moveTo(OperationState.FORWARDED);
  }

  private void read(Operation operation, Request request) throws LdapProtocolException {
    SplittableRandom random = faults.draws().of(Stream.READ, operation.messageId());
    Server server = choose(operation, random);
    send(operation, server);
    long back = Faults.way(random);
    time.after(
        Faults.way(random),
        () -> {
          int state = server.state();
          time.after(
              back,
              () -> operation.session().executor().execute(() -> give(operation, request, state)));
        });
  }

  private Server choose(Operation operation, SplittableRandom random) throws LdapProtocolException {
    Server primary = directory.primary();
    Server other = directory.servers().get(random.nextInt(directory.servers().size()));
    return other == primary || admits(other, operation) ? other : primary;
  }

  private boolean admits(Server replica, Operation operation) throws LdapProtocolException {
    Reading reading = consistency.reading(operation);
    return consistency.comparable(replica, directory.primary())
        && consistency.admits(replica, reading, false)
        && !consistency.replication().behind(replica);
  }

  private void give(Operation operation, Request request, int state) {
    requests.served(operation, state);
    SimSearch search = requests.search(operation);
    Map<String, String> found = directory.shown(state, search);
    long noted = 0;
    for (String entry : found.values()) {
      noted = note(operation, request, noted);
      operation.sink().respond(message(operation, entry.getBytes(StandardCharsets.ISO_8859_1)));
    }
    note(operation, request, noted);
    RawRequest done = Responses.searchDone(directory.code(state, search));
    operation.sink().complete(message(operation, done.op()));
  }

  private long note(Operation operation, Request request, long noted) {
    return matters() ? consistency.seen(operation, request, noted) : noted;
  }

  private static LdapMessage message(Operation operation, byte[] op) {
    return LdapMessage.of(operation.messageId(), op, List.of());
  }

  private void write(Operation operation, Request request) {
    SplittableRandom random = faults.draws().of(Stream.WRITE, operation.messageId());
    Server primary = directory.primary();
    RecentChange change = matters() ? consistency.begin(operation, request, null, primary) : null;
    send(operation, primary);
    long there = Faults.way(random);
    long back = Faults.way(random);
    if (faults.losesAnswer(random)) {
      time.after(
          there + back,
          () -> operation.session().executor().execute(() -> lose(operation, change)));
      time.after(there + random.nextLong(LATEST_COMMIT), () -> commit(operation));
    } else {
      time.after(there, () -> answer(operation, change, commit(operation), back));
    }
  }

  private int commit(Operation operation) {
    int code = directory.commit(requests.change(operation));
    if (code == 0) {
      requests.made(operation, directory.primary().state());
    }
    return code;
  }

  private void answer(Operation operation, @Nullable RecentChange change, int code, long back) {
    int tag = operation.type().tag();
    time.after(
        back,
        () ->
            operation
                .session()
                .executor()
                .execute(
                    () -> {
                      end(change, true);
                      byte[] op = Responses.result(tag, code).op();
                      operation.sink().complete(message(operation, op));
                    }));
  }

  private void lose(Operation operation, @Nullable RecentChange change) {
    end(change, false);
    operation.sink().reject(Rejection.UPSTREAM_LOST);
  }

  private void end(@Nullable RecentChange change, boolean known) {
    if (change != null) {
      consistency.end(change, directory.primary(), known);
    }
  }
}
