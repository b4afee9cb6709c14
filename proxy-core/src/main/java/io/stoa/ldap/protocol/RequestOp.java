// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decoded protocolOp of a request: what Stoa has to know of it. Attribute values of updates and
 * whatever may be a password stay in the message's buffer. Numbers are as the client sent them:
 * whether a scope exists or a version is supported is for the directory to say.
 *
 * <p>Immutable, as long as nobody modifies the arrays. Records with arrays are equal by identity.
 */
public sealed interface RequestOp {
  OpType type();

  /** The entry that the request is about, or the base of the search; null if it names none. */
  default byte @Nullable [] target() {
    return null;
  }

  /** The choice of authentication in a bind (RFC 4511, section 4.2). */
  enum BindAuthentication {
    SIMPLE,
    SASL,
    /** A choice that RFC 4511 does not know; a directory answers authMethodNotSupported. */
    OTHER
  }

  /** RFC 4511, section 4.5.1. Limits: 0 is none. */
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
     * The protocolOp of a search without limits that follows no alias.
     *
     * @param encodedFilter in BER
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
     * Whether an alias may lead it away from its base and scope (RFC 4511, section 4.5.1.3): then
     * it may show an entry anywhere.
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
   * RFC 4511, section 4.2. The credentials are only pointed at.
   *
   * @param authTag the tag octet of the authentication choice, 0 to 255
   * @param credentialsOffset where the credentials begin, in octets from the body's readerIndex
   * @param credentialsLength 0 if they are empty, -1 if a SASL bind has none
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
   * @param attributes the descriptions of what is changed, in the order of the changes
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
   * @param id the messageID to abandon, as the client knows it
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
   * RFC 4511, section 4.12. The value is only pointed at: it may hold passwords.
   *
   * @param valueOffset where the value begins, in octets from the body's readerIndex; -1 if absent
   * @param valueLength -1 if absent
   */
  record ExtendedOp(String oid, int valueOffset, int valueLength) implements RequestOp {
    @Override
    public OpType type() {
      return OpType.EXTENDED_REQUEST;
    }
  }
}
