// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decoded protocolOp of a request, as far as Stoa uses it. Attribute values of updates and
 * possible passwords stay in the message's buffer. Numbers are as the client sent them: the
 * directory judges a scope or a version.
 *
 * <p>Records with arrays are compared by identity.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 */
public sealed interface RequestOp {
  OpType type();

  /** Returns the target entry of the request, or the base of the search; null if there is none. */
  default byte @Nullable [] target() {
    return null;
  }

  /** The choice of authentication in a bind (RFC 4511, section 4.2). */
  enum BindAuthentication {
    SIMPLE,
    SASL,
    /** A choice that RFC 4511 does not define. A directory answers authMethodNotSupported. */
    OTHER
  }

  /** A search (RFC 4511, section 4.5.1). A limit of 0 means no limit. */
  record SearchOp(
      byte[] base,
      int scope,
      int derefAliases,
      int sizeLimit,
      int timeLimit,
      boolean typesOnly,
      FilterNode filter,
      List<byte[]> attributes)
      implements RequestOp {
    private static final int NEVER_DEREF = 0;

    public SearchOp {
      attributes = List.copyOf(attributes);
    }

    /**
     * Returns the protocolOp of a search without limits that dereferences no aliases.
     *
     * @param encodedFilter the filter in BER
     */
    public static byte[] encode(
        byte[] base, int scope, byte[] encodedFilter, List<String> attributes) {
      BerWriter request = new BerWriter();
      int search = request.begin(OpType.SEARCH_REQUEST.tag());
      request.octets(BerReader.OCTET_STRING, base);
      request.integer(BerReader.ENUMERATED, scope).integer(BerReader.ENUMERATED, NEVER_DEREF);
      request.integer(BerReader.INTEGER, 0).integer(BerReader.INTEGER, 0);
      request.bool(BerReader.BOOLEAN, false).raw(encodedFilter);
      int list = request.begin(BerReader.SEQUENCE);
      for (String attribute : attributes) {
        request.octets(BerReader.OCTET_STRING, attribute.getBytes(StandardCharsets.UTF_8));
      }
      return request.end(list).end(search).toByteArray();
    }

    /**
     * Returns the protocolOp of this search with another base, scope and limits.
     *
     * @param op the protocolOp of this search as received
     */
    public byte[] rewrite(byte[] op, byte[] newBase, int newScope, int newSize, int newTime) {
      try {
        BerReader reader = new BerReader(op, ProtocolError.MALFORMED_REQUEST);
        reader.enter(OpType.SEARCH_REQUEST.tag());
        reader.skip(BerReader.OCTET_STRING);
        reader.skip(BerReader.ENUMERATED);
        reader.skip(BerReader.ENUMERATED);
        reader.skip(BerReader.INTEGER);
        reader.skip(BerReader.INTEGER);
        BerWriter writer = new BerWriter(op.length + newBase.length + Long.BYTES);
        int search = writer.begin(OpType.SEARCH_REQUEST.tag());
        writer.octets(BerReader.OCTET_STRING, newBase).integer(BerReader.ENUMERATED, newScope);
        writer.integer(BerReader.ENUMERATED, derefAliases);
        writer.integer(BerReader.INTEGER, newSize).integer(BerReader.INTEGER, newTime);
        byte[] rest = Arrays.copyOfRange(op, reader.index(), op.length);
        return writer.raw(rest).end(search).toByteArray();
      } catch (LdapProtocolException e) {
        throw new IllegalArgumentException("the octets of another request", e);
      }
    }

    /**
     * True if the search dereferences aliases (RFC 4511, section 4.5.1.3). Its entries may then lie
     * outside its base and scope.
     */
    public boolean followsAliases() {
      return derefAliases != NEVER_DEREF;
    }

    @Override
    public byte[] target() {
      return base;
    }

    @Override
    public OpType type() {
      return OpType.SEARCH_REQUEST;
    }
  }

  record CompareOp(byte[] entry, byte[] attribute, byte[] value) implements RequestOp {
    @Override
    public byte[] target() {
      return entry;
    }

    @Override
    public OpType type() {
      return OpType.COMPARE_REQUEST;
    }
  }

  /**
   * A bind (RFC 4511, section 4.2). The credentials stay in the message; only their position is
   * recorded.
   *
   * @param authTag the tag octet of the authentication choice, 0 to 255
   * @param credentialsOffset offset of the credentials in octets from the body's readerIndex; -1 if
   *     a SASL bind has none
   * @param credentialsLength 0 if the credentials are empty, -1 if a SASL bind has none
   */
  record BindOp(
      int version,
      byte[] name,
      BindAuthentication authentication,
      int authTag,
      int credentialsOffset,
      int credentialsLength,
      @Nullable String saslMechanism)
      implements RequestOp {
    @Override
    public OpType type() {
      return OpType.BIND_REQUEST;
    }
  }

  record AddOp(byte[] entry) implements RequestOp {
    @Override
    public byte[] target() {
      return entry;
    }

    @Override
    public OpType type() {
      return OpType.ADD_REQUEST;
    }
  }

  /**
   * A modify.
   *
   * @param attributes descriptions of the changed attributes, in the order of the changes
   */
  record ModifyOp(byte[] entry, List<byte[]> attributes) implements RequestOp {
    public ModifyOp {
      attributes = List.copyOf(attributes);
    }

    @Override
    public byte[] target() {
      return entry;
    }

    @Override
    public OpType type() {
      return OpType.MODIFY_REQUEST;
    }
  }

  record DeleteOp(byte[] entry) implements RequestOp {
    @Override
    public byte[] target() {
      return entry;
    }

    @Override
    public OpType type() {
      return OpType.DELETE_REQUEST;
    }
  }

  record ModifyDnOp(
      byte[] entry, byte[] newRdn, boolean deleteOldRdn, byte @Nullable [] newSuperior)
      implements RequestOp {
    @Override
    public byte[] target() {
      return entry;
    }

    @Override
    public OpType type() {
      return OpType.MODIFY_DN_REQUEST;
    }
  }

  /**
   * An abandon.
   *
   * @param id the messageID to abandon, in the client's numbering
   */
  record AbandonOp(int id) implements RequestOp {
    @Override
    public OpType type() {
      return OpType.ABANDON_REQUEST;
    }
  }

  record UnbindOp() implements RequestOp {
    @Override
    public OpType type() {
      return OpType.UNBIND_REQUEST;
    }
  }

  /**
   * An extended request (RFC 4511, section 4.12). The value may hold passwords and stays in the
   * message; only its position is recorded.
   *
   * @param valueOffset offset of the value in octets from the body's readerIndex; -1 if absent
   * @param valueLength length of the value in octets; -1 if absent
   */
  record ExtendedOp(String oid, int valueOffset, int valueLength) implements RequestOp {
    @Override
    public OpType type() {
      return OpType.EXTENDED_REQUEST;
    }
  }
}
