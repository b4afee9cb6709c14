// SPDX-License-Identifier: Apache-2.0
/** Events of clients and operations, for counters and reports. Called on event loops. */
@NullMarked
package io.stoa.operation.event;

import org.jspecify.annotations.NullMarked;
