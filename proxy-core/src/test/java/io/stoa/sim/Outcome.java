// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.Recording;
import io.stoa.sim.check.Violation;
import java.util.List;

/**
 * What came of one history. Immutable.
 *
 * @param hits how many of its reads were answered from memory
 */
record Outcome(Recording recording, List<Violation> violations, long hits) {}
