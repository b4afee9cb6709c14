// SPDX-License-Identifier: Apache-2.0
/**
 * A differential fuzzer: scripts of random requests, played to a real directory and through several
 * Stoas before it. Entry class: {@link io.stoa.fuzz.DifferentialFuzzIT}. A {@link
 * io.stoa.fuzz.Generator} makes a script of a seed, a {@link io.stoa.fuzz.Runner} plays it in a
 * {@link io.stoa.fuzz.World}, and a {@link io.stoa.fuzz.ScriptShrinker} shortens what shows a
 * difference.
 */
@NullMarked
package io.stoa.fuzz;

import org.jspecify.annotations.NullMarked;
