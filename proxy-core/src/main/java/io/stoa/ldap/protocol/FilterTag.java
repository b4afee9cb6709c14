// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/** Tags of filters and of their parts (RFC 4511, section 4.5.1.7). Threading: stateless. */
final class FilterTag {
  static final int AND = 0xA0;
  static final int OR = 0xA1;
  static final int NOT = 0xA2;
  static final int EQUALITY = 0xA3;
  static final int SUBSTRINGS = 0xA4;
  static final int GREATER_OR_EQUAL = 0xA5;
  static final int LESS_OR_EQUAL = 0xA6;
  static final int PRESENT = 0x87;
  static final int APPROXIMATE = 0xA8;
  static final int EXTENSIBLE = 0xA9;

  /** Matching rule of an extensible match. */
  static final int RULE = 0x81;

  /** Attribute description of an extensible match. */
  static final int TYPE = 0x82;

  /** Asserted value of an extensible match. */
  static final int MATCH_VALUE = 0x83;

  /** True if an extensible match also applies to the attributes of the DN. */
  static final int DN_ATTRIBUTES = 0x84;

  /** First part of a substring filter. */
  static final int INITIAL = 0x80;

  /** Part in the middle of a substring filter. */
  static final int ANY = 0x81;

  /** Last part of a substring filter. */
  static final int FINAL = 0x82;

  private FilterTag() {}
}
