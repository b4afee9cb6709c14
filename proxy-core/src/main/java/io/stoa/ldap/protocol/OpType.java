// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The protocol operations of RFC 4511, section 4.2 onwards, with their BER tags.
 *
 * <p>Threading: immutable.
 */
public enum OpType {
  BIND_RESPONSE(0x61, OpRole.LAST_RESPONSE),
  SEARCH_RESULT_ENTRY(0x64, OpRole.RESPONSE),
  SEARCH_RESULT_REFERENCE(0x73, OpRole.RESPONSE),
  SEARCH_RESULT_DONE(0x65, OpRole.LAST_RESPONSE),
  MODIFY_RESPONSE(0x67, OpRole.LAST_RESPONSE),
  ADD_RESPONSE(0x69, OpRole.LAST_RESPONSE),
  DELETE_RESPONSE(0x6B, OpRole.LAST_RESPONSE),
  MODIFY_DN_RESPONSE(0x6D, OpRole.LAST_RESPONSE),
  COMPARE_RESPONSE(0x6F, OpRole.LAST_RESPONSE),
  EXTENDED_RESPONSE(0x78, OpRole.LAST_RESPONSE),
  INTERMEDIATE_RESPONSE(0x79, OpRole.RESPONSE),

  BIND_REQUEST(0x60, OpRole.REQUEST, BIND_RESPONSE),
  UNBIND_REQUEST(0x42, OpRole.REQUEST),
  SEARCH_REQUEST(0x63, OpRole.REQUEST, SEARCH_RESULT_DONE),
  MODIFY_REQUEST(0x66, OpRole.UPDATE, MODIFY_RESPONSE),
  ADD_REQUEST(0x68, OpRole.UPDATE, ADD_RESPONSE),
  DELETE_REQUEST(0x4A, OpRole.UPDATE, DELETE_RESPONSE),
  MODIFY_DN_REQUEST(0x6C, OpRole.UPDATE, MODIFY_DN_RESPONSE),
  COMPARE_REQUEST(0x6E, OpRole.REQUEST, COMPARE_RESPONSE),
  ABANDON_REQUEST(0x50, OpRole.REQUEST),
  EXTENDED_REQUEST(0x77, OpRole.REQUEST, EXTENDED_RESPONSE);

  private enum OpRole {
    REQUEST,
    UPDATE,
    RESPONSE,
    LAST_RESPONSE
  }

  private static final @Nullable OpType[] BY_TAG = new @Nullable OpType[256];

  static {
    for (OpType type : values()) {
      BY_TAG[type.tag] = type;
    }
  }

  private final int tag;
  private final OpRole kind;
  private final @Nullable OpType response;

  OpType(int tag, OpRole kind) {
    this(tag, kind, null);
  }

  OpType(int tag, OpRole kind, @Nullable OpType response) {
    this.tag = tag;
    this.kind = kind;
    this.response = response;
  }

  /** Returns the operation with this tag octet (0 to 255), or null if LDAP does not define one. */
  public static @Nullable OpType ofTag(int unsignedTag) {
    return BY_TAG[unsignedTag];
  }

  /** Returns the identifier octet, 0 to 255. */
  public int tag() {
    return tag;
  }

  public boolean isRequest() {
    return kind == OpRole.REQUEST || kind == OpRole.UPDATE;
  }

  /** True if this is a response that ends its operation, and so carries an LDAPResult. */
  public boolean isFinalResponse() {
    return kind == OpRole.LAST_RESPONSE;
  }

  /** True for add, delete, modify and modifyDN. An extended request may change entries, too. */
  public boolean isUpdate() {
    return kind == OpRole.UPDATE;
  }

  /**
   * Returns the final response of this request.
   *
   * @throws IllegalStateException for unbind, abandon and responses, which have none
   */
  public OpType response() {
    if (response == null) {
      throw new IllegalStateException(this + " has no response");
    }
    return response;
  }
}
