// SPDX-License-Identifier: Apache-2.0
/**
 * The matrix of docs/reference/protocol.md: every specification, control and operation, on every
 * kind of server, in every way to act for a client. Each cell is a script that is run straight
 * against a server and through Stoa. Entry class: {@link io.stoa.server.matrix.ProtocolMatrixIT}.
 * Stateless but for the servers that a column starts.
 */
package io.stoa.server.matrix;
