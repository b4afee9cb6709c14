// SPDX-License-Identifier: Apache-2.0
/** What happens to clients and operations, told to those who count. Called on event loops. */
@NullMarked
package io.stoa.operation.event;

import org.jspecify.annotations.NullMarked;
