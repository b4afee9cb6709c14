// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.ldap.protocol.OpType;

/** Kinds of operations, as the monitor tree and metrics name them. */
public enum OperationKind {
  BIND(OpType.BIND_REQUEST, "binds"),
  UNBIND(OpType.UNBIND_REQUEST, "unbinds"),
  SEARCH(OpType.SEARCH_REQUEST, "searches"),
  COMPARE(OpType.COMPARE_REQUEST, "compares"),
  MODIFY(OpType.MODIFY_REQUEST, "modifies"),
  MODRDN(OpType.MODIFY_DN_REQUEST, "modrdns"),
  ADD(OpType.ADD_REQUEST, "adds"),
  DELETE(OpType.DELETE_REQUEST, "deletes"),
  ABANDON(OpType.ABANDON_REQUEST, "abandons"),
  EXTENDED(OpType.EXTENDED_REQUEST, "extops");

  private final OpType request;
  private final String plural;

  OperationKind(OpType request, String plural) {
    this.request = request;
    this.plural = plural;
  }

  /** Returns the type of the request. */
  public OpType request() {
    return request;
  }

  /** Returns the plural, with which the names of IBM Directory's counters begin. */
  public String plural() {
    return plural;
  }
}
