// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.FailedBindCounters.OfNetwork;
import io.stoa.operation.digest.DigestStatus.Sender;
import io.stoa.operation.digest.ShortConnections;
import io.stoa.proxy.advice.Advice.Topic;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Advice about networks of clients: connections of few requests, and failed binds.
 *
 * <p>Threading: stateless.
 */
final class ClientRules {
  /** Minimum number of short connections or failed binds of a network. */
  private static final long MIN_COUNT = 100;

  /** Minimum share of short connections: a half. */
  private static final int MIN_SHARE = 2;

  private ClientRules() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    ShortConnections.Status connections = traffic.connections();
    boolean many = connections.ofFewRequests() * MIN_SHARE >= connections.ended();
    return Stream.concat(
        connections.networks().stream()
            .filter(network -> many && network.count() - network.excess() >= MIN_COUNT)
            .filter(network -> network.name().length() > 0) // a local socket needs no pool
            .map(network -> shortConnections(network, connections)),
        traffic.failedBinds().stream()
            .filter(network -> network.count() >= MIN_COUNT)
            .map(ClientRules::failedBinds));
  }

  private static Advice shortConnections(Sender network, ShortConnections.Status connections) {
    String name = FailedBindCounters.nameOf(network.name());
    return new Advice(
        Topic.CONNECTIONS,
        name,
        network.count()
            + " connections of "
            + name
            + " ended after at most 3 requests; "
            + connections.ended()
            + " connections have ended in all",
        List.of(
            "let the application at " + name + " keep its connections open, in a pool",
            "on hosts that look up users by LDAP, run a daemon that keeps them: nslcd or SSSD"));
  }

  private static Advice failedBinds(OfNetwork network) {
    return new Advice(
        Topic.FAILED_BINDS,
        network.network(),
        network.count()
            + " binds of "
            + network.network()
            + " have failed since "
            + network.since().truncatedTo(ChronoUnit.SECONDS)
            + ": "
            + network.results().entrySet().stream()
                .map(result -> result.getKey().label() + " " + result.getValue())
                .collect(Collectors.joining(", ")),
        List.of(
            "if an application at "
                + network.network()
                + " repeats them, give it its present password; the audit log has the names",
            "delay the answers: limits.network.failedBinds (docs/reference/limits.md)"));
  }
}
