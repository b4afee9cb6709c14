// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap;

import org.jspecify.annotations.Nullable;

/** The protocol operations of RFC 4511, section 4.2 onwards, with their BER tags. Immutable. */
public enum OpType {
  BIND_REQUEST(0x60),
  BIND_RESPONSE(0x61),
  UNBIND_REQUEST(0x42),
  SEARCH_REQUEST(0x63),
  SEARCH_RESULT_ENTRY(0x64),
  SEARCH_RESULT_DONE(0x65),
  MODIFY_REQUEST(0x66),
  MODIFY_RESPONSE(0x67),
  ADD_REQUEST(0x68),
  ADD_RESPONSE(0x69),
  DELETE_REQUEST(0x4A),
  DELETE_RESPONSE(0x6B),
  MODIFY_DN_REQUEST(0x6C),
  MODIFY_DN_RESPONSE(0x6D),
  COMPARE_REQUEST(0x6E),
  COMPARE_RESPONSE(0x6F),
  ABANDON_REQUEST(0x50),
  SEARCH_RESULT_REFERENCE(0x73),
  EXTENDED_REQUEST(0x77),
  EXTENDED_RESPONSE(0x78),
  INTERMEDIATE_RESPONSE(0x79);

  private static final @Nullable OpType[] BY_TAG = new @Nullable OpType[256];

  static {
    for (OpType type : values()) {
      BY_TAG[type.tag] = type;
    }
  }

  private final int tag;

  OpType(int tag) {
    this.tag = tag;
  }

  /** The operation with this tag octet (0 to 255), or null if LDAP knows none. */
  public static @Nullable OpType ofTag(int unsignedTag) {
    return BY_TAG[unsignedTag];
  }

  /** The identifier octet, 0 to 255. */
  public int tag() {
    return tag;
  }

  public boolean isRequest() {
    return switch (this) {
      case BIND_REQUEST,
          UNBIND_REQUEST,
          SEARCH_REQUEST,
          MODIFY_REQUEST,
          ADD_REQUEST,
          DELETE_REQUEST,
          MODIFY_DN_REQUEST,
          COMPARE_REQUEST,
          ABANDON_REQUEST,
          EXTENDED_REQUEST ->
          true;
      default -> false;
    };
  }

  /** Whether this response ends its operation, and so carries an LDAPResult. */
  public boolean isFinalResponse() {
    return switch (this) {
      case BIND_RESPONSE,
          SEARCH_RESULT_DONE,
          MODIFY_RESPONSE,
          ADD_RESPONSE,
          DELETE_RESPONSE,
          MODIFY_DN_RESPONSE,
          COMPARE_RESPONSE,
          EXTENDED_RESPONSE ->
          true;
      default -> false;
    };
  }

  /** Add, delete, modify and modifyDN. An extended request may change entries too. */
  public boolean isUpdate() {
    return switch (this) {
      case MODIFY_REQUEST, ADD_REQUEST, DELETE_REQUEST, MODIFY_DN_REQUEST -> true;
      default -> false;
    };
  }

  /**
   * The final response of this request.
   *
   * @throws IllegalStateException for unbind, abandon and responses, which have none
   */
  public OpType response() {
    return switch (this) {
      case BIND_REQUEST -> BIND_RESPONSE;
      case SEARCH_REQUEST -> SEARCH_RESULT_DONE;
      case MODIFY_REQUEST -> MODIFY_RESPONSE;
      case ADD_REQUEST -> ADD_RESPONSE;
      case DELETE_REQUEST -> DELETE_RESPONSE;
      case MODIFY_DN_REQUEST -> MODIFY_DN_RESPONSE;
      case COMPARE_REQUEST -> COMPARE_RESPONSE;
      case EXTENDED_REQUEST -> EXTENDED_RESPONSE;
      default -> throw new IllegalStateException(this + " has no response");
    };
  }
}
