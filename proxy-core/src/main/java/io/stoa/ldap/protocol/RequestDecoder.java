// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.AddOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.RequestOp.UnbindOp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Decodes the body of a request and checks its structure down to the last octet. A directory ends
 * the connection over a malformed request, and connections to the directory are shared. Numbers and
 * names are left to the directory to judge.
 *
 * <p>Values of updates and possible passwords are checked in place, and not copied.
 *
 * <p>Threading: immutable.
 */
public final class RequestDecoder {
  private static final int SIMPLE = 0x80;
  private static final int SASL = 0xA3;
  private static final int NEW_SUPERIOR = 0x80;
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;

  /** Decodes requests of accepted shapes, so that later and lower limits do not matter. */
  public static final RequestDecoder OF_ACCEPTED = new RequestDecoder(() -> DecodeLimits.ACCEPTED);

  private final Supplier<DecodeLimits> current;

  /**
   * Creates a decoder with limits that may change; each request is decoded with the current ones.
   */
  public RequestDecoder(Supplier<DecodeLimits> current) {
    this.current = current;
  }

  /** Returns the limits of the next request. */
  public DecodeLimits limits() {
    return current.get();
  }

  public Request decode(LdapMessage message) throws LdapProtocolException {
    return decode(message.type(), message.body());
  }

  /**
   * Decodes the body of a request.
   *
   * @param body the protocolOp and the controls, from readerIndex to writerIndex; neither moves
   * @throws LdapProtocolException if a directory could not read it, if it exceeds a limit, or if it
   *     is not a request
   */
  public Request decode(OpType type, ByteBuf body) throws LdapProtocolException {
    BerReader reader = new BerReader(body, ProtocolError.MALFORMED_REQUEST);
    return switch (type) {
      case SEARCH_REQUEST -> search(reader);
      case COMPARE_REQUEST -> finish(compare(reader), reader);
      case BIND_REQUEST -> bindRequest(reader, body.readerIndex());
      case ADD_REQUEST -> finish(add(reader), reader);
      case MODIFY_REQUEST -> finish(modify(reader), reader);
      case DELETE_REQUEST -> finish(new DeleteOp(reader.octets(type.tag())), reader);
      case MODIFY_DN_REQUEST -> finish(modifyDn(reader), reader);
      case ABANDON_REQUEST -> finish(new AbandonOp(reader.integer(type.tag())), reader);
      case UNBIND_REQUEST -> finish(unbind(reader), reader);
      case EXTENDED_REQUEST -> finish(extended(reader, body.readerIndex()), reader);
      default -> throw LdapProtocolException.of(ProtocolError.UNKNOWN_OPERATION);
    };
  }

  private Request finish(RequestOp op, BerReader reader) throws LdapProtocolException {
    return finish(op, reader, false);
  }

  private Request finish(RequestOp op, BerReader reader, boolean irregular)
      throws LdapProtocolException {
    List<Control> controls = Control.decodeAll(reader, current.get().controls());
    boolean odd = irregular || reader.sawUnknownElements();
    if (controls.isEmpty()) {
      return new Request(op, controls, odd);
    }
    for (Control control : controls) {
      odd |= !FilterDecoder.isRegular(control, current.get());
    }
    return new Request(op, controls, odd);
  }

  private Request search(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.SEARCH_REQUEST.tag());
    byte[] base = reader.octets(BerReader.OCTET_STRING);
    int scope = reader.integer(BerReader.ENUMERATED);
    int derefAliases = reader.integer(BerReader.ENUMERATED);
    int sizeLimit = reader.integer(BerReader.INTEGER);
    int timeLimit = reader.integer(BerReader.INTEGER);
    boolean typesOnly = reader.bool(BerReader.BOOLEAN);
    FilterDecoder filters = new FilterDecoder(reader, current.get());
    FilterNode filter = filters.decode();
    List<byte[]> attributes = attributeSelection(reader);
    reader.leave(outer);
    return finish(
        new SearchOp(
            base, scope, derefAliases, sizeLimit, timeLimit, typesOnly, filter, attributes),
        reader,
        filters.isIrregular());
  }

  private List<byte[]> attributeSelection(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(BerReader.SEQUENCE);
    List<byte[]> attributes =
        reader.listOf(
            element -> element.octets(BerReader.OCTET_STRING), current.get().attributes());
    reader.finish(outer);
    return attributes;
  }

  private static CompareOp compare(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.COMPARE_REQUEST.tag());
    byte[] entry = reader.octets(BerReader.OCTET_STRING);
    int assertion = reader.enter(BerReader.SEQUENCE);
    byte[] attribute = reader.octets(BerReader.OCTET_STRING);
    byte[] value = reader.octets(BerReader.OCTET_STRING);
    reader.leave(assertion);
    reader.leave(outer);
    return new CompareOp(entry, attribute, value);
  }

  /**
   * Decodes a bind. A bind of another version than 3 is irregular: slapd ends the connection if it
   * has controls, and otherwise remembers the version.
   */
  private Request bindRequest(BerReader reader, int bodyIndex) throws LdapProtocolException {
    BindOp op = bind(reader, bodyIndex);
    return finish(op, reader, op.version() != 3);
  }

  private static BindOp bind(BerReader reader, int bodyIndex) throws LdapProtocolException {
    int outer = reader.enter(OpType.BIND_REQUEST.tag());
    int version = reader.integer(BerReader.INTEGER);
    byte[] name = reader.octets(BerReader.OCTET_STRING);
    BindOp op =
        reader.peekTag() == SASL
            ? sasl(reader, bodyIndex, version, name)
            : simple(reader, bodyIndex, version, name);
    reader.leave(outer);
    return op;
  }

  /** Reads a simple bind, or any unknown choice of authentication. */
  private static BindOp simple(BerReader reader, int bodyIndex, int version, byte[] name)
      throws LdapProtocolException {
    int tag = reader.peekTag();
    int length = reader.skip(tag);
    int offset = reader.index() - length - bodyIndex;
    BindAuthentication authentication =
        tag == SIMPLE ? BindAuthentication.SIMPLE : BindAuthentication.OTHER;
    return new BindOp(version, name, authentication, tag, offset, length, null);
  }

  private static BindOp sasl(BerReader reader, int bodyIndex, int version, byte[] name)
      throws LdapProtocolException {
    int outer = reader.enter(SASL);
    String mechanism = latin1(reader.octets(BerReader.OCTET_STRING));
    int length = optionalLength(reader, BerReader.OCTET_STRING);
    int offset = length < 0 ? -1 : reader.index() - length - bodyIndex;
    reader.leave(outer);
    return new BindOp(version, name, BindAuthentication.SASL, SASL, offset, length, mechanism);
  }

  private static AddOp add(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.ADD_REQUEST.tag());
    byte[] entry = reader.octets(BerReader.OCTET_STRING);
    int attributes = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      skipAttribute(reader);
    }
    reader.finish(attributes);
    reader.leave(outer);
    return new AddOp(entry);
  }

  private static ModifyOp modify(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.MODIFY_REQUEST.tag());
    byte[] entry = reader.octets(BerReader.OCTET_STRING);
    List<byte[]> attributes = new ArrayList<>(1);
    int changes = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      attributes.add(changedAttribute(reader));
    }
    reader.finish(changes);
    reader.leave(outer);
    return new ModifyOp(entry, attributes);
  }

  /** Reads a change, and returns the description of its attribute. */
  private static byte[] changedAttribute(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(BerReader.SEQUENCE);
    reader.integer(BerReader.ENUMERATED);
    int attribute = reader.enter(BerReader.SEQUENCE);
    byte[] description = reader.octets(BerReader.OCTET_STRING);
    skipValues(reader);
    reader.leave(attribute);
    reader.leave(outer);
    return description;
  }

  private static void skipAttribute(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(BerReader.SEQUENCE);
    reader.skip(BerReader.OCTET_STRING);
    skipValues(reader);
    reader.leave(outer);
  }

  private static void skipValues(BerReader reader) throws LdapProtocolException {
    int values = reader.enter(BerReader.SET);
    while (reader.hasMore()) {
      reader.skip(BerReader.OCTET_STRING);
    }
    reader.finish(values);
  }

  private static ModifyDnOp modifyDn(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.MODIFY_DN_REQUEST.tag());
    byte[] entry = reader.octets(BerReader.OCTET_STRING);
    byte[] newRdn = reader.octets(BerReader.OCTET_STRING);
    boolean deleteOldRdn = reader.bool(BerReader.BOOLEAN);
    byte[] newSuperior = reader.peekTag() == NEW_SUPERIOR ? reader.octets(NEW_SUPERIOR) : null;
    reader.leave(outer);
    return new ModifyDnOp(entry, newRdn, deleteOldRdn, newSuperior);
  }

  /** Reads NULL, whose length is zero. */
  private static UnbindOp unbind(BerReader reader) throws LdapProtocolException {
    reader.finish(reader.enter(OpType.UNBIND_REQUEST.tag()));
    return new UnbindOp();
  }

  private static ExtendedOp extended(BerReader reader, int bodyIndex) throws LdapProtocolException {
    int outer = reader.enter(OpType.EXTENDED_REQUEST.tag());
    String oid = latin1(reader.octets(REQUEST_NAME));
    int length = optionalLength(reader, REQUEST_VALUE);
    int offset = length < 0 ? -1 : reader.index() - length - bodyIndex;
    reader.leave(outer);
    return new ExtendedOp(oid, offset, length);
  }

  /** Skips an optional element, and returns the length of its content, or -1 if it is absent. */
  private static int optionalLength(BerReader reader, int tag) throws LdapProtocolException {
    return reader.peekTag() == tag ? reader.skip(tag) : -1;
  }

  /** Returns one character for each octet, so that different octets are different texts. */
  private static String latin1(byte[] octets) {
    return new String(octets, StandardCharsets.ISO_8859_1);
  }
}
