// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.util.List;
import java.util.function.Function;

/** What a step does on its connection, alike on both sides; what came back is compared. */
@FunctionalInterface
public interface StepAction {
  List<RawMessage> on(ScriptConnection talk);

  /** Sends a request and waits for its answer, if this kind is answered. */
  static StepAction of(RawRequest request) {
    return talk -> talk.call(request);
  }

  /** The same for a request made of the answer that this side got last. */
  static StepAction following(Function<List<RawMessage>, RawRequest> request) {
    return talk -> talk.call(request.apply(talk.previous()));
  }
}
