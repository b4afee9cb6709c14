// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.ServiceLogin;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives the connections of a group their identity: the service account, anonymous, or a bind with a
 * client's stored credentials.
 *
 * <p>Threading: event loop.
 */
final class GroupLogin {
  private static final int SUCCESS = 0;

  /**
   * Result codes that concern the password or the account (RFC 4511, appendix A), or a server that
   * accepts no passwords on such a connection. Other codes concern the server itself.
   */
  private static final Set<Integer> REFUSALS = Set.of(7, 8, 13, 19, 32, 34, 48, 49, 50, 53);

  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ServiceAccount service;
  private final Supplier<@Nullable Credentials> credentials;
  private final BooleanSupplier needed;

  /** Client whose password is tried next, even if no operation waits for a connection. */
  private @Nullable ClientSession unproven;

  /** The bind that waits for its turn. */
  private @Nullable Attempt attempt;

  /** Result of a login. */
  enum LoginResult {
    /** The connection acts as the group's identity. */
    ACCEPTED,
    /**
     * The server rejected the credentials, or none are left. Other clients may have better ones.
     */
    REFUSED,
    /** The server may not know a new password yet; another server does. */
    UNKNOWN,
    /** The server is too busy to bind at present. */
    BUSY,
    /** The server is unusable at present. */
    UNABLE
  }

  /**
   * Creates the login of one group.
   *
   * @param credentials returns the credentials to bind with; null if there are none
   * @param needed true while an operation waits for the connection
   */
  GroupLogin(
      UpstreamPool pool,
      Octets name,
      @Nullable ServiceAccount service,
      Supplier<@Nullable Credentials> credentials,
      BooleanSupplier needed) {
    this.pool = pool;
    this.name = name;
    this.service = service;
    this.credentials = credentials;
    this.needed = needed;
  }

  /** Returns the DN as which the connections act; empty if they are anonymous. */
  String identity() {
    return service == null ? new String(name.array(), StandardCharsets.UTF_8) : service.dn();
  }

  /**
   * Called when an earlier connection serves a client. If another server has rejected the client's
   * password since, the primary must verify the password.
   *
   * @return true if a connection is to be opened to verify a password
   */
  boolean mustVerify(ClientSession served) {
    Credentials credentials = served.identity().credentials();
    if (credentials != null
        && credentials.isUnproven()
        && pool.backend().isPrimary()
        && isUnproven(served)) {
      unproven = served;
    }
    return mustVerify();
  }

  /** True if a connection is to be opened to verify a password. */
  boolean mustVerify() {
    ClientSession client = unproven;
    unproven = client != null && isUnproven(client) ? client : null;
    return unproven != null;
  }

  private boolean isUnproven(ClientSession client) {
    return service == null && clients().isUnproven(client, name, pool.backend().isExposed());
  }

  /** Returns the client whose password is tried first. */
  Stream<ClientSession> triedFirst() {
    return mustVerify() ? Stream.ofNullable(unproven) : Stream.empty();
  }

  /** Postpones the verification until the client is served next. */
  void postponeVerification() {
    unproven = null;
  }

  /** Binds the connection. The callback receives the result and the bind number. */
  void bind(UpstreamConnection connection, ObjLongConsumer<LoginResult> outcome) {
    if (service != null) {
      ServiceLogin login = new ServiceLogin(pool.backend(), service, millis());
      login.bind(connection, accepted -> outcome.accept(outcomeOf(login, accepted), 0));
    } else if (name.length() == 0) {
      connection.markReady();
      outcome.accept(LoginResult.ACCEPTED, 0);
    } else {
      Attempt next = new Attempt(connection, outcome);
      attempt = next;
      clients().awaitTurn(name, next);
    }
  }

  /** Cancels the waiting bind if nothing needs the connection any more. */
  void cancelIfNeedless() {
    Attempt waiting = attempt;
    if (waiting != null && waiting.isNeedless()) {
      waiting.end();
    }
  }

  /** One bind with stored credentials, from the wait for its turn to its result. */
  private final class Attempt implements BindCoalescer.Attempt {
    private final UpstreamConnection connection;
    private final ObjLongConsumer<LoginResult> outcome;

    Attempt(UpstreamConnection connection, ObjLongConsumer<LoginResult> outcome) {
      this.connection = connection;
      this.outcome = outcome;
    }

    @Override
    public Object server() {
      return pool.backend();
    }

    @Override
    public @Nullable Credentials credentials() {
      return isNeedless() ? null : credentials.get();
    }

    /** True if the bind is not needed any more, or if its connection ended during the wait. */
    boolean isNeedless() {
      return connection.isClosed() || !(needed.getAsBoolean() || mustVerify());
    }

    @Override
    public void begin() {
      Credentials stored = credentials();
      ByteBuf request = stored == null ? null : stored.bindRequest(pool.backend().isExposed());
      if (attempt != this) {
        clients().onAttemptEnded(name, this);
      } else if (stored == null || request == null) {
        end();
      } else if (pool.mayLackPassword(stored) && clients().isDoubted(name, stored)) {
        end(LoginResult.UNKNOWN, 0);
      } else {
        attempt = null; // once sent, the bind is completed even if it becomes needless
        bind(stored, request);
      }
    }

    @Override
    public void cancel() {
      if (attempt == this) {
        end(LoginResult.UNABLE, 0);
      }
    }

    /** Ends the attempt before a bind was sent. */
    void end() {
      end(connection.isClosed() ? LoginResult.UNABLE : LoginResult.REFUSED, 0);
    }

    private void bind(Credentials stored, ByteBuf request) {
      Credentials tried = null;
      try {
        Credentials copy = stored.copy();
        tried = copy;
        long count = clients().nextBindNumber();
        connection.bind(
            request, millis(), answer -> onResponse(copy, ServiceLogin.code(answer), count));
      } catch (OutOfMemoryError e) { // so that other binds of the name do not wait for this one
        if (tried != null) {
          tried.release();
        }
        connection.close();
        end(LoginResult.UNABLE, 0);
      }
    }

    /**
     * Reports the result. The owner of rejected credentials is notified before any other attempt.
     */
    private void onResponse(Credentials tried, int code, long count) {
      LoginResult result = outcomeOf(code);
      boolean doubtful = result == LoginResult.REFUSED && pool.mayLackPassword(tried);
      LoginResult became = doubtful ? LoginResult.UNKNOWN : result;
      try {
        if (became == LoginResult.ACCEPTED) {
          clients().onAccepted(name, tried, this);
        } else if (became == LoginResult.REFUSED) {
          clients().onRejected(name, tried);
        } else if (doubtful) {
          clients().onDoubted(name, tried);
        } else if (code < SUCCESS && !connection.isEndedByServer()) {
          clients().onTimeout(name, this);
        }
      } finally {
        tried.release();
        end(became, count);
      }
    }

    private void end(LoginResult became, long count) {
      attempt = null;
      clients().onAttemptEnded(name, this);
      outcome.accept(became, count);
    }
  }

  private static LoginResult outcomeOf(int code) {
    if (code == SUCCESS) {
      return LoginResult.ACCEPTED;
    }
    if (Backend.isRefusal(code)) {
      return LoginResult.BUSY;
    }
    return REFUSALS.contains(code) ? LoginResult.REFUSED : LoginResult.UNABLE;
  }

  private static LoginResult outcomeOf(ServiceLogin login, boolean accepted) {
    if (accepted) {
      return LoginResult.ACCEPTED;
    }
    return login.isBusy() ? LoginResult.BUSY : LoginResult.UNABLE;
  }

  private BoundClients clients() {
    return pool.settings().clients();
  }

  private long millis() {
    return pool.settings().connectMillis();
  }
}
