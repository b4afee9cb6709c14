// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.operation.event.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * One step in the course of an operation.
 *
 * <p>Threading: immutable.
 *
 * @param nanos time of the step, as of {@link System#nanoTime}
 * @param detail text of Stoa; may be empty
 * @param sending the request that was sent; null for other steps
 */
public record TraceStep(TraceEvent event, long nanos, String detail, @Nullable Sending sending) {}
