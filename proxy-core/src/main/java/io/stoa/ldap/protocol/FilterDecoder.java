// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static io.stoa.ldap.protocol.FilterTag.AND;
import static io.stoa.ldap.protocol.FilterTag.ANY;
import static io.stoa.ldap.protocol.FilterTag.APPROXIMATE;
import static io.stoa.ldap.protocol.FilterTag.DN_ATTRIBUTES;
import static io.stoa.ldap.protocol.FilterTag.EQUALITY;
import static io.stoa.ldap.protocol.FilterTag.EXTENSIBLE;
import static io.stoa.ldap.protocol.FilterTag.FINAL;
import static io.stoa.ldap.protocol.FilterTag.GREATER_OR_EQUAL;
import static io.stoa.ldap.protocol.FilterTag.INITIAL;
import static io.stoa.ldap.protocol.FilterTag.LESS_OR_EQUAL;
import static io.stoa.ldap.protocol.FilterTag.MATCH_VALUE;
import static io.stoa.ldap.protocol.FilterTag.NOT;
import static io.stoa.ldap.protocol.FilterTag.OR;
import static io.stoa.ldap.protocol.FilterTag.PRESENT;
import static io.stoa.ldap.protocol.FilterTag.RULE;
import static io.stoa.ldap.protocol.FilterTag.SUBSTRINGS;
import static io.stoa.ldap.protocol.FilterTag.TYPE;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one filter. The decoder is recursive, and bounded by {@link DecodeLimits#filterDepth()}.
 *
 * <p>Threading: confined to one thread; used for one filter.
 */
final class FilterDecoder {
  private static final int CLASS_BITS = 0xC0;
  private static final int CONTEXT_CLASS = 0x80;

  private final BerReader reader;
  private final int maxDepth;
  private int nodesLeft;
  private boolean irregular;

  FilterDecoder(BerReader reader, DecodeLimits limits) {
    this.reader = reader;
    maxDepth = limits.filterDepth();
    nodesLeft = limits.filterNodes();
  }

  /**
   * True if servers read a filter in the value of this control as Stoa does, or at least answer.
   * slapd ends the connection if it cannot read the filter of an assertion (RFC 4528) or of matched
   * values (RFC 3876). Other controls are regular.
   */
  static boolean isRegular(Control control, DecodeLimits limits) {
    byte[] value = control.value();
    if (value == null || value.length == 0) {
      return true;
    }
    try {
      return switch (control.oid()) {
        case Oids.ASSERTION -> isFilter(value, limits);
        case Oids.MATCHED_VALUES -> isFilterList(value, limits);
        default -> true;
      };
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  /** True if servers may read this filter in another way; see {@link Request#irregular()}. */
  boolean isIrregular() {
    return irregular;
  }

  FilterNode decode() throws LdapProtocolException {
    return filter(0);
  }

  private static boolean isFilter(byte[] value, DecodeLimits limits) throws LdapProtocolException {
    BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
    FilterDecoder filters = new FilterDecoder(reader, limits);
    filters.decode();
    reader.expectEnd();
    return !reader.sawUnknownElements() && !filters.isIrregular();
  }

  private static boolean isFilterList(byte[] value, DecodeLimits limits)
      throws LdapProtocolException {
    BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
    FilterDecoder filters = new FilterDecoder(reader, limits);
    int outer = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      filters.decode();
    }
    reader.finish(outer);
    reader.expectEnd();
    return !reader.sawUnknownElements() && !filters.isIrregular();
  }

  private FilterNode filter(int depth) throws LdapProtocolException {
    if (depth > maxDepth) {
      throw LdapProtocolException.of(ProtocolError.FILTER_TOO_DEEP);
    }
    countNode();
    return choice(reader.peekTag(), depth);
  }

  private FilterNode choice(int tag, int depth) throws LdapProtocolException {
    return switch (tag) {
      case AND -> new FilterNode.And(members(AND, depth));
      case OR -> new FilterNode.Or(members(OR, depth));
      case NOT -> not(depth);
      case SUBSTRINGS -> substrings();
      case PRESENT -> new FilterNode.Present(reader.octets(PRESENT));
      case EXTENSIBLE -> extensible();
      case EQUALITY, GREATER_OR_EQUAL, LESS_OR_EQUAL, APPROXIMATE -> assertion(tag);
      default -> unknown(tag);
    };
  }

  private List<FilterNode> members(int tag, int depth) throws LdapProtocolException {
    int outer = reader.enter(tag);
    List<FilterNode> members = new ArrayList<>(4);
    while (reader.hasMore()) {
      members.add(filter(depth + 1));
    }
    reader.finish(outer);
    return members;
  }

  /** Reads an explicitly tagged NOT, which contains exactly one filter. */
  private FilterNode not(int depth) throws LdapProtocolException {
    int outer = reader.enter(NOT);
    FilterNode member = filter(depth + 1);
    reader.finish(outer);
    return new FilterNode.Not(member);
  }

  private FilterNode assertion(int tag) throws LdapProtocolException {
    int outer = reader.enter(tag);
    byte[] attribute = reader.octets(BerReader.OCTET_STRING);
    byte[] value = reader.octets(BerReader.OCTET_STRING);
    reader.leave(outer);
    return switch (tag) {
      case EQUALITY -> new FilterNode.Equality(attribute, value);
      case GREATER_OR_EQUAL -> new FilterNode.GreaterOrEqual(attribute, value);
      case LESS_OR_EQUAL -> new FilterNode.LessOrEqual(attribute, value);
      default -> new FilterNode.Approximate(attribute, value);
    };
  }

  private FilterNode substrings() throws LdapProtocolException {
    int start = reader.index();
    int outer = reader.enter(SUBSTRINGS);
    byte[] attribute = reader.octets(BerReader.OCTET_STRING);
    SubstringParts parts = substringParts();
    reader.leave(outer);
    irregular |= !parts.isRegular();
    return parts.isWellFormed()
        ? parts.of(attribute)
        : new FilterNode.Unknown(reader.copySince(start));
  }

  private SubstringParts substringParts() throws LdapProtocolException {
    SubstringParts parts = new SubstringParts();
    int outer = reader.enter(BerReader.SEQUENCE);
    while (reader.hasMore()) {
      countNode();
      parts.read(reader);
    }
    reader.finish(outer);
    return parts;
  }

  private FilterNode extensible() throws LdapProtocolException {
    int outer = reader.enter(EXTENSIBLE);
    byte[] rule = optional(RULE);
    byte[] attribute = optional(TYPE);
    byte[] value = reader.octets(MATCH_VALUE);
    boolean dnAttributes = reader.peekTag() == DN_ATTRIBUTES && reader.bool(DN_ATTRIBUTES);
    reader.leave(outer);
    return new FilterNode.Extensible(rule, attribute, value, dnAttributes);
  }

  private byte @Nullable [] optional(int tag) throws LdapProtocolException {
    return reader.peekTag() == tag ? reader.octets(tag) : null;
  }

  /** Reads an unknown choice. slapd evaluates it to Undefined; 389-ds rejects the search. */
  private FilterNode unknown(int tag) throws LdapProtocolException {
    if ((tag & CLASS_BITS) != CONTEXT_CLASS) {
      throw LdapProtocolException.of(ProtocolError.MALFORMED_REQUEST);
    }
    irregular = true;
    return new FilterNode.Unknown(reader.element());
  }

  private void countNode() throws LdapProtocolException {
    if (--nodesLeft < 0) {
      throw LdapProtocolException.of(ProtocolError.TOO_MANY_ELEMENTS);
    }
  }

  /** The parts of one substring filter, while they are read. */
  private static final class SubstringParts {
    private byte @Nullable [] initial;
    private final List<byte[]> any = new ArrayList<>(2);
    private byte @Nullable [] last;

    private int previousTag;
    private boolean ordered = true;
    private boolean sawEmpty;
    private boolean emptyBeforeAnother;

    void read(BerReader reader) throws LdapProtocolException {
      int tag = reader.peekTag();
      ordered &= mayFollow(tag);
      previousTag = tag;
      emptyBeforeAnother |= sawEmpty;
      if (ordered) {
        add(tag, reader.octets(tag));
      } else {
        reader.skipElement();
      }
    }

    /**
     * True if there is at least one part and the order is initial, any, final. Initial and final
     * may occur once.
     */
    boolean isWellFormed() {
      return ordered && previousTag != 0;
    }

    /**
     * True if every server reads the parts as Stoa does. slapd stops at an empty part in the middle
     * of the filter, and takes the rest for the next filter or the attribute list.
     */
    boolean isRegular() {
      return isWellFormed() && !emptyBeforeAnother;
    }

    FilterNode.Substrings of(byte[] attribute) {
      return new FilterNode.Substrings(attribute, initial, any, last);
    }

    private boolean mayFollow(int tag) {
      boolean validTag = tag >= INITIAL && tag <= FINAL;
      return validTag && (tag > previousTag || (tag == ANY && previousTag == ANY));
    }

    private void add(int tag, byte[] content) {
      sawEmpty |= content.length == 0;
      switch (tag) {
        case INITIAL -> initial = content;
        case ANY -> any.add(content);
        default -> last = content;
      }
    }
  }
}
