// SPDX-License-Identifier: Apache-2.0
/**
 * Health checks: checks each server, compares the contents of servers, and updates their health.
 *
 * <p>Start reading at {@link io.stoa.upstream.health.HealthProbe}, one for each server.
 */
@NullMarked
package io.stoa.upstream.health;

import org.jspecify.annotations.NullMarked;
