// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import org.jspecify.annotations.Nullable;

/** A compare. Immutable. */
record SimCompare(String identity, String base, String attribute, String value)
    implements SimRequest {
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final int NO_SUCH_OBJECT = 32;

  @Override
  public boolean derives() {
    return attribute.equals(SimGroups.MEMBER_OF);
  }

  @Override
  public RawRequest request() {
    return Requests.compare(base, attribute, value);
  }

  /** The result code, by what is visible of the entry. */
  int code(@Nullable Entry visible) {
    if (visible == null) {
      return NO_SUCH_OBJECT;
    }
    if (!visible.hasAttribute(attribute)) {
      return NO_SUCH_ATTRIBUTE;
    }
    return visible.hasAttributeValue(attribute, value) ? COMPARE_TRUE : COMPARE_FALSE;
  }

  @Override
  public String toString() {
    return "compare %s %s=%s".formatted(base, attribute, value);
  }
}
