// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import io.stoa.testing.FaultInjectingProxy;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Received;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listens to whether a 389-ds itself finds somebody by the name of his place: once that has got
 * another name while somebody looked, it may go on finding him by the former one, whoever asks,
 * until it gets yet another. Thread-safe.
 */
final class NameObserver389 implements FaultInjectingProxy.Observer {
  private static final int REMEMBERED = 2_000;
  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;

  private final Map<RequestKey, NameLookup> underWay = new HashMap<>();
  private final Map<String, Deque<Found>> found = new HashMap<>();

  /**
   * What the server has said. Immutable.
   *
   * @param there whether it has found him
   * @param asked when it was asked, and when it had answered
   */
  record Found(boolean there, long asked, long answered) {}

  /** One question on one connection. */
  private record RequestKey(int connection, int messageId) {}

  /** A question that is not answered yet; under the lock of who listens. */
  private static final class NameLookup {
    private final String dn;
    private final long asked = System.nanoTime();
    private boolean there;

    NameLookup(String dn) {
      this.dn = dn;
    }
  }

  @Override
  public synchronized void request(int connection, RawMessage message) {
    String dn = message.opTag() == Received.SEARCH ? base(message) : null;
    if (dn != null) {
      underWay.put(new RequestKey(connection, message.messageId()), new NameLookup(dn));
    }
  }

  private static @Nullable String base(RawMessage message) {
    SearchRequestProtocolOp op = message.decoded().getSearchRequestProtocolOp();
    boolean placed = op.getBaseDN().startsWith("uid=placed,");
    return placed && op.getFilter().toString().equals(Reader389.ALL_PEOPLE) ? op.getBaseDN() : null;
  }

  @Override
  public synchronized void response(int connection, RawMessage message) {
    RequestKey question = new RequestKey(connection, message.messageId());
    NameLookup looking = underWay.get(question);
    if (looking != null && message.isFinal()) {
      underWay.remove(question);
      int code = message.resultCode();
      if (code == SUCCESS || code == NO_SUCH_OBJECT) {
        note(looking);
      }
    } else if (looking != null && message.opTag() == RawMessage.SEARCH_ENTRY) {
      looking.there = true;
    }
  }

  private void note(NameLookup looking) {
    Deque<Found> all = found.computeIfAbsent(looking.dn, dn -> new ArrayDeque<>());
    if (all.size() == REMEMBERED) {
      all.remove();
    }
    all.add(new Found(looking.there, looking.asked, System.nanoTime()));
  }

  /** What the server has said last of who has that name. */
  synchronized List<Found> of(String dn) {
    Deque<Found> all = found.get(dn);
    return all == null ? List.of() : List.copyOf(all);
  }
}
