// SPDX-License-Identifier: Apache-2.0
/**
 * One connection to a directory server: what is sent on it, what comes back for whom, and its end.
 * Knows nothing of other connections or of what requests mean. Entry class: {@link
 * io.stoa.connection.UpstreamConnection}.
 */
@NullMarked
package io.stoa.connection;

import org.jspecify.annotations.NullMarked;
