// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of single pieces of proxy-core: time and allocated octets of each operation.
 *
 * <p>Each class measures one piece through its most stable entry. Entry class: {@link
 * io.stoa.bench.Benchmarks}.
 *
 * <p>Threads: one; a benchmark stands for an event loop.
 */
@NullMarked
package io.stoa.bench;

import org.jspecify.annotations.NullMarked;
