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
 */
public class EncodedResponse implements Response {
  private final byte[] op;

  /**
   * Creates a response.
   *
   * @param op the protocolOp, without controls; not copied
   */
  public EncodedResponse(byte[] op) {
    this.op = op;
  }

  /** Returns the protocolOp, which must not be modified. */
  public final byte[] op() {
    return op;
  }

  @Override
  public final OpType type() {
    return Objects.requireNonNull(OpType.ofTag(op[0] & 0xff), "not a protocolOp");
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof EncodedResponse that && Arrays.equals(op, that.op);
  }

  @Override
  public final int hashCode() {
    return Arrays.hashCode(op);
  }
}
