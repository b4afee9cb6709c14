// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import java.net.InetSocketAddress;

/**
 * Author of a change, for the log.
 *
 * <p>Threading: immutable.
 *
 * @param text such as {@code by the administrator at 10.0.0.1}
 */
public record Author(String text) {

  /** Returns the client of an operation as the author. */
  public static Author of(Operation operation) {
    ClientSession session = operation.session();
    InetSocketAddress from = session.endpoint();
    String role = session.identity().isAdministrator() ? "the administrator" : "a client";
    String origin = from == null ? session.peer().origin() : from.getAddress().getHostAddress();
    return new Author("by " + role + " at " + origin);
  }

  @Override
  public String toString() {
    return text;
  }
}
