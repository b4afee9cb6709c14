// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;

/**
 * A decoded request.
 *
 * <p>Immutable.
 *
 * @param irregular legal, but servers are known to read it differently from us or from each other,
 *     or to end the connection over it: it must neither touch a cache nor travel on a connection
 *     that is shared
 */
public record Request(RequestOp op, List<Control> controls, boolean irregular) {
  public Request {
    controls = List.copyOf(controls);
  }

  public Request(RequestOp op, List<Control> controls) {
    this(op, controls, false);
  }

  public OpType type() {
    return op.type();
  }
}
