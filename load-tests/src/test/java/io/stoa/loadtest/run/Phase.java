// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.repeat;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.stoa.loadtest.LdapDsl;
import io.stoa.loadtest.engine.Latencies;
import io.stoa.loadtest.engine.LdapProtocol;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * What so many virtual users do at once, for a time or so many times; it always ends. Immutable.
 *
 * @param once what each user repeats
 * @param ramp how long it takes until all users are there
 */
public record Phase(
    String name,
    int users,
    ChainBuilder once,
    Duration time,
    int times,
    Duration ramp,
    UnaryOperator<LdapProtocol> protocol) {
  private static final Duration GRACE = Duration.ofSeconds(60);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Each user does it once. */
  public static Phase of(String name, int users, ChainBuilder once) {
    return new Phase(name, users, once, Duration.ZERO, 1, Duration.ZERO, UnaryOperator.identity());
  }

  /** Each user repeats it for this time. */
  public Phase during(Duration duration) {
    return new Phase(name, users, once, duration, 0, ramp, protocol);
  }

  /** Each user does it so many times. */
  public Phase times(int count) {
    return new Phase(name, users, once, Duration.ZERO, count, ramp, protocol);
  }

  /** The users come one by one during this time. */
  public Phase ramp(Duration duration) {
    return new Phase(name, users, once, time, times, duration, protocol);
  }

  /** How the users reach the server. */
  public Phase protocol(UnaryOperator<LdapProtocol> change) {
    return new Phase(name, users, once, time, times, ramp, change);
  }

  PopulationBuilder population(Target target, Latencies latencies) {
    ChainBuilder all =
        times == 0 ? io.gatling.javaapi.core.CoreDsl.during(time).on(once) : repeat(times).on(once);
    LdapProtocol there = protocol.apply(LdapDsl.ldap(target.address()).latencies(latencies));
    return scenario(target.name() + ", " + name)
        .exec(all)
        .injectOpen(ramp.isZero() ? atOnceUsers(users) : rampUsers(users).during(ramp))
        .protocols(there);
  }

  Duration limit() {
    return times == 0 ? time.plus(ramp).plus(GRACE) : LONGEST;
  }
}
