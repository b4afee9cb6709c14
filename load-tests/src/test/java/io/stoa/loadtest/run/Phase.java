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
 * A phase of an experiment: requests that virtual users repeat concurrently, for a time or a number
 * of times, once all of them are connected. A phase always ends, by a time limit if necessary.
 *
 * <p>Threading: immutable.
 *
 * @param users number of virtual users
 * @param once requests that each user repeats
 * @param time duration; zero if {@code times} is set
 * @param times number of repetitions; 0 if {@code time} is set
 * @param ramp time until all users have started
 * @param protocol changes the protocol's settings
 * @param whenConnected hook that runs once when all users are connected, before any sends a request
 *     other than its bind
 */
public record Phase(
    String name,
    int users,
    ChainBuilder once,
    Duration time,
    int times,
    Duration ramp,
    UnaryOperator<LdapProtocol> protocol,
    Runnable whenConnected) {
  private static final Duration GRACE = Duration.ofSeconds(60);
  private static final Duration MAX_DURATION = Duration.ofMinutes(10);

  /** Creates a phase in which each user sends the requests once. */
  public static Phase of(String name, int users, ChainBuilder once) {
    return new Phase(
        name, users, once, Duration.ZERO, 1, Duration.ZERO, UnaryOperator.identity(), () -> {});
  }

  /** Returns a copy in which each user repeats the requests for this time. */
  public Phase during(Duration duration) {
    return new Phase(name, users, once, duration, 0, ramp, protocol, whenConnected);
  }

  /** Returns a copy in which each user repeats the requests this number of times. */
  public Phase times(int count) {
    return new Phase(name, users, once, Duration.ZERO, count, ramp, protocol, whenConnected);
  }

  /** Returns a copy whose users start one by one during this time. */
  public Phase ramp(Duration duration) {
    return new Phase(name, users, once, time, times, duration, protocol, whenConnected);
  }

  /** Returns a copy with other settings of the protocol. */
  public Phase protocol(UnaryOperator<LdapProtocol> change) {
    return new Phase(name, users, once, time, times, ramp, change, whenConnected);
  }

  /** Returns a copy with a hook that runs when all users are connected, before they begin. */
  public Phase whenConnected(Runnable what) {
    return new Phase(name, users, once, time, times, ramp, protocol, what);
  }

  /** Returns a copy without the hook. */
  Phase withoutHook() {
    return new Phase(name, users, once, time, times, ramp, protocol, () -> {});
  }

  PopulationBuilder population(Target target, PhaseRun course) {
    LdapProtocol there =
        protocol.apply(LdapDsl.ldap(target.address()).latencies(course.latencies()));
    return scenario(target.name() + ", " + name)
        .exec(course.chain())
        .injectOpen(ramp.isZero() ? atOnceUsers(users) : rampUsers(users).during(ramp))
        .protocols(there);
  }

  Duration limit() {
    return times == 0 ? time.plus(ramp).plus(GRACE) : MAX_DURATION;
  }
}
