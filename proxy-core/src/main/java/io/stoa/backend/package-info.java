// SPDX-License-Identifier: Apache-2.0
/**
 * Directory servers as Stoa knows them: where they listen, whether they may be used, how much is
 * under way at each. Knows nothing of connections or operations. Entry class: {@link
 * io.stoa.backend.Backend}; shared by all event loops.
 */
@NullMarked
package io.stoa.backend;

import org.jspecify.annotations.NullMarked;
