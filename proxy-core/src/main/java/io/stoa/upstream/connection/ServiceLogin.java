// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.net.transport.DescribedException;
import io.stoa.operation.WhoAmI;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.server.Backend;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds connections to one server as the service account. After {@code invalidCredentials} the
 * password file is read again. A server that rejects the account goes down.
 *
 * <p>Threading: event loop.
 */
public final class ServiceLogin {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceLogin.class);
  private static final int NO_ANSWER = -1;
  private static final int SUCCESS = 0;
  private static final int INVALID_CREDENTIALS = 49;

  private final Backend backend;
  private final ServiceAccount account;
  private final long timeoutMillis;
  private final boolean probing;

  /** True if the last bind was refused as busy or unavailable. */
  private boolean busy;

  /** Creates the login for one server. */
  public ServiceLogin(Backend backend, ServiceAccount account, long timeoutMillis) {
    this(backend, account, timeoutMillis, false);
  }

  private ServiceLogin(
      Backend backend, ServiceAccount account, long timeoutMillis, boolean probing) {
    this.backend = backend;
    this.account = account;
    this.timeoutMillis = timeoutMillis;
    this.probing = probing;
  }

  /**
   * Returns a login for connections that never carry client requests. Requests run as the service
   * account itself, without proxied authorization.
   */
  public static ServiceLogin probing(Backend backend, ServiceAccount account, long timeoutMillis) {
    return new ServiceLogin(backend, account, timeoutMillis, true);
  }

  /**
   * Binds, and asks the server for the account's identity if that is needed.
   *
   * @param outcome receives true if the connection is usable
   */
  public void bindAndVerify(UpstreamConnection connection, Consumer<Boolean> outcome) {
    bind(connection, accepted -> verifyIdentity(connection, accepted, outcome));
  }

  /** Sends Who Am I, if a rule could make a client the service account. */
  private void verifyIdentity(
      UpstreamConnection connection, boolean accepted, Consumer<Boolean> outcome) {
    if (!accepted || !account.needsIdentityCheck()) {
      outcome.accept(accepted);
      return;
    }
    connection.sendOwn(
        WhoAmI.question(),
        timeoutMillis,
        answer -> {
          if (answer != null && !account.onWhoAmI(answer.body())) {
            LOG.warn(
                "upstream {} does not report the service account's identity (Who Am I): "
                    + "make sure that no rule of identity.external maps a client to that account",
                backend.address());
          }
          outcome.accept(answer != null);
        });
  }

  /**
   * Binds.
   *
   * @param outcome receives true if the connection is now bound as the service account
   */
  public void bind(UpstreamConnection connection, Consumer<Boolean> outcome) {
    int version = account.version();
    ByteBuf request = account.bindRequest();
    try {
      connection.bind(
          request, timeoutMillis, answer -> onResponse(connection, version, code(answer), outcome));
    } finally {
      ServiceAccount.wipe(request);
    }
  }

  /** True if the server was too busy for the last bind; it may accept the account later. */
  public boolean isBusy() {
    return busy;
  }

  /** Returns the result code of a bind; below 0 if there was no response. */
  public static int code(@Nullable LdapMessage answer) {
    return answer == null ? NO_ANSWER : LdapResult.codeOf(answer.body());
  }

  private void onResponse(
      UpstreamConnection connection, int version, int code, Consumer<Boolean> outcome) {
    busy = Backend.isRefusal(code);
    if (code == SUCCESS) {
      if (!probing) {
        connection.requestWriter().markService();
      }
      outcome.accept(true);
    } else if (code == INVALID_CREDENTIALS && account.reloadPassword(version)) {
      bind(connection, outcome);
    } else {
      if (code > SUCCESS && !busy) {
        String reason = "bind refused for " + account.purpose() + " with result code " + code;
        backend.health().onDown(new DescribedException(reason));
      }
      outcome.accept(false);
    }
  }
}
