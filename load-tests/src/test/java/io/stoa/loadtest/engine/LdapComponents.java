// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.CoreComponents;
import io.gatling.core.protocol.ProtocolComponents;
import io.gatling.core.session.Session;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import scala.Function1;
import scala.runtime.BoxedUnit;

/**
 * Shared state of the virtual users of one protocol: a {@link LoopConnections} for each event loop.
 * A user's own connections are in its session and end with it.
 *
 * <p>Threading: thread-safe.
 */
final class LdapComponents implements ProtocolComponents {
  private static final String LINES = "ldap.lines";

  private final CoreComponents core;
  private final LdapProtocol.Settings settings;
  private final Map<EventLoop, LoopConnections> loops = new ConcurrentHashMap<>();

  LdapComponents(CoreComponents core, LdapProtocol.Settings settings) {
    this.core = core;
    this.settings = settings;
  }

  CoreComponents core() {
    return core;
  }

  LdapProtocol.Settings settings() {
    return settings;
  }

  @Override
  public Function1<Session, Session> onStart() {
    return session -> session.set(LINES, new UserConnections(lines(session)));
  }

  @Override
  public Function1<Session, BoxedUnit> onExit() {
    return session -> {
      if (session.contains(LINES)) {
        session.eventLoop().execute(own(session)::close);
      }
      return BoxedUnit.UNIT;
    };
  }

  /** Returns the connections of a user. Called on its event loop. */
  static UserConnections own(Session session) {
    return (UserConnections) session.attributes().apply(LINES);
  }

  private LoopConnections lines(Session session) {
    return loops.computeIfAbsent(session.eventLoop(), loop -> new LoopConnections(loop, settings));
  }
}
