// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import java.time.Duration;

/**
 * Limits of retries, and of the answers held for them.
 *
 * <p>Threading: immutable.
 *
 * @param operationTimeout time after which an operation is not retried any more
 * @param hedge true if slow reads are hedged
 * @param entries maximum entries of a result that is held until its end
 * @param octets maximum octets of such a result
 * @param ofLoop maximum octets held on one event loop
 */
public record ReplayLimits(
    Duration operationTimeout, boolean hedge, int entries, int octets, long ofLoop) {}
