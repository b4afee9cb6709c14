// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.DecodeLimits;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.RequestDecoder;
import io.stoa.ldap.SearchEntry;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.InternalSession;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnSink;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import io.stoa.testing.RawRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A client that is bound and connected to one loop. Thread-confined. */
final class SimClient {
  private static final RequestDecoder DECODER = new RequestDecoder(DecodeLimits.DEFAULTS);

  private final VirtualTime time;
  private final VirtualLoop loop;
  private final Stage chain;
  private final Notes notes;
  private final InternalSession session;

  SimClient(VirtualTime time, VirtualLoop loop, Stage chain, Notes notes, String identity) {
    this.time = time;
    this.loop = loop;
    this.chain = chain;
    this.notes = notes;
    ClientIdentity who =
        identity.isEmpty()
            ? ClientIdentity.ANONYMOUS
            : ClientIdentity.simple(identity.getBytes(StandardCharsets.UTF_8), null);
    this.session = new InternalSession(loop, who);
  }

  void ask(int number, SimSearch search) {
    loop.execute(() -> send(notes.asked(number, search, time.now()), search.request()));
  }

  void tell(int number, String identity, SimChange change) {
    loop.execute(() -> send(notes.told(number, identity, change), change.request()));
  }

  private void send(int messageId, RawRequest request) {
    LdapMessage message = LdapMessage.of(messageId, request.op(), List.of());
    Operation operation = new Operation(session, message, DECODER, time.now(), Answer::new);
    try {
      chain.handle(operation);
    } catch (LdapProtocolException e) {
      throw new AssertionError("what the simulator asks is refused", e);
    }
  }

  /** Takes one answer. Event-loop confined. */
  private final class Answer extends OwnSink {
    private final Operation operation;
    private final Map<String, String> entries = new TreeMap<>();

    Answer(Operation operation) {
      super(operation);
      this.operation = operation;
    }

    @Override
    public void respond(LdapMessage response) {
      respond(response.copyOp());
      response.release();
    }

    @Override
    public void respond(byte[] op) {
      try {
        String dn = new String(SearchEntry.parse(op).dn(), StandardCharsets.UTF_8);
        entries.put(dn, new String(op, StandardCharsets.ISO_8859_1));
      } catch (LdapProtocolException e) {
        throw new AssertionError("what came is no entry", e);
      }
    }

    @Override
    public void complete(LdapMessage response) {
      complete(response.copyOp());
      response.release();
    }

    @Override
    public void complete(byte[] op) {
      if (end()) {
        notes.answered(operation.messageId(), time.now(), LdapResult.codeOf(op), entries);
      }
    }

    @Override
    public void complete(LargeMessage response) {
      throw new AssertionError("no answer is that large");
    }

    @Override
    public void reject(Rejection reason) {
      if (end()) {
        notes.refused(operation.messageId(), time.now(), reason);
      }
    }

    @Override
    public void abandoned() {
      throw new AssertionError("nothing is abandoned");
    }
  }
}
