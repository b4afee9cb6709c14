// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A search filter (RFC 4511, section 4.5.1.7), octet for octet as it was sent. The nesting is
 * bounded by {@link DecodeLimits#filterDepth()}, so it may be walked recursively.
 *
 * <p>Immutable, as long as nobody modifies the arrays. Records with arrays are equal by identity.
 */
public sealed interface FilterNode {

  /** True if empty (RFC 4526). */
  record And(List<FilterNode> members) implements FilterNode {
    public And {
      members = List.copyOf(members);
    }
  }

  /** False if empty (RFC 4526). */
  record Or(List<FilterNode> members) implements FilterNode {
    public Or {
      members = List.copyOf(members);
    }
  }

  record Not(FilterNode member) implements FilterNode {}

  record Equality(byte[] attribute, byte[] value) implements FilterNode {}

  record GreaterOrEqual(byte[] attribute, byte[] value) implements FilterNode {}

  record LessOrEqual(byte[] attribute, byte[] value) implements FilterNode {}

  record Approximate(byte[] attribute, byte[] value) implements FilterNode {}

  record Present(byte[] attribute) implements FilterNode {}

  /** At least one part; each may be empty. */
  record Substrings(
      byte[] attribute, byte @Nullable [] initial, List<byte[]> any, byte @Nullable [] last)
      implements FilterNode {
    public Substrings {
      any = List.copyOf(any);
    }
  }

  record Extensible(
      byte @Nullable [] rule, byte @Nullable [] attribute, byte[] value, boolean dnAttributes)
      implements FilterNode {}

  /**
   * A choice that RFC 4511 does not know, or substrings in an order that it does not allow: the
   * directory takes it for Undefined.
   *
   * @param octets the whole element
   */
  record Unknown(byte[] octets) implements FilterNode {}
}
