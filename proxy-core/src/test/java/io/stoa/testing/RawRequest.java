// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.Control;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A request that has no messageID yet: the octets of its protocolOp, and its controls. Immutable.
 */
public record RawRequest(byte[] op, List<Control> controls) {
  private static final int SEQUENCE = 0x30;
  private static final int INTEGER = 0x02;
  private static final int CONTROLS = 0xa0;
  private static final int UNBIND = 0x42;
  private static final int ABANDON = 0x50;

  public RawRequest(byte[] op) {
    this(op, List.of());
  }

  public RawRequest with(Control... more) {
    return new RawRequest(op, Stream.concat(controls.stream(), Stream.of(more)).toList());
  }

  public int tag() {
    return op[0] & 0xff;
  }

  /** Whether the server answers this kind of request at all. */
  public boolean isAnswered() {
    return tag() != UNBIND && tag() != ABANDON;
  }

  public byte[] encode(int messageId) {
    List<byte[]> parts = new ArrayList<>();
    parts.add(Tlv.integer(INTEGER, messageId));
    parts.add(op);
    if (!controls.isEmpty()) {
      byte[][] encoded =
          controls.stream().map(control -> control.encode().encode()).toArray(byte[][]::new);
      parts.add(Tlv.of(CONTROLS, encoded));
    }
    return Tlv.of(SEQUENCE, parts.toArray(byte[][]::new));
  }
}
