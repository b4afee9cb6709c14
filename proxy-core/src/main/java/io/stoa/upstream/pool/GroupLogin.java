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
 * Makes connections of a group what the group is: the service account's, anonymous, or bound with
 * what a client has left for it. Event-loop confined.
 */
final class GroupLogin {
  private static final int SUCCESS = 0;

  /**
   * Result codes that say something of the password or of the account (RFC 4511, appendix A), with
   * those of a server that takes no passwords on such a connection. Others are the server's own.
   */
  private static final Set<Integer> REFUSALS = Set.of(7, 8, 13, 19, 32, 34, 48, 49, 50, 53);

  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ServiceAccount service;
  private final Supplier<@Nullable Credentials> kept;
  private final BooleanSupplier needed;

  /** Whose password is to be tried, even if nobody waits for a connection. */
  private @Nullable ClientSession unproven;

  /** What waits for its turn. */
  private @Nullable Attempt attempt;

  /** What has become of a connection. */
  enum Outcome {
    /** It acts as the group's identity. */
    ACCEPTED,
    /**
     * The server did not take what was left, or there is nothing any more: others may have more.
     */
    REFUSED,
    /** The server may not know the password yet: others do. */
    UNKNOWN,
    /** The server has too much to do to bind: it may do so later. */
    BUSY,
    /** The server cannot be used at present. */
    UNABLE
  }

  /**
   * Makes it for a group.
   *
   * @param kept with what to bind; null once there is nothing
   * @param needed whether anything waits for the connection still
   */
  GroupLogin(
      UpstreamPool pool,
      Octets name,
      @Nullable ServiceAccount service,
      Supplier<@Nullable Credentials> kept,
      BooleanSupplier needed) {
    this.pool = pool;
    this.name = name;
    this.service = service;
    this.kept = kept;
    this.needed = needed;
  }

  /** The DN as which its connections act; empty if they are anonymous. */
  String identity() {
    return service == null ? new String(name.array(), StandardCharsets.UTF_8) : service.dn();
  }

  /**
   * A client is served by a connection that was bound before: if another server has refused its
   * password since, one that surely knows it is to say what holds.
   *
   * @return whether a connection is to be made for that
   */
  boolean proves(ClientSession served) {
    Credentials own = served.identity().credentials();
    if (own != null && own.unproven() && pool.backend().primary() && isUnproven(served)) {
      unproven = served;
    }
    return proves();
  }

  /** Whether a connection is to be made to try a password; if not, nobody's is tried first. */
  boolean proves() {
    ClientSession client = unproven;
    unproven = client != null && isUnproven(client) ? client : null;
    return unproven != null;
  }

  private boolean isUnproven(ClientSession client) {
    return service == null && clients().unproven(client, name, pool.backend().exposed());
  }

  /** Whose password is to be tried first. */
  Stream<ClientSession> first() {
    return proves() ? Stream.ofNullable(unproven) : Stream.empty();
  }

  /** It cannot be tried now: it is again when its client is served the next time. */
  void provesNothing() {
    unproven = null;
  }

  /** Binds; the outcome hears what has become of the connection, and the count of its bind. */
  void on(UpstreamConnection connection, ObjLongConsumer<Outcome> outcome) {
    if (service != null) {
      ServiceLogin login = new ServiceLogin(pool.backend(), service, millis());
      login.on(connection, accepted -> outcome.accept(outcomeOf(login, accepted), 0));
    } else if (name.length() == 0) {
      connection.ready();
      outcome.accept(Outcome.ACCEPTED, 0);
    } else {
      Attempt next = new Attempt(connection, outcome);
      attempt = next;
      clients().awaitTurn(name, next);
    }
  }

  /** Nothing may need a connection any more: one that waits for its turn is given up. */
  void reconsider() {
    Attempt waiting = attempt;
    if (waiting != null && waiting.isNeedless()) {
      waiting.end();
    }
  }

  /** One bind with what a client has left, from when it waits for its turn. */
  private final class Attempt implements BindCoalescer.Attempt {
    private final UpstreamConnection connection;
    private final ObjLongConsumer<Outcome> outcome;

    Attempt(UpstreamConnection connection, ObjLongConsumer<Outcome> outcome) {
      this.connection = connection;
      this.outcome = outcome;
    }

    @Override
    public Object server() {
      return pool.backend();
    }

    @Override
    public @Nullable Credentials credentials() {
      return isNeedless() ? null : kept.get();
    }

    /** The clients may have changed, and the connection may have ended, while it waited. */
    boolean isNeedless() {
      return connection.closed() || !(needed.getAsBoolean() || proves());
    }

    @Override
    public void begin() {
      Credentials left = credentials();
      ByteBuf request = left == null ? null : left.bindRequest(pool.backend().exposed());
      if (attempt != this) {
        clients().turnEnded(name, this);
      } else if (left == null || request == null) {
        end();
      } else if (pool.mayLack(left) && clients().doubts(name, left)) {
        end(Outcome.UNKNOWN, 0);
      } else {
        attempt = null; // what is sent is tried, whether it is needed in the end or not
        bind(left, request);
      }
    }

    @Override
    public void giveUp() {
      if (attempt == this) {
        end(Outcome.UNABLE, 0);
      }
    }

    /** Nothing was tried. */
    void end() {
      end(connection.closed() ? Outcome.UNABLE : Outcome.REFUSED, 0);
    }

    private void bind(Credentials left, ByteBuf request) {
      Credentials tried = null;
      try {
        Credentials copy = left.copy();
        tried = copy;
        long count = clients().next();
        connection.bind(
            request, millis(), answer -> answered(copy, ServiceLogin.code(answer), count));
      } catch (OutOfMemoryError e) { // others of the name must not wait for this one
        if (tried != null) {
          tried.release();
        }
        connection.close();
        end(Outcome.UNABLE, 0);
      }
    }

    /** Whoever has left what is refused is told before anybody tries again. */
    private void answered(Credentials tried, int code, long count) {
      Outcome said = outcomeOf(code);
      boolean doubtful = said == Outcome.REFUSED && pool.mayLack(tried);
      Outcome became = doubtful ? Outcome.UNKNOWN : said;
      try {
        if (became == Outcome.ACCEPTED) {
          clients().accepted(name, tried, this);
        } else if (became == Outcome.REFUSED) {
          clients().refused(name, tried);
        } else if (doubtful) {
          clients().doubted(name, tried);
        } else if (code < SUCCESS && !connection.endedByServer()) {
          clients().silent(name, this);
        }
      } finally {
        tried.release();
        end(became, count);
      }
    }

    private void end(Outcome became, long count) {
      attempt = null;
      clients().turnEnded(name, this);
      outcome.accept(became, count);
    }
  }

  private static Outcome outcomeOf(int code) {
    if (code == SUCCESS) {
      return Outcome.ACCEPTED;
    }
    if (Backend.isRefusal(code)) {
      return Outcome.BUSY;
    }
    return REFUSALS.contains(code) ? Outcome.REFUSED : Outcome.UNABLE;
  }

  private static Outcome outcomeOf(ServiceLogin login, boolean accepted) {
    if (accepted) {
      return Outcome.ACCEPTED;
    }
    return login.busy() ? Outcome.BUSY : Outcome.UNABLE;
  }

  private BoundClients clients() {
    return pool.settings().clients();
  }

  private long millis() {
    return pool.settings().connectMillis();
  }
}
