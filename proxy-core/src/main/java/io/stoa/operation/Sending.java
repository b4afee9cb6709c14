// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request as it was sent to a directory server. The address and the messageID find the request
 * in the server's own log.
 *
 * <p>Threading: immutable.
 *
 * @param server the server; its text is the URL
 * @param connection number of the upstream connection, as in {@code cn=monitor}
 * @param local address of Stoa's end of the connection; null if it has none
 * @param messageId messageID on that connection
 * @param nanos time of sending, as of {@link System#nanoTime}
 */
public record Sending(
    Object server, long connection, @Nullable SocketAddress local, int messageId, long nanos) {}
