// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldif.LDIFWriter;
import com.unboundid.util.ByteStringBuffer;
import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.Sending;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes as LDIF change records (RFC 2849). A comment in front of each says who changed what, when,
 * from where, and with which result. A write that failed is a comment as a whole, so that the file
 * can be replayed. So is each action of the administrator, and each refused one, since no directory
 * has made it. Values of secret attributes are left out.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class LdifFormat implements AccessFormat {
  private static final int NO_WRAP = Integer.MAX_VALUE;
  private static final int NANOS_PER_MICRO = 1_000;
  private static final int MICROS_DIGITS = 6;
  private static final String[] CHANGES = {"add", "delete", "replace", "increment"};

  private final LogClock clock = new LogClock("yyyy-MM-dd'T'HH:mm:ss", ZoneOffset.UTC);
  private final ValueText values;
  private final RequestDecoder decoder = RequestDecoder.OF_ACCEPTED;
  private final RequestTexts targets = new RequestTexts(LdifFormat::target, request -> true, 0);
  private final LineBuffer change = new LineBuffer(1024);

  /** Creates the format; {@code secrets} are attribute types in lower case. */
  LdifFormat(Set<String> secrets) {
    this.values = new ValueText(ValueMode.FULL, secrets);
  }

  @Override
  public void beginBatch() {
    clock.synchronize();
  }

  @Override
  public void add(LineBuffer lines, ConnectionEvent event) {
    // an audit log has no connections
  }

  @Override
  public void add(LineBuffer lines, CompletedOperation operation) {
    addComment(lines, operation);
    change.clear();
    LdapMessage message = operation.values();
    Request request = message == null ? null : request(operation, message);
    boolean administrative = operation.trace().isAdministrative();
    boolean effective = operation.resultCode() == 0 && !administrative;
    if (message != null && request != null) {
      effective &= addChange(message, request);
    } else if (administrative) {
      addOther(operation);
    }
    addRecord(lines, effective);
    lines.add('\n');
  }

  private void addComment(LineBuffer lines, CompletedOperation operation) {
    long time = operation.times().ended();
    lines.add("# ").add(clock.secondOf(time)).add('.');
    lines.addPadded(clock.fractionOf(time) / NANOS_PER_MICRO, MICROS_DIGITS).add("Z ");
    lines.add(operation.trace().isAdministrative() ? "administration " : "").add("identity=\"");
    lines.addEscaped(ClientIdentity.labelOf(operation.identity())).add("\" from=");
    lines.add(origin(operation)).add(" client=").add(operation.client());
    lines.add(" op=").add(operation.trace().number()).add(" result=");
    if (operation.resultCode() == CompletedOperation.ABANDONED) {
      lines.add("unknown");
    } else {
      lines.add(operation.resultCode());
    }
    Sending sent = operation.trace().last();
    if (sent != null) {
      lines.add(" upstream=").add(sent.server().toString());
    }
    lines.add('\n');
  }

  private static String origin(CompletedOperation operation) {
    return operation.peer().endpoint() == null
        ? "\"" + operation.peer().origin() + "\""
        : Results.address(operation.peer().endpoint());
  }

  /** Appends the change record; as comments if it had no effect. */
  private void addRecord(LineBuffer lines, boolean effective) {
    boolean lineStart = true;
    for (int index = 0; index < change.length(); index++) {
      char octet = (char) (change.array()[index] & 0xff);
      if (lineStart && !effective) {
        lines.add("# ");
      }
      lines.add(octet);
      lineStart = octet == '\n';
    }
  }

  /** Returns the request of a write; null if it is malformed. */
  private @Nullable Request request(CompletedOperation operation, LdapMessage message) {
    if (operation.request() != null) {
      return operation.request();
    }
    try {
      return decoder.decode(operation.type(), message.body().duplicate());
    } catch (LdapProtocolException e) {
      return null; // refused as malformed; the result code is in the comment
    }
  }

  /** Appends a line about an operation that is no change, or whose change was not decoded. */
  private void addOther(CompletedOperation operation) {
    change.add(JsonFormat.name(operation.type()));
    if (operation.request() != null && operation.request().op() instanceof BindOp bind) {
      change.add(" method=");
      change.addEscaped(Objects.requireNonNullElse(bind.saslMechanism(), "simple"));
    }
    change.add(" dn=\"").addEscaped(targets.of(operation).first()).add("\"\n");
  }

  private static Text target(Request request) {
    byte[] name = request.op() instanceof BindOp bind ? bind.name() : request.op().target();
    return name == null ? Text.NONE : new Text(name, new byte[0]);
  }

  /** Appends the change. Returns false if none of it can be replayed. */
  private boolean addChange(LdapMessage message, Request request) {
    boolean effective = true;
    byte[] entry = request.op().target();
    if (request.op() instanceof ExtendedOp extended) {
      change.add("extended operation ").addEscaped(extended.oid()).add('\n');
      return false;
    }
    line("dn", entry == null ? new byte[0] : entry);
    try {
      switch (request.type()) {
        case ADD_REQUEST -> add(message.body(), request);
        case MODIFY_REQUEST -> effective = modify(message.body(), request);
        case MODIFY_DN_REQUEST -> modifyDn((ModifyDnOp) request.op());
        default -> change.add("changetype: delete\n");
      }
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a decoded request is malformed", e);
    }
    return effective;
  }

  private void add(ByteBuf body, Request request) throws LdapProtocolException {
    change.add("changetype: add\n");
    BerReader reader = new BerReader(body, ProtocolError.MALFORMED_REQUEST);
    reader.enter(request.type().tag());
    reader.skip(BerReader.OCTET_STRING);
    int outer = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      int attribute = reader.enter(BerReader.SEQUENCE);
      byte[] type = reader.octets(BerReader.OCTET_STRING);
      if (!values(reader, type)) {
        change.add("# ").addEscaped(type).add(", values hidden\n");
      }
      reader.leave(attribute);
    }
    reader.leave(outer);
  }

  /** Appends the modifications. Returns false if all of them are comments. */
  private boolean modify(ByteBuf body, Request request) throws LdapProtocolException {
    change.add("changetype: modify\n");
    int kept = 0;
    BerReader reader = new BerReader(body, ProtocolError.MALFORMED_REQUEST);
    reader.enter(request.type().tag());
    reader.skip(BerReader.OCTET_STRING);
    int outer = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      int element = reader.enter(BerReader.SEQUENCE);
      int kind = reader.integer(BerReader.ENUMERATED);
      int attribute = reader.enter(BerReader.SEQUENCE);
      byte[] type = reader.octets(BerReader.OCTET_STRING);
      String verb = kind >= 0 && kind < CHANGES.length ? CHANGES[kind] : "# change " + kind;
      if (addModification(reader, verb, type)) {
        kept++;
      }
      reader.leave(attribute);
      reader.leave(element);
    }
    reader.leave(outer);
    return kept > 0;
  }

  /**
   * Appends a modification. Without its values it would remove the attribute when the file is
   * replayed, so a modification with hidden values is a comment.
   *
   * @return true if it is no comment
   */
  private boolean addModification(BerReader reader, String verb, byte[] type)
      throws LdapProtocolException {
    int begin = change.length();
    line(verb, type);
    boolean whole = values(reader, type);
    if (whole) {
      change.add("-\n");
    } else {
      change.truncate(begin);
      change.add("# ").add(verb).add(": ").addEscaped(type).add(", values hidden\n");
    }
    return whole;
  }

  /** Appends the values of an attribute. Returns false if they are hidden. */
  private boolean values(BerReader reader, byte[] type) throws LdapProtocolException {
    boolean secret = values.isSecret(type);
    int set = reader.enter(BerReader.SET);
    int hidden = 0;
    while (reader.hasMore()) {
      if (secret) {
        reader.skip(BerReader.OCTET_STRING);
        hidden++;
      } else {
        line(name(type), reader.octets(BerReader.OCTET_STRING));
      }
    }
    reader.leave(set);
    return hidden == 0;
  }

  /** Returns an attribute description in which no octet can end a line. */
  private static String name(byte[] type) {
    LineBuffer name = new LineBuffer(type.length);
    name.addEscaped(type);
    return new String(name.toByteArray(), StandardCharsets.US_ASCII);
  }

  private void modifyDn(ModifyDnOp op) {
    change.add("changetype: moddn\n");
    line("newrdn", op.newRdn());
    change.add("deleteoldrdn: ").add(op.deleteOldRdn() ? "1\n" : "0\n");
    byte[] superior = op.newSuperior();
    if (superior != null) {
      line("newsuperior", superior);
    }
  }

  /** Appends a line; values that are no safe strings are encoded in Base64. */
  private void line(String name, byte[] value) {
    ByteStringBuffer line = new ByteStringBuffer();
    LDIFWriter.encodeNameAndValue(name, new ASN1OctetString(value), line, NO_WRAP);
    change.add(Arrays.copyOf(line.getBackingArray(), line.length())).add('\n');
  }
}
