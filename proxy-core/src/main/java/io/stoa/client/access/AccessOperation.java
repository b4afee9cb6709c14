// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.ldap.protocol.OpType;
import org.jspecify.annotations.Nullable;

/** Kind of operation that an access rule names. */
public enum AccessOperation {
  BIND("bind"),
  SEARCH("search"),
  COMPARE("compare"),
  ADD("add"),
  DELETE("delete"),
  MODIFY("modify"),
  MODIFY_DN("modifyDN"),
  EXTENDED("extended");

  private final String label;

  AccessOperation(String label) {
    this.label = label;
  }

  /** Returns the name in the configuration. */
  public String label() {
    return label;
  }

  /** Returns the kind of a request; null for requests that no rule denies. */
  static @Nullable AccessOperation of(OpType type) {
    return switch (type) {
      case BIND_REQUEST -> BIND;
      case SEARCH_REQUEST -> SEARCH;
      case COMPARE_REQUEST -> COMPARE;
      case ADD_REQUEST -> ADD;
      case DELETE_REQUEST -> DELETE;
      case MODIFY_REQUEST -> MODIFY;
      case MODIFY_DN_REQUEST -> MODIFY_DN;
      case EXTENDED_REQUEST -> EXTENDED;
      default -> null;
    };
  }
}
