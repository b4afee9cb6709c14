// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.operation.ResponseSink;

/**
 * A whole answer from memory. Immutable.
 *
 * @param entries the entries, encoded
 * @param count how many of them are sent
 * @param done the final response
 */
record Answer(byte[][] entries, int count, byte[] done) {
  void send(ResponseSink sink) {
    for (int i = 0; i < count; i++) {
      sink.respond(entries[i]);
    }
    sink.complete(done);
  }
}
