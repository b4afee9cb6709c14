// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import java.time.Duration;

/**
 * How long and how often operations are sent again, and how much is held for that. Immutable.
 *
 * @param operationTimeout how long an operation may take until it is not sent again any more
 * @param hedge whether a read that waits for long is asked of a second server, too
 * @param entries most entries of a result that is held until its end
 * @param octets most octets of such a result
 * @param ofLoop most octets that are held on one event loop
 */
public record ReplayLimits(
    Duration operationTimeout, boolean hedge, int entries, int octets, long ofLoop) {}
