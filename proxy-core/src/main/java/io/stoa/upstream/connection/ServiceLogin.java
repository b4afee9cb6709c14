// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.WhoAmI;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds connections to one server as the service account. A password that is refused is read again;
 * a server that refuses the account is of no use, and goes down. Event-loop confined.
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

  /** Whether the last bind was refused as busy or unavailable. */
  private boolean busy;

  /** Makes it for one server. */
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

  /** For connections on which no client's request ever travels: they ask as the account itself. */
  public static ServiceLogin probing(Backend backend, ServiceAccount account, long timeoutMillis) {
    return new ServiceLogin(backend, account, timeoutMillis, true);
  }

  /** Binds, and learns as whom the server knows the account, if that matters. */
  public void prove(UpstreamConnection connection, Consumer<Boolean> outcome) {
    on(connection, accepted -> learn(connection, accepted, outcome));
  }

  /** Asks as whom the server knows the account, if no client may become that by a rule. */
  private void learn(UpstreamConnection connection, boolean accepted, Consumer<Boolean> outcome) {
    if (!accepted || !account.toBeAsked()) {
      outcome.accept(accepted);
      return;
    }
    connection.ask(
        WhoAmI.question(),
        timeoutMillis,
        answer -> {
          if (answer != null && !account.named(answer.body())) {
            LOG.warn(
                "upstream {} does not say who the service account is (Who Am I): see that no rule of"
                    + " identity.external makes a client that account",
                backend.address());
          }
          outcome.accept(answer != null);
        });
  }

  /** Binds; the outcome hears whether the connection acts as the service account now. */
  public void on(UpstreamConnection connection, Consumer<Boolean> outcome) {
    int version = account.version();
    ByteBuf request = account.bindRequest();
    try {
      connection.bind(
          request, timeoutMillis, answer -> answered(connection, version, code(answer), outcome));
    } finally {
      ServiceAccount.wipe(request);
    }
  }

  /**
   * Whether the server had too much to do to bind, the last time: it may take the account later.
   */
  public boolean busy() {
    return busy;
  }

  /** The result code of a bind; below 0 if it was not answered. */
  public static int code(@Nullable LdapMessage answer) {
    return answer == null ? NO_ANSWER : LdapResult.codeOf(answer.body());
  }

  private void answered(
      UpstreamConnection connection, int version, int code, Consumer<Boolean> outcome) {
    busy = Backend.isRefusal(code);
    if (code == SUCCESS) {
      if (!probing) {
        connection.outlet().becomeService();
      }
      outcome.accept(true);
    } else if (code == INVALID_CREDENTIALS && account.renew(version)) {
      on(connection, outcome);
    } else {
      if (code > SUCCESS && !busy) {
        String why = "it refuses the bind of " + account.whose() + " with result code " + code;
        backend.health().unreachable(new IOException(why));
      }
      outcome.accept(false);
    }
  }
}
