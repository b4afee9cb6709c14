// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A response from memory. A stored response is sent as the object that is stored, so that a hit
 * allocates nothing for it.
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param op the protocolOp, without controls; not copied
 */
public record EncodedResponse(byte[] op) implements Response {
  @Override
  public OpType type() {
    return Objects.requireNonNull(OpType.ofTag(op[0] & 0xff), "not a protocolOp");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EncodedResponse that && Arrays.equals(op, that.op);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(op);
  }
}
