// SPDX-License-Identifier: Apache-2.0
/**
 * Advice to the administrator, from the statistics of live traffic.
 *
 * <p>Each rule looks at one cause of load. A rule that finds it gives its evidence in numbers, and
 * the exact change to make.
 *
 * <p>Entry class: {@link io.stoa.proxy.advice.Advisor}, stateless.
 */
@NullMarked
package io.stoa.proxy.advice;

import org.jspecify.annotations.NullMarked;
