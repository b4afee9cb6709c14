// SPDX-License-Identifier: Apache-2.0
/**
 * Asks each server for signs of life, and moves its health by what it answers. Knows nothing of
 * clients. Entry class: {@link io.stoa.probe.HealthProbe}, one for each server.
 */
@NullMarked
package io.stoa.probe;

import org.jspecify.annotations.NullMarked;
