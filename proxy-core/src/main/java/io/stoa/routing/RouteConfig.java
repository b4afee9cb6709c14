// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.routing.retry.ReplayLimits;
import io.stoa.upstream.admission.QueueBound;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The configuration of routing. Suppliers return the present value.
 *
 * <p>Threading: immutable, except for the bound.
 *
 * @param followReferrals true if referrals of writes are followed
 * @param bindAffinity true if all simple binds of one name go to one server while it is up
 * @param replay limits of retries and of the memory held for them
 * @param bound limit of all waiting operations
 * @param queueTimeout maximum wait for the first verdict of the health checks
 */
public record RouteConfig(
    boolean followReferrals,
    BooleanSupplier bindAffinity,
    Supplier<ReplayLimits> replay,
    QueueBound bound,
    Supplier<Duration> queueTimeout) {}
