// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;

/**
 * A decoded request.
 *
 * <p>Threading: immutable.
 *
 * @param irregular true if the request is legal, but servers read it differently from Stoa or from
 *     each other, or end the connection over it. Such a request must neither use a cache nor a
 *     shared connection.
 */
public record Request(RequestOp op, List<Control> controls, boolean irregular) {
  public Request {
    controls = List.copyOf(controls);
  }

  public OpType type() {
    return op.type();
  }
}
