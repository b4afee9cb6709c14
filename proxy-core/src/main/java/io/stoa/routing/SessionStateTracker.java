// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.operation.ClientSession.Doubt;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the answer to a request on a connection that serves its client alone, to know whether
 * the connection holds more of the client's now, or less. Event-loop confined.
 */
final class SessionStateTracker extends ForwardingSink {
  private static final int SUCCESS = 0;
  private static final byte[] NO_COOKIE = {};

  private final Operation operation;
  private final Request request;
  private final Listener listener;
  private final @Nullable Doubt doubt;

  private SessionStateTracker(
      ResponseSink next,
      Operation operation,
      Request request,
      Listener listener,
      @Nullable Doubt doubt) {
    super(next);
    this.operation = operation;
    this.request = request;
    this.listener = listener;
    this.doubt = doubt;
  }

  /** What has become of the connection. Event-loop confined. */
  interface Listener {
    /** It holds so many states more. */
    void left(int more);

    /** A page was answered with a cookie for the next one. */
    void cookie(byte[] cookie);
  }

  /**
   * Wraps the operation's sink, once.
   *
   * @param listener hears of it before the client gets the answer
   */
  static void watch(Operation operation, Request request, Listener listener) {
    ResponseSink sink = operation.sink();
    if (sink instanceof SessionStateTracker earlier) {
      operation.sink(
          new SessionStateTracker(earlier.next, operation, request, listener, earlier.doubt));
    } else {
      Doubt doubt = Restrictions.mayLeaveAnything(request) ? operation.session().doubt() : null;
      operation.sink(new SessionStateTracker(sink, operation, request, listener, doubt));
    }
  }

  @Override
  public void complete(LdapMessage response) {
    int states = states(response);
    settle(states > 0);
    listener.left(states);
    next.complete(response);
  }

  @Override
  public void complete(LargeMessage response) {
    settle(true);
    listener.left(1);
    next.complete(response);
  }

  /** If it was sent, the connection on which that was is gone. */
  @Override
  public void reject(Rejection reason) {
    settle(false);
    next.reject(reason);
  }

  /** Nobody looks at the answer any more, if there will be one. */
  @Override
  public void abandoned() {
    settle(operation.sendings() > 0);
    next.abandoned();
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
      byte[] cookie = success ? cookie(ResponseControls.decode(response)) : NO_COOKIE;
      boolean began = cookie(request.controls()).length == 0;
      if (cookie.length > 0) {
        listener.cookie(cookie);
      }
      return (cookie.length > 0 ? 1 : 0) - (began ? 0 : 1);
    } catch (LdapProtocolException e) {
      return 1;
    }
  }

  /** RFC 2696, section 2; empty if there is none. */
  static byte[] cookie(List<Control> controls) throws LdapProtocolException {
    for (Control control : controls) {
      byte[] value = control.value();
      if (control.oid().equals(Oids.PAGED) && value != null) {
        BerReader reader = new BerReader(value, ProtocolError.MALFORMED_RESPONSE);
        reader.enter(BerReader.SEQUENCE);
        reader.integer(BerReader.INTEGER);
        return reader.octets(BerReader.OCTET_STRING);
      }
    }
    return NO_COOKIE;
  }
}
