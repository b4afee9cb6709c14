// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.routing.retry.ReplayLimits;
import io.stoa.upstream.admission.QueueBound;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * On what terms ways are chosen. Immutable, but for the bound, and for what holds now.
 *
 * @param follow whether referrals of writes are followed
 * @param bindAffinity whether simple binds of one name go to one server while it is up
 * @param replay what is sent again, and what is held for that
 * @param bound of all that waits, for whatever reason
 * @param queueTimeout longest wait for the first verdict of the probes
 */
public record RouteConfig(
    boolean follow,
    BooleanSupplier bindAffinity,
    Supplier<ReplayLimits> replay,
    QueueBound bound,
    Supplier<Duration> queueTimeout) {}
