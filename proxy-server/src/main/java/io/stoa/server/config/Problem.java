// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

/**
 * One mistake in a configuration file. Immutable.
 *
 * @param position where
 * @param message what is wrong
 */
public record Problem(Position position, String message) {}
