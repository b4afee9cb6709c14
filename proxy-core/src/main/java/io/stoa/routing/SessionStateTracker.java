// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.operation.ClientSession.Doubt;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import org.jspecify.annotations.Nullable;

/**
 * Examines the answer to a request on a dedicated connection, to know what state of the client the
 * connection holds.
 *
 * <p>Threading: event loop.
 */
final class SessionStateTracker extends ForwardingSink {
  private static final int SUCCESS = 0;

  private final Operation operation;
  private final Request request;
  private final StateListener listener;
  private final @Nullable Doubt doubt;

  private SessionStateTracker(
      ResponseSink next,
      Operation operation,
      Request request,
      StateListener listener,
      @Nullable Doubt doubt) {
    super(next);
    this.operation = operation;
    this.request = request;
    this.listener = listener;
    this.doubt = doubt;
  }

  /**
   * Called when the state of the connection changes.
   *
   * <p>Threading: event loop.
   */
  interface StateListener {
    /** Called when the connection holds more states; negative if fewer. */
    void onStates(int more);

    /** Called when a page was answered with a cookie for the next one. */
    void onCookie(byte[] cookie);
  }

  /**
   * Wraps the sink of the operation, once.
   *
   * @param listener called before the client receives the answer
   */
  static void watch(Operation operation, Request request, StateListener listener) {
    ResponseSink sink = operation.sink();
    if (sink instanceof SessionStateTracker earlier) {
      operation.setSink(
          new SessionStateTracker(earlier.next, operation, request, listener, earlier.doubt));
    } else {
      Doubt doubt = Restrictions.mayLeaveUnknownState(request) ? operation.session().doubt() : null;
      operation.setSink(new SessionStateTracker(sink, operation, request, listener, doubt));
    }
  }

  @Override
  public void complete(Response response) {
    int states = response instanceof LdapMessage message ? states(message) : 1;
    settle(states > 0);
    listener.onStates(states);
    next.complete(response);
  }

  /** Settles the doubt: if the request was sent, its connection is gone. */
  @Override
  public void reject(Rejection reason) {
    settle(false);
    next.reject(reason);
  }

  /** Settles the doubt without an answer: a request that was sent may leave state. */
  @Override
  public void onAbandoned() {
    settle(operation.sendings() > 0);
    next.onAbandoned();
  }

  private void settle(boolean state) {
    if (doubt != null) {
      doubt.settle(state);
    }
  }

  private int states(LdapMessage response) {
    boolean success = LdapResult.codeOf(response.body()) == SUCCESS;
    if (Restrictions.leavesState(request)) {
      return success ? 1 : 0;
    }
    try {
      byte[] cookie =
          success
              ? PagedResults.cookieOf(ResponseControls.decode(response))
              : PagedResults.NO_COOKIE;
      boolean began = PagedResults.cookieOf(request.controls()).length == 0;
      if (cookie.length > 0) {
        listener.onCookie(cookie);
      }
      return (cookie.length > 0 ? 1 : 0) - (began ? 0 : 1);
    } catch (LdapProtocolException e) {
      return 1;
    }
  }
}
