// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.transport.GuardedTask;
import io.stoa.net.transport.Plural;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.write.WriteContext.BindLender;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes of one identity that are performed together, all or none (RFC 5805).
 *
 * <p>If the transaction fails, nothing has taken effect, and each write is sent by itself. So each
 * has its own result. OpenLDAP may have announced changes of the failed transaction, and these then
 * become true.
 *
 * <p>Threading: event loop.
 */
final class Transaction {
  private static final Logger LOG = LoggerFactory.getLogger(Transaction.class);
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;
  private static final byte[] EMPTY = {};

  private final TransactionSession session;
  private final List<WindowedWrite> writes;
  private final Operation first;
  private final Stage next;
  private final IntConsumer onEnd;
  private int open;
  private boolean refused;
  private boolean lost;
  private boolean committing;
  private boolean ended;
  private byte[] id = EMPTY;

  private Transaction(
      TransactionSession session, List<WindowedWrite> writes, Stage next, IntConsumer onEnd) {
    this.session = session;
    this.writes = writes;
    this.first = writes.get(0).operation();
    this.next = next;
    this.onEnd = onEnd;
  }

  /**
   * Starts the transaction. Each write is notified of its outcome.
   *
   * @param onEnd receives the number of performed writes; 0 if the transaction failed
   */
  static void begin(
      TransactionSession session,
      List<WindowedWrite> writes,
      BindLender lender,
      Stage next,
      IntConsumer onEnd) {
    ClientSession client =
        writes.stream()
            .map(write -> write.operation().session())
            .max(Comparator.comparingLong(lender::bindNumber))
            .orElseThrow();
    Transaction transaction = new Transaction(session, writes, next, onEnd);
    transaction.runGuarded(() -> transaction.start(client, lender));
  }

  private void start(ClientSession client, BindLender lender) {
    writes.forEach(WindowedWrite::joinTransaction);
    session.actFor(client);
    if (lender.bindNumber(client) > lender.bindNumber(session)) {
      session.end(); // the present bind may be older than that of a client
      lender.lend(session, client);
    }
    send(first, extended(Oids.TXN_START, null), List.of(), this::onStarted);
  }

  private void send(
      Operation client,
      byte[] op,
      List<Control> controls,
      Consumer<TransactionRequest.Result> outcome) {
    LdapMessage message = LdapMessage.of(session.nextId(), op, controls);
    TransactionRequest.send(
        client, session, message, next, result -> runGuarded(() -> outcome.accept(result)));
  }

  /**
   * Runs a step. An exception ends the transaction, since other transactions wait. A step after the
   * end does nothing.
   */
  private void runGuarded(Runnable step) {
    if (ended) {
      return;
    }
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error(
          "transaction of {} failed: internal error. They are sent one by one, or their "
              + "outcome is unknown",
          Plural.of(writes.size(), "write"),
          e);
      session.end();
      if (!ended) {
        end(0, committing ? WindowedWrite::onUnknown : WindowedWrite::sendSingly);
      }
    }
  }

  private static byte[] extended(String oid, byte @Nullable [] value) {
    BerWriter request = new BerWriter();
    int op = request.begin(OpType.EXTENDED_REQUEST.tag());
    request.octets(REQUEST_NAME, oid.getBytes(US_ASCII));
    if (value != null) {
      request.octets(REQUEST_VALUE, value);
    }
    return request.end(op).toByteArray();
  }

  private void onStarted(TransactionRequest.Result result) {
    if (!result.isSuccess()) {
      if (result.code() > 0) {
        session.pause();
      }
      sendSingly();
      return;
    }
    byte[] identifier = result.value();
    id = identifier == null ? EMPTY : identifier;
    sendAll();
  }

  /** Sends all writes at once. None has to follow another (see {@link ClientWriteOrder}). */
  private void sendAll() {
    open = writes.size();
    List<Control> controls = List.of(new Control(Oids.TXN_SPEC, true, id));
    writes.forEach(write -> send(write.operation(), write.op(), controls, this::onWriteAnswered));
  }

  private void onWriteAnswered(TransactionRequest.Result result) {
    refused |= !result.isSuccess();
    lost |= result.code() < 0;
    open--;
    if (open == 0 && lost) { // the transaction ended with its connection
      session.end();
      sendSingly();
    } else if (open == 0) {
      committing = !refused;
      send(first, extended(Oids.TXN_END, end(!refused)), List.of(), this::onEnded);
    }
  }

  private byte[] end(boolean commit) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    if (!commit) {
      value.bool(BerReader.BOOLEAN, false);
    }
    return value.octets(BerReader.OCTET_STRING, id).end(sequence).toByteArray();
  }

  private void onEnded(TransactionRequest.Result result) {
    if (refused || result.code() > 0) {
      sendSingly();
    } else if (result.isSuccess()) {
      end(writes.size(), WindowedWrite::onPerformed);
    } else if (result.sent()) {
      end(0, WindowedWrite::onUnknown);
    } else {
      sendSingly();
    }
  }

  private void sendSingly() {
    end(0, WindowedWrite::sendSingly);
  }

  private void end(int count, Consumer<WindowedWrite> action) {
    ended = true;
    session.endTransaction(writes.size(), count > 0);
    onEnd.accept(count);
    writes.forEach(
        write ->
            new GuardedTask("end of a write in a transaction", () -> action.accept(write)).run());
  }
}
