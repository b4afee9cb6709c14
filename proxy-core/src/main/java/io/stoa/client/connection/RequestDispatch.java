// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.client.auth.ExternalAnswers;
import io.stoa.client.auth.SaslMechanism;
import io.stoa.client.auth.SaslSink;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.operation.CancelValue;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientEvent;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches each request of one client by its type.
 *
 * <p>Threading: event loop.
 */
final class RequestDispatch {
  private static final int SUCCESS = 0;
  private static final int VERSION = 3;

  /** Requests that are processed without a known identity. */
  private static final Set<OpType> WITHOUT_IDENTITY =
      EnumSet.of(OpType.BIND_REQUEST, OpType.UNBIND_REQUEST, OpType.ABANDON_REQUEST);

  /** Extended operations that Stoa handles without any directory. */
  private static final Set<String> LOCAL_EXTENSIONS = Set.of(Oids.START_TLS, Oids.TURN);

  private final ClientConnection client;
  private final FrontendConfig config;
  private final Stage chain;

  RequestDispatch(ClientConnection client, FrontendConfig config, Stage chain) {
    this.client = client;
    this.config = config;
    this.chain = chain;
  }

  /**
   * True if the request may be processed now. A bind waits until all operations have ended (RFC
   * 4511, section 4.2.1). Long-lived operations, which would never end, are abandoned.
   */
  boolean mayTake(LdapMessage message) {
    if (message.type() == OpType.BIND_REQUEST && client.operations().size() > 0) {
      for (Operation operation : client.operations().snapshot()) {
        if (operation.isLongLived()) {
          client.abandon(operation);
        }
      }
      return client.operations().size() == 0;
    }
    return WITHOUT_IDENTITY.contains(message.type()) || isIdentified();
  }

  /** True if the client's identity is known. Otherwise the server is asked for it now. */
  private boolean isIdentified() {
    if (client.sasl().exchange().isUnidentified()) {
      client.sasl().identify(chain);
    }
    return !client.sasl().exchange().isAsking();
  }

  /** Processes a request, and takes ownership of it. */
  void take(LdapMessage message) throws LdapProtocolException {
    ProtocolError error = error(message);
    if (error != null) {
      message.wipeAndRelease();
      throw LdapProtocolException.of(error);
    }
    switch (message.type()) {
      case UNBIND_REQUEST -> unbind(message);
      case ABANDON_REQUEST -> abandon(message);
      case BIND_REQUEST -> bind(begin(message));
      case EXTENDED_REQUEST -> extended(begin(message));
      case SEARCH_REQUEST -> search(begin(message));
      default -> chain.handle(begin(message));
    }
  }

  private void search(Operation operation) {
    config.counters().countSearch(TargetName.scope(operation.message()));
    chain.handle(operation);
  }

  private static @Nullable ProtocolError error(LdapMessage message) {
    if (message.messageId() == NoticeOfDisconnection.UNSOLICITED_ID) {
      return ProtocolError.BAD_MESSAGE_ID;
    }
    return message.type().isRequest() ? null : ProtocolError.UNKNOWN_OPERATION;
  }

  private Operation begin(LdapMessage message) throws LdapProtocolException {
    Operation operation = client.begin(message);
    if (operation == null) {
      message.wipeAndRelease();
      throw LdapProtocolException.of(ProtocolError.BAD_MESSAGE_ID);
    }
    config.counters().received().increment(message.type());
    return operation;
  }

  private void unbind(LdapMessage message) {
    config.counters().received().increment(OpType.UNBIND_REQUEST);
    client.accessReporter().onWithoutResponse(OpType.UNBIND_REQUEST, message.messageId(), null);
    message.release();
    config.counters().completed().increment(OpType.UNBIND_REQUEST);
    client.close();
  }

  /** Processes an abandon, which never has a response (RFC 4511, section 4.11). */
  private void abandon(LdapMessage message) throws LdapProtocolException {
    config.counters().received().increment(OpType.ABANDON_REQUEST);
    try {
      Request request = config.decoder().decode(message);
      client
          .accessReporter()
          .onWithoutResponse(OpType.ABANDON_REQUEST, message.messageId(), request);
      AbandonOp abandon = (AbandonOp) request.op();
      Operation target = client.operations().get(abandon.id());
      if (target != null) {
        client.abandon(target);
      }
    } finally {
      message.release();
      config.counters().completed().increment(OpType.ABANDON_REQUEST);
    }
  }

  private void bind(Operation operation) {
    BindOp bind = (BindOp) operation.request().op();
    config.counters().binds().increment(kind(bind));
    boolean continues = client.sasl().exchange().isContinuedBy(bind);
    client.onBindStart(continues);
    Rejection limit = config.quotas().admitBind(operation, bind);
    if (limit != null) {
      client.onBindFailed();
      operation.sink().reject(limit);
      return;
    }
    if (config.localBinds().handles(operation, bind)) {
      answerLocally(operation, bind);
      return;
    }
    if (config.external().handles(operation, bind)) {
      answerExternal(operation, bind);
      return;
    }
    operation.setSink(sink(operation, bind));
    Rejection refusal = isExposed(bind) ? Rejection.CONFIDENTIALITY_REQUIRED : refusal(bind);
    if (refusal == null) {
      chain.handle(operation);
    } else {
      operation.sink().reject(refusal);
    }
  }

  private void answerExternal(Operation operation, BindOp bind) {
    Rejection denied = config.accessControl().refusal(operation);
    if (denied == null) {
      config.external().answer(operation, bind, this::onExternalBound);
    } else {
      client.onBindEnd(ClientIdentity.ANONYMOUS);
      operation.sink().reject(denied);
    }
  }

  private void answerLocally(Operation operation, BindOp bind) {
    if (isExposed(bind)) {
      client.onBindEnd(ClientIdentity.ANONYMOUS);
      operation.sink().reject(Rejection.CONFIDENTIALITY_REQUIRED);
    } else {
      config.localBinds().answer(operation, bind, client::onBindEnd);
    }
  }

  private static BindKind kind(BindOp bind) {
    if (bind.authentication() != BindAuthentication.SIMPLE) {
      return BindKind.SASL;
    }
    if (bind.credentialsLength() > 0) {
      return BindKind.SIMPLE;
    }
    return bind.name().length == 0 ? BindKind.ANONYMOUS : BindKind.UNAUTHENTICATED;
  }

  /** Called when a bind by EXTERNAL has ended. */
  private void onExternalBound(ClientIdentity identity) {
    if (!identity.isAnonymous()) {
      config.counters().events().increment(ClientEvent.SASL_BOUND);
    }
    client.onBindEnd(identity);
  }

  private ResponseSink sink(Operation operation, BindOp bind) {
    String mechanism = bind.saslMechanism();
    return mechanism == null
        ? new BindSink(client, operation, bind, keepsPassword(bind))
        : new SaslSink(client.sasl(), operation, mechanism);
  }

  private boolean keepsPassword(BindOp bind) {
    return config.keepPasswords().test(Octets.of(bind.name()));
  }

  /**
   * True if a bind carries, or may carry, a secret over an unprotected connection. An anonymous
   * bind has none.
   */
  private boolean isExposed(BindOp bind) {
    boolean anonymous =
        bind.authentication() == BindAuthentication.SIMPLE && bind.credentialsLength() == 0;
    return !anonymous && !client.clientTls().isConfidential();
  }

  /**
   * Returns why a bind is refused, or null. Only a bind of version 3 may change the state of an
   * upstream connection.
   */
  private @Nullable Rejection refusal(BindOp bind) {
    if (bind.version() != VERSION) {
      return bind.version() == 2 ? Rejection.BIND_VERSION_2 : Rejection.BIND_VERSION_UNKNOWN;
    }
    return switch (bind.authentication()) {
      case SIMPLE -> ClientIdentity.mayBeBound(bind.name()) ? null : Rejection.BIND_NAME_INVALID;
      case SASL -> saslRefusal(String.valueOf(bind.saslMechanism()));
      case OTHER -> Rejection.BIND_METHOD_UNKNOWN;
    };
  }

  private @Nullable Rejection saslRefusal(String mechanism) {
    if (mechanism.isEmpty()) {
      return Rejection.SASL_NO_MECHANISM;
    }
    if (!SaslMechanism.isForwarded(mechanism)) {
      return Rejection.SASL_MECHANISM_REFUSED;
    }
    if (config.refusePlainSasl()
        && client.isUnprotected()
        && SaslMechanism.sendsSecret(mechanism)) {
      return Rejection.SASL_UNPROTECTED;
    }
    return client.sasl().exchange().isTooLong() ? Rejection.SASL_TOO_LONG : null;
  }

  private void extended(Operation operation) {
    ExtendedOp extended = (ExtendedOp) operation.request().op();
    if (LOCAL_EXTENSIONS.contains(extended.oid()) && criticalControl(operation)) {
      operation.sink().reject(Rejection.CRITICAL_CONTROL);
      return;
    }
    switch (extended.oid()) {
      case Oids.START_TLS -> client.clientTls().start(operation, extended);
      case Oids.TURN -> operation.sink().reject(Rejection.TURN_UNSUPPORTED);
      case Oids.CANCEL -> cancel(operation, extended);
      case Oids.WHO_AM_I -> answerWhoAmI(operation, extended);
      default -> chain.handle(operation);
    }
  }

  private static boolean criticalControl(Operation operation) {
    return operation.request().controls().stream().anyMatch(Control::critical);
  }

  private void answerWhoAmI(Operation operation, ExtendedOp extended) {
    if (ExternalAnswers.appliesTo(operation)) {
      ExternalAnswers.answerWhoAmI(operation, extended);
    } else {
      chain.handle(operation);
    }
  }

  /**
   * Cancels an operation (RFC 3909): at the server if the server has it, otherwise in Stoa. A
   * Cancel of an operation that is not in flight is forwarded, so that the server answers it.
   */
  private void cancel(Operation operation, ExtendedOp cancel) {
    Operation target = target(operation, cancel);
    if (target == null || target == operation) {
      cancelNothing(operation, cancel);
      return;
    }
    Cancellation cancellation = target.cancellation();
    if (cancellation == null || !cancellation.forward(operation)) {
      target.cancel(Rejection.CANCELED);
      operation.sink().complete(LdapResult.encode(OpType.EXTENDED_RESPONSE, SUCCESS, ""));
    }
  }

  private void cancelNothing(Operation operation, ExtendedOp cancel) {
    if (ExternalAnswers.appliesTo(operation)) {
      ExternalAnswers.cancelNothing(operation, cancel);
    } else {
      chain.handle(operation);
    }
  }

  /**
   * Returns the operation to cancel; null if there is none. A malformed value may be valid for a
   * server. So it is sent over a connection on which all messageIDs are the client's.
   */
  private @Nullable Operation target(Operation operation, ExtendedOp cancel) {
    try {
      return client.operations().get(CancelValue.read(operation.message(), cancel));
    } catch (LdapProtocolException e) {
      if (operation.session().identity().canRebind()) {
        client.restrict(Restriction.EXCLUSIVE);
      }
      return null;
    }
  }
}
