// SPDX-License-Identifier: Apache-2.0
/**
 * Shows the administrator each step of selected operations while they happen.
 *
 * <p>Start reading at {@link io.stoa.server.admin.trace.TraceStage}, which begins a trace. {@link
 * io.stoa.server.admin.trace.Traces} receives the events of the access logs and gives them to the
 * running traces.
 *
 * <p>Does not know: how operations are processed. {@code operation.TraceSteps} records the steps.
 *
 * <p>Threads: event loops offer operations to bounded queues; each trace has a thread that selects
 * and formats them.
 */
@NullMarked
package io.stoa.server.admin.trace;

import org.jspecify.annotations.NullMarked;
