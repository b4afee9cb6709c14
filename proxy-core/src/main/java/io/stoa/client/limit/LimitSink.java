// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.netty.util.concurrent.Future;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a search that exceeds its size or time limit: the client gets the result, and the upstream
 * search is cancelled. Entries are counted as they are sent to the client, from the cache or from a
 * server.
 *
 * <p>Threading: event loop.
 */
final class LimitSink extends ForwardingSink {
  private static final byte[] ENTRY_CHANGE = Oids.ENTRY_CHANGE.getBytes(StandardCharsets.US_ASCII);

  private final Operation operation;
  private final int limit;
  private final PageCount pages;
  private final @Nullable Control sortResult;
  private int returned;
  private boolean exceeded;
  private boolean refreshed;
  private boolean ended;
  private @Nullable Future<?> timer;

  /**
   * Wraps the operation's sink.
   *
   * @param limit maximum number of entries; 0 means no limit
   * @param sortResult control that is added to the result, because it is not sorted; null if not
   *     needed
   */
  LimitSink(Operation operation, int limit, PageCount pages, @Nullable Control sortResult) {
    super(operation.sink());
    this.operation = operation;
    this.limit = limit;
    this.pages = pages;
    this.sortResult = sortResult;
    this.returned = pages.entriesBefore();
  }

  /** Starts the time limit, unless the search has already ended. */
  void startTimer(Duration timeLimit) {
    if (!operation.hasEnded() && !timeLimit.isZero()) {
      long remaining = timeLimit.toNanos() - (System.nanoTime() - operation.receivedNanos());
      timer =
          operation
              .session()
              .executor()
              .schedule(this::onTimeLimit, remaining, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Ends the search at the time limit, except a long-lived one, which runs until the client ends
   * it.
   */
  private void onTimeLimit() {
    if (!ended && !operation.hasEnded() && !operation.isLongLived()) {
      operation.cancel(Rejection.TIME_LIMIT);
    }
  }

  // Responses

  @Override
  public void respond(Response response) {
    refreshed |= response.type() == OpType.INTERMEDIATE_RESPONSE;
    if (admit(response)) {
      next.respond(response);
    } else {
      response.release();
    }
  }

  /**
   * Counts a response; returns false if it exceeds the limit. The search is then cancelled in a
   * task, after its sender has finished with this response.
   */
  private boolean admit(Response response) {
    boolean counts = response.type() == OpType.SEARCH_RESULT_ENTRY && isContent(response);
    if (counts && (limit == 0 || returned < limit)) {
      returned++;
    } else if (counts && !exceeded) {
      exceeded = true;
      operation.session().executor().execute(this::stop);
    }
    return !exceeded;
  }

  /** True if the entry is part of the result; false if it is a later change of it. */
  private boolean isContent(Response entry) {
    return !operation.isLongLived()
        || !(entry instanceof LdapMessage message)
        || (!refreshed && !message.hasControl(ENTRY_CHANGE));
  }

  private void stop() {
    if (!ended && !operation.hasEnded()) {
      operation.cancel(Rejection.SIZE_LIMIT);
    }
  }

  // The end

  @Override
  public void complete(Response response) {
    if (exceeded || operation.hasEnded()) {
      response.release();
      reject(Rejection.SIZE_LIMIT);
      return;
    }
    end(
        response instanceof LdapMessage message
            ? SearchControls.cookie(message)
            : PageCount.NO_COOKIE);
    next.complete(sortResult == null ? response : unsorted(response, sortResult));
  }

  private Response unsorted(Response response, Control result) {
    if (response instanceof EncodedResponse own) {
      return LdapMessage.of(operation.messageId(), own.op(), List.of(result));
    }
    if (!(response instanceof LdapMessage message)) {
      return response;
    }
    try {
      List<Control> controls = new ArrayList<>(ResponseControls.decode(message));
      controls.add(result);
      LdapMessage whole = LdapMessage.of(message.messageId(), message.copyOp(), controls);
      message.release();
      return whole;
    } catch (LdapProtocolException e) {
      return response; // forwarded as the server sent it
    }
  }

  @Override
  public void reject(Rejection reason) {
    end(PageCount.NO_COOKIE);
    next.reject(exceeded ? Rejection.SIZE_LIMIT : reason);
  }

  @Override
  public void onAbandoned() {
    end(PageCount.NO_COOKIE);
    next.onAbandoned();
  }

  @Override
  public boolean restart() {
    boolean again = next.restart();
    if (again) {
      returned = pages.entriesBefore();
    }
    return again;
  }

  private void end(byte[] cookie) {
    if (ended) {
      return;
    }
    ended = true;
    pages.onEnd(cookie, returned);
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
