// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

/** Where a programme connects to on 127.0.0.1, and how. Immutable. */
record Target(ConnectionKind kind, int port) {}
