// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import com.typesafe.scalalogging.Logger;
import io.gatling.commons.stats.KO$;
import io.gatling.commons.stats.OK$;
import io.gatling.commons.stats.Status;
import io.gatling.core.CoreComponents;
import io.gatling.core.action.Action;
import io.gatling.core.action.BlockExit;
import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Sends one request of a virtual user, and continues the user when it is answered or has failed.
 * Runs on the user's event loop, which is also the connection's, so that no thread hand-over is
 * needed.
 *
 * <p>Threading: immutable.
 */
final class LdapAction implements Action {
  private static final int NANOS_TO_MILLIS = 1_000_000;

  private final LdapRequest request;
  private final LdapComponents components;
  private final CoreComponents core;
  private final Action next;
  private final Logger logger =
      com.typesafe.scalalogging.Logger$.MODULE$.apply(LoggerFactory.getLogger(LdapAction.class));

  LdapAction(LdapRequest request, LdapComponents components, Action next) {
    this.request = request;
    this.components = components;
    this.core = components.core();
    this.next = next;
  }

  @Override
  public String name() {
    return "ldap";
  }

  @Override
  public void execute(Session session) {
    Option<BlockExit> exit = BlockExit.mustExit(session);
    if (exit.isDefined()) {
      exit.get().exitBlock(core.statsEngine(), core.clock().nowMillis());
    } else {
      send(session);
    }
  }

  private void send(Session session) {
    String name = "ldap";
    try {
      name = request.label().name().of(session);
      BerWriter out = new BerWriter(128);
      request.body().write(out, session);
      UserConnections lines = LdapComponents.own(session);
      LoadConnection line = lines.line(request.label());
      String sent = name;
      PendingRequest exchange =
          new PendingRequest(
              out.toByteArray(), request.readsEntries(), ended -> over(sent, line, ended, session));
      lines.schedule(exchange);
      line.send(exchange);
    } catch (RuntimeException e) {
      String error = String.valueOf(e.getMessage());
      core.statsEngine().logRequestCrash(session.scenario(), session.groups(), name, error);
      components.settings().latencies().crashed(name + ": " + error);
      next.$bang(session.markAsFailed());
    }
  }

  private void over(String name, LoadConnection line, PendingRequest exchange, Session session) {
    var user = new io.gatling.javaapi.core.Session(session);
    Optional<String> mistake = request.mistake(exchange.answer(), user);
    if (mistake.isPresent() || !exchange.onlyConnects()) {
      long nanos = exchange.ended() - exchange.begun();
      line.latencies().record(name, exchange.begun(), exchange.ended(), exchange.answer(), mistake);
      log(name, nanos, session, exchange.answer(), mistake);
    }
    next.$bang(
        mistake.isPresent()
            ? session.markAsFailed()
            : request.save(exchange.answer(), user).asScala());
  }

  private void log(
      String name, long nanos, Session session, LdapAnswer answer, Optional<String> mistake) {
    long end = core.clock().nowMillis();
    Status status = mistake.isPresent() ? KO$.MODULE$ : OK$.MODULE$;
    core.statsEngine()
        .logResponse(
            session.scenario(),
            session.groups(),
            name,
            end - nanos / NANOS_TO_MILLIS,
            end,
            status,
            Option.apply(answer.isAnswered() ? String.valueOf(answer.resultCode()) : null),
            Option.apply(mistake.orElse(null)));
  }

  @Override
  public Logger logger() {
    return logger;
  }

  @Override
  public void com$typesafe$scalalogging$StrictLogging$_setter_$logger_$eq(Logger ignored) {
    // Scala's setter, which this class does not need.
  }
}
