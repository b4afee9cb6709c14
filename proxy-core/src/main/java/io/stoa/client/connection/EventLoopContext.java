// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.codec.FlushQueue;
import io.stoa.operation.Stage;

/**
 * What the client connections of one event loop share. Event-loop confined.
 *
 * @param chain the first link of the loop's chain
 * @param flushes what is to be sent at the end of the loop's round
 */
public record EventLoopContext(Stage chain, FlushQueue flushes) {}
