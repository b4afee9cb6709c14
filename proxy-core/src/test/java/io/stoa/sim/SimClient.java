// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.sim.check.Claim;
import io.stoa.testing.RawRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** A client that is bound and connected to one loop. Thread-confined. */
final class SimClient {
  static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  /** Of one in so many requests Stoa is asked before what it has in memory. */
  private static final int EXPLAIN_EVERY = 3;

  private final VirtualTime time;
  private final VirtualLoop loop;
  private final SimChain chain;
  private final SimRequestLog requestLog;
  private final InternalSession session;
  private final Map<Integer, Operation> open = new HashMap<>();

  SimClient(
      VirtualTime time, VirtualLoop loop, SimChain chain, SimRequestLog notes, String identity) {
    this.time = time;
    this.loop = loop;
    this.chain = chain;
    this.requestLog = notes;
    ClientIdentity who =
        identity.isEmpty()
            ? ClientIdentity.ANONYMOUS
            : ClientIdentity.simple(identity.getBytes(StandardCharsets.UTF_8), null);
    this.session = new InternalSession(loop, who);
  }

  /** As whom it asks. */
  ClientSession session() {
    return session;
  }

  /** What is asked now may wait in front of a loop that stands still. */
  void read(int messageId, SimRequest question) {
    long invoked = time.now();
    loop.execute(
        () -> {
          RawRequest request = question.request();
          boolean curious = messageId % EXPLAIN_EVERY == 0;
          Claim claim =
              curious ? claim(operation(messageId, request, invoked, NoAnswerSink::new)) : null;
          requestLog.onRead(
              messageId, new SimRequestLog.ReadRequest(question, invoked, time.now(), claim));
          send(operation(messageId, request, invoked, AnswerSink::new));
        });
  }

  void write(int messageId, String identity, SimChange change) {
    long invoked = time.now();
    loop.execute(
        () -> {
          requestLog.onWrite(messageId, identity, change);
          send(operation(messageId, change.request(), invoked, AnswerSink::new));
        });
  }

  /** Does not want an answer any more, if there is none yet. */
  void abandon(int messageId) {
    loop.execute(
        () -> {
          Operation operation = open.get(messageId);
          if (operation != null) {
            operation.abandon();
          }
        });
  }

  private Operation operation(
      int messageId, RawRequest request, long invoked, Function<Operation, ResponseSink> sink) {
    LdapMessage message = LdapMessage.of(messageId, request.op(), List.of());
    return new Operation(session, message, DECODER, invoked, sink);
  }

  private Claim claim(Operation operation) {
    Claim claim = chain.claim(operation);
    operation.moveTo(OperationState.COMPLETED);
    return claim;
  }

  private void send(Operation operation) {
    open.put(operation.messageId(), operation);
    chain.first().handle(operation);
  }

  /** Takes no answer: none is due. Event-loop confined. */
  private static class NoAnswerSink extends InternalSink {
    NoAnswerSink(Operation operation) {
      super(operation);
    }

    @Override
    public void complete(Response response) {
      throw new AssertionError("nobody has asked");
    }

    @Override
    public void reject(Rejection reason) {
      throw new AssertionError("nobody has asked");
    }

    @Override
    public void onAbandoned() {
      throw new AssertionError("nobody has asked");
    }
  }

  /** Takes one answer. Event-loop confined. */
  private final class AnswerSink extends NoAnswerSink {
    private final int messageId;
    private final Map<String, String> entries = new TreeMap<>();

    AnswerSink(Operation operation) {
      super(operation);
      this.messageId = operation.messageId();
    }

    @Override
    public void respond(Response response) {
      byte[] op =
          response instanceof EncodedResponse stored
              ? stored.op()
              : ((LdapMessage) response).copyOp();
      response.release();
      try {
        String dn = new String(SearchEntry.parse(op).dn(), StandardCharsets.UTF_8);
        entries.put(dn, new String(op, StandardCharsets.ISO_8859_1));
      } catch (LdapProtocolException e) {
        throw new AssertionError("the response is no entry", e);
      }
    }

    @Override
    public void complete(Response response) {
      int code = LdapResult.quickCodeOf(response);
      response.release();
      if (end()) {
        open.remove(messageId);
        requestLog.onAnswered(messageId, time.now(), code, entries);
      }
    }

    @Override
    public void reject(Rejection reason) {
      if (end()) {
        open.remove(messageId);
        requestLog.onRefused(messageId, time.now(), reason);
      }
    }

    @Override
    public void onAbandoned() {
      open.remove(messageId);
      requestLog.onAbandoned(messageId);
    }
  }
}
