// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A search filter (RFC 4511, section 4.5.1.7), octet for octet as the client sent it. Nesting is
 * bounded by {@link DecodeLimits#filterDepth()}, so that recursion is safe.
 *
 * <p>Records with arrays are compared by identity.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 */
public sealed interface FilterNode {

  /** Conjunction; true if empty (RFC 4526). */
  record And(List<FilterNode> members) implements FilterNode {
    public And {
      members = List.copyOf(members);
    }
  }

  /** Disjunction; false if empty (RFC 4526). */
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

  /** Substrings: at least one part. Each part may be empty. */
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
   * A choice that RFC 4511 does not define, or substrings in a wrong order. Evaluates to Undefined
   * (RFC 4511, section 4.5.1.7).
   *
   * @param octets the whole element
   */
  record Unknown(byte[] octets) implements FilterNode {}
}
