// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a decoder found, as text: two requests are the same exactly if their texts are.
 * Immutable (no state).
 */
final class CanonicalText {
  private CanonicalText() {}

  /** What an offset points at is part of the text, the offset is not. */
  static String of(Request request, ByteBuf body) {
    StringJoiner text = new StringJoiner(" ");
    RequestOp op = request.op();
    if (op instanceof BindOp bind) {
      text.add("bind " + bind.version() + " " + value(bind.name()) + " " + bind.authentication());
      text.add(bind.authTag() + " " + bind.saslMechanism());
      text.add(pointedAt(body, bind.credentialsOffset(), bind.credentialsLength()));
    } else if (op instanceof ExtendedOp extended) {
      text.add("extended " + extended.oid());
      text.add(pointedAt(body, extended.valueOffset(), extended.valueLength()));
    } else {
      text.add(value(op));
    }
    for (Control control : request.controls()) {
      text.add(control + "=" + value(control.value()));
    }
    return text.add(request.irregular() ? "irregular" : "regular").toString();
  }

  private static String pointedAt(ByteBuf body, int offset, int length) {
    return length < 0
        ? "absent"
        : Hex.of(ByteBufUtil.getBytes(body, body.readerIndex() + offset, length));
  }

  private static String value(@Nullable Object value) {
    if (value instanceof byte[] octets) {
      return "'" + Hex.of(octets) + "'";
    }
    if (value instanceof List<?> list) {
      return list.stream().map(CanonicalText::value).toList().toString();
    }
    return value instanceof Record fields ? fields(fields) : String.valueOf(value);
  }

  private static String fields(Record fields) {
    StringJoiner text = new StringJoiner(",", fields.getClass().getSimpleName() + "(", ")");
    for (RecordComponent component : fields.getClass().getRecordComponents()) {
      try {
        text.add(value(component.getAccessor().invoke(fields)));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      }
    }
    return text.toString();
  }
}
