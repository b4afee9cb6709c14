// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.buffer.ByteBuf;
import io.stoa.identity.BoundClients;
import io.stoa.identity.ServiceAccount;
import io.stoa.ldap.Octets;
import io.stoa.operation.Credentials;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections of a group what the group is: the service account's, anonymous, or bound with
 * what a client has left for it. Event-loop confined.
 */
final class GroupLogin {
  private static final int SUCCESS = 0;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ServiceAccount service;
  private final Supplier<@Nullable Credentials> kept;

  /** What has become of a connection. */
  enum Outcome {
    /** It acts as the group's identity. */
    ACCEPTED,
    /**
     * The server did not take what was left, or there is nothing any more: others may have more.
     */
    REFUSED,
    /** The server cannot be used at present. */
    UNABLE
  }

  /**
   * Makes it for a group.
   *
   * @param kept with what to bind; null once there is nothing
   */
  GroupLogin(
      UpstreamPool pool,
      Octets name,
      @Nullable ServiceAccount service,
      Supplier<@Nullable Credentials> kept) {
    this.pool = pool;
    this.name = name;
    this.service = service;
    this.kept = kept;
  }

  /** Binds; the outcome hears what has become of the connection, and the count of its bind. */
  void on(UpstreamConnection connection, ObjLongConsumer<Outcome> outcome) {
    if (service != null) {
      new ServiceLogin(pool.backend(), service, millis())
          .on(
              connection,
              accepted -> outcome.accept(accepted ? Outcome.ACCEPTED : Outcome.UNABLE, 0));
    } else if (name.length() == 0) {
      connection.ready();
      outcome.accept(Outcome.ACCEPTED, 0);
    } else {
      clients().awaitTurn(name, () -> bind(connection, outcome));
    }
  }

  /** The clients may have changed, and the connection may have ended, before it is its turn. */
  private void bind(UpstreamConnection connection, ObjLongConsumer<Outcome> outcome) {
    Credentials left = kept.get();
    ByteBuf request = left == null ? null : left.bindRequest(pool.backend().exposed());
    if (left == null || request == null || connection.closed()) {
      clients().turnEnded(name);
      outcome.accept(connection.closed() ? Outcome.UNABLE : Outcome.REFUSED, 0);
      return;
    }
    Credentials tried = null;
    try {
      Credentials copy = left.copy();
      tried = copy;
      long count = clients().next();
      connection.bind(
          request,
          millis(),
          answer -> outcome.accept(answered(copy, ServiceLogin.code(answer)), count));
    } catch (OutOfMemoryError e) { // others of the name must not wait for this one
      if (tried != null) {
        tried.release();
      }
      clients().turnEnded(name);
      connection.close();
      outcome.accept(Outcome.UNABLE, 0);
    }
  }

  /** Whoever has left what is refused is told before anybody tries again. */
  private Outcome answered(Credentials tried, int code) {
    boolean unable = code < SUCCESS || code == BUSY || code == UNAVAILABLE;
    try {
      if (code > SUCCESS && !unable) {
        clients().refused(name, tried);
      }
    } finally {
      tried.release();
      clients().turnEnded(name);
    }
    if (unable) {
      return Outcome.UNABLE;
    }
    return code == SUCCESS ? Outcome.ACCEPTED : Outcome.REFUSED;
  }

  private BoundClients clients() {
    return pool.settings().clients();
  }

  private long millis() {
    return pool.settings().connectMillis();
  }
}
