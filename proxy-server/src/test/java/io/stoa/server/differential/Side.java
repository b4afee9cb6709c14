// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the two ways to a directory (direct, or through Stoa) with its named connections. Not
 * thread-safe.
 */
final class Side implements AutoCloseable {
  private final InetSocketAddress address;
  private final Dialer dialer;
  private final Map<String, ScriptConnection> talks = new HashMap<>();
  private final List<RawRequest> sent = new ArrayList<>();
  private List<RawMessage> previous = List.of();

  Side(InetSocketAddress address, Dialer dialer) {
    this.address = address;
    this.dialer = dialer;
  }

  /** Does what the step says, on its connection; what came back, in order. */
  List<RawMessage> play(Step step) {
    sent.clear();
    ScriptConnection talk =
        talks.computeIfAbsent(
            step.connection(), name -> new ScriptConnection(dialer.dial(address), this));
    try {
      return step.move().on(talk);
    } catch (AssertionError e) {
      throw new AssertionError(step + " to " + address + ": " + e.getMessage(), e);
    } finally {
      if (talk.ended()) {
        talk.client().close();
        talks.remove(step.connection());
      }
    }
  }

  /** What the last step sent. */
  List<RawRequest> sent() {
    return List.copyOf(sent);
  }

  /** Notes a request that is about to be sent, and says how it is made on these connections. */
  RawRequest sends(RawRequest request) {
    sent.add(request);
    return dialer.spoken(request);
  }

  List<RawMessage> previous() {
    return previous;
  }

  List<RawMessage> answered(List<RawMessage> answer) {
    previous = answer;
    return answer;
  }

  @Override
  public void close() {
    talks.values().forEach(talk -> talk.client().close());
  }
}
