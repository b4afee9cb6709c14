// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was sent on one upstream connection and not answered, by messageID. The connection chooses
 * messageIDs of its own, unless it serves one client alone: then it keeps the client's, so that
 * those inside of values are right as they are, but for those of requests that the client has given
 * up and that may still be answered. Event-loop confined.
 */
final class PendingOperations {
  /** From here on a messageID always takes four octets; clients hardly ever get here. */
  private static final int FIRST_ID = 0x01000000;

  /** Of Stoa's own requests on the connection; never given to an operation. */
  static final int OWN_ID = Integer.MAX_VALUE;

  /** After so many that were abandoned no messageID is the client's any more. */
  private static final int MOST_ASTRAY = 1000;

  private final IntObjectHashMap<PendingOperation> exchanges = new IntObjectHashMap<>();
  private final PendingOperation.Abandoned abandoned = new PendingOperation.Abandoned();
  private final Set<PendingOperation> slow = new HashSet<>();
  private boolean clientsIds;

  /** MessageIDs under which the answer to a request that was abandoned may still come. */
  private final Set<Integer> astray = new HashSet<>(1);

  private int nextId = FIRST_ID;
  private long sent;
  private long completed;
  private long newestAnswered;

  /** From now on messageIDs are those of the one client. */
  void keepClientsIds() {
    clientsIds = true;
  }

  boolean keepsClientsIds() {
    return clientsIds;
  }

  /** Enters an operation that is about to be sent. */
  PendingOperation enter(UpstreamConnection connection, Operation operation) {
    int id = mayKeepId(operation) ? operation.messageId() : freshId();
    PendingOperation exchange = new PendingOperation(connection, this, id, operation, ++sent);
    exchanges.put(id, exchange);
    return exchange;
  }

  /** Whether answers under the operation's messageID can be those of no other. */
  private boolean mayKeepId(Operation operation) {
    int id = operation.messageId();
    return clientsIds
        && astray.size() < MOST_ASTRAY
        && !astray.contains(id)
        && !operation.isDerived()
        && id != OWN_ID
        && !exchanges.containsKey(id);
  }

  /** A messageID that no operation has. */
  int freshId() {
    int id = nextId;
    nextId = id == OWN_ID - 1 ? FIRST_ID : id + 1;
    return exchanges.containsKey(id) ? freshId() : id;
  }

  @Nullable PendingOperation get(int messageId) {
    return exchanges.get(messageId);
  }

  boolean holds(PendingOperation exchange) {
    return exchanges.get(exchange.messageId()) == exchange;
  }

  void remove(PendingOperation exchange) {
    exchanges.remove(exchange.messageId());
    slow.remove(exchange);
  }

  /** The client of the exchange is slow to take the answer; false if it was so already. */
  boolean slow(PendingOperation exchange, long now) {
    exchange.slowAt(now);
    return holds(exchange) && slow.add(exchange);
  }

  /** True if clients that take their answers wait on the connection, beside one that does not. */
  boolean holdsOthers() {
    return !clientsIds && slow.size() < exchanges.size();
  }

  /** Whether an exchange with a slow client is there: a connection for others is a better one. */
  boolean anySlow() {
    return !slow.isEmpty();
  }

  /** Forgets which clients were slow, but are not any more; whether there were any. */
  private boolean expireSlow(long now) {
    return !slow.isEmpty() && slow.removeIf(exchange -> !exchange.isSlow(now));
  }

  /** Remembers an exchange that is removed unanswered: it may still take a place at the server. */
  void abandoned(PendingOperation exchange) {
    abandoned.add(exchange, System.nanoTime());
    if (clientsIds && astray.size() < MOST_ASTRAY) {
      astray.add(exchange.messageId());
    }
  }

  /** An exchange was answered: those abandoned before it take no place any more. */
  void answered(PendingOperation exchange) {
    completed++;
    newestAnswered = Math.max(newestAnswered, exchange.number());
    abandoned.answered(exchange);
  }

  /** Whether nothing that was sent to the server since this exchange has been answered. */
  boolean swallowed(PendingOperation exchange) {
    return !clientsIds && newestAnswered < exchange.number();
  }

  /** Whether there is more room because time has passed. */
  boolean expire(long now) {
    boolean freed = abandoned.expire(now);
    return expireSlow(now) || freed;
  }

  int size() {
    return exchanges.size();
  }

  /** How many have been entered. */
  long sent() {
    return sent;
  }

  /** How many of them have been answered. */
  long completed() {
    return completed;
  }

  boolean isEmpty() {
    return exchanges.isEmpty();
  }

  /** Places taken at the server. */
  int places() {
    return exchanges.size() + abandoned.size();
  }

  /** The connection has ended with these unanswered. */
  List<PendingOperation> end() {
    abandoned.end();
    return all();
  }

  /** All of them, as they are now. */
  List<PendingOperation> all() {
    return new ArrayList<>(exchanges.values());
  }
}
