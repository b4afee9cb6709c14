// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.codec.FlushQueue;
import io.stoa.operation.Stage;
import io.stoa.operation.digest.DigestBatch;

/**
 * Objects that the client connections of one event loop share.
 *
 * <p>Threading: event loop.
 *
 * @param chain the first stage of the loop's chain
 * @param flushes the connections to flush at the end of the loop's round
 * @param hits the searches that the caches have answered during the present read
 */
public record EventLoopContext(Stage chain, FlushQueue flushes, DigestBatch hits) {}
