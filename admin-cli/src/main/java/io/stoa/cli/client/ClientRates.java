// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clients of two readings.
 *
 * <p>Threading: immutable.
 *
 * @param before numbers of completed requests by connection number, at the earlier reading
 * @param now the clients at the later reading
 * @param seconds time between the readings; 0 if there was only one
 */
public record ClientRates(Map<String, Long> before, List<EntryValues> now, double seconds) {
  private static final String NUMBER = "monitorConnectionNumber";
  private static final String COMPLETED = "monitorConnectionOpsCompleted";
  private static final String PARENT = "cn=Connections,cn=monitor";
  private static final String CONNECTION = "(objectClass=monitorConnection)";
  private static final double NANOS = 1e9;

  /** Requested attributes of each client. */
  private static final String[] ATTRIBUTES = {
    NUMBER,
    COMPLETED,
    "monitorConnectionAuthzDN",
    "monitorConnectionPeerAddress",
    "monitorConnectionOpsExecuting",
    "monitorConnectionOpsPending"
  };

  public ClientRates {
    before = Map.copyOf(before);
    now = List.copyOf(now);
  }

  /**
   * Reads the clients.
   *
   * @param last the last reading; null if there is none
   * @param nanos time since the last reading in ns
   */
  static ClientRates read(StoaClient client, @Nullable ClientRates last, long nanos)
      throws StoaException {
    Map<String, Long> before = new HashMap<>();
    if (last != null) {
      last.now.forEach(one -> before.put(number(one), one.count(COMPLETED)));
    }
    List<EntryValues> clients = client.below(PARENT, CONNECTION, ATTRIBUTES);
    return new ClientRates(before, clients, last == null ? 0 : nanos / NANOS);
  }

  private static String number(EntryValues client) {
    return String.valueOf(client.text(NUMBER));
  }

  /** Returns the requests of a client completed per second; null if it is new. */
  public @Nullable Double perSecond(EntryValues client) {
    Long earlier = before.get(number(client));
    return earlier == null || seconds <= 0
        ? null
        : (Double) (Math.max(0, client.count(COMPLETED) - earlier) / seconds);
  }
}
