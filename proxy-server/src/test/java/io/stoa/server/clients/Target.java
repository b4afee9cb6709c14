// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import io.stoa.testing.Certificates;

/**
 * Where a programme connects to on 127.0.0.1, and how. Immutable.
 *
 * @param certificates whose authority is trusted
 * @param schema where the directory has its schema
 */
record Target(ConnectionKind kind, int port, Certificates certificates, String schema) {
  String url() {
    return kind.scheme() + "://127.0.0.1:" + port;
  }
}
