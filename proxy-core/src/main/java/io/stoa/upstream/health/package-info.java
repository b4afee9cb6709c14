// SPDX-License-Identifier: Apache-2.0
/**
 * Health checks: asks each server for signs of life, compares the contents of servers, and moves
 * their health.
 *
 * <p>Entry class: {@link io.stoa.upstream.health.HealthProbe}, one for each server.
 */
@NullMarked
package io.stoa.upstream.health;

import org.jspecify.annotations.NullMarked;
