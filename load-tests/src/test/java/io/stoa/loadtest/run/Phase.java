// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.stoa.loadtest.LdapDsl;
import io.stoa.loadtest.engine.LdapProtocol;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * What so many virtual users do at once, for a time or so many times, once all of them are
 * connected; it always ends. Immutable.
 *
 * @param once what each user repeats
 * @param ramp how long it takes until all users are there
 * @param rest run once when all users are there, and none has sent anything but its bind
 */
public record Phase(
    String name,
    int users,
    ChainBuilder once,
    Duration time,
    int times,
    Duration ramp,
    UnaryOperator<LdapProtocol> protocol,
    Runnable rest) {
  private static final Duration GRACE = Duration.ofSeconds(60);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Each user does it once. */
  public static Phase of(String name, int users, ChainBuilder once) {
    return new Phase(
        name, users, once, Duration.ZERO, 1, Duration.ZERO, UnaryOperator.identity(), () -> {});
  }

  /** Each user repeats it for this time. */
  public Phase during(Duration duration) {
    return new Phase(name, users, once, duration, 0, ramp, protocol, rest);
  }

  /** Each user does it so many times. */
  public Phase times(int count) {
    return new Phase(name, users, once, Duration.ZERO, count, ramp, protocol, rest);
  }

  /** The users come one by one during this time. */
  public Phase ramp(Duration duration) {
    return new Phase(name, users, once, time, times, duration, protocol, rest);
  }

  /** How the users reach the server. */
  public Phase protocol(UnaryOperator<LdapProtocol> change) {
    return new Phase(name, users, once, time, times, ramp, change, rest);
  }

  /** Run once when all users are there, before they begin. */
  public Phase rest(Runnable what) {
    return new Phase(name, users, once, time, times, ramp, protocol, what);
  }

  /** The same without rest and for half the time, if it is for a time. */
  Phase shorter() {
    return new Phase(name, users, once, time.dividedBy(2), times, ramp, protocol, () -> {});
  }

  PopulationBuilder population(Target target, Course course) {
    LdapProtocol there =
        protocol.apply(LdapDsl.ldap(target.address()).latencies(course.latencies()));
    return scenario(target.name() + ", " + name)
        .exec(course.chain())
        .injectOpen(ramp.isZero() ? atOnceUsers(users) : rampUsers(users).during(ramp))
        .protocols(there);
  }

  Duration limit() {
    return times == 0 ? time.plus(ramp).plus(GRACE) : LONGEST;
  }
}
