// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.List;

/** Requests as octets, whatever they hold: also what no other encoder would write. */
public final class WireSearch {
  private WireSearch() {}

  public static RawRequest of(SearchOp op) {
    return new RawRequest(
        Tlv.of(
            0x63,
            string(op.base()),
            Tlv.integer(0x0a, op.scope()),
            Tlv.integer(0x0a, op.derefAliases()),
            Tlv.integer(0x02, op.sizeLimit()),
            Tlv.integer(0x02, op.timeLimit()),
            Tlv.of(0x01, new byte[] {(byte) (op.typesOnly() ? 0xff : 0)}),
            filter(op.filter()),
            Tlv.of(0x30, strings(op.attributes()))));
  }

  static RawRequest of(CompareOp op) {
    byte[] assertion = Tlv.of(0x30, string(op.attribute()), string(op.value()));
    return new RawRequest(Tlv.of(0x6e, string(op.entry()), assertion));
  }

  private static byte[] filter(FilterNode filter) {
    if (filter instanceof FilterNode.And node) {
      return Tlv.of(0xa0, members(node.members()));
    } else if (filter instanceof FilterNode.Or node) {
      return Tlv.of(0xa1, members(node.members()));
    } else if (filter instanceof FilterNode.Not node) {
      return Tlv.of(0xa2, filter(node.member()));
    } else if (filter instanceof FilterNode.Equality node) {
      return Tlv.of(0xa3, string(node.attribute()), string(node.value()));
    } else if (filter instanceof FilterNode.Substrings node) {
      return Tlv.of(0xa4, string(node.attribute()), Tlv.of(0x30, parts(node)));
    } else if (filter instanceof FilterNode.GreaterOrEqual node) {
      return Tlv.of(0xa5, string(node.attribute()), string(node.value()));
    } else if (filter instanceof FilterNode.LessOrEqual node) {
      return Tlv.of(0xa6, string(node.attribute()), string(node.value()));
    } else if (filter instanceof FilterNode.Present node) {
      return Tlv.of(0x87, node.attribute());
    } else if (filter instanceof FilterNode.Approximate node) {
      return Tlv.of(0xa8, string(node.attribute()), string(node.value()));
    }
    return extensible((FilterNode.Extensible) filter);
  }

  private static byte[] extensible(FilterNode.Extensible node) {
    List<byte[]> parts = new ArrayList<>();
    if (node.rule() != null) {
      parts.add(Tlv.of(0x81, node.rule()));
    }
    if (node.attribute() != null) {
      parts.add(Tlv.of(0x82, node.attribute()));
    }
    parts.add(Tlv.of(0x83, node.value()));
    if (node.dnAttributes()) {
      parts.add(Tlv.of(0x84, new byte[] {(byte) 0xff}));
    }
    return Tlv.of(0xa9, parts.toArray(byte[][]::new));
  }

  private static byte[][] members(List<FilterNode> members) {
    return members.stream().map(WireSearch::filter).toArray(byte[][]::new);
  }

  private static byte[][] parts(FilterNode.Substrings node) {
    List<byte[]> parts = new ArrayList<>();
    if (node.initial() != null) {
      parts.add(Tlv.of(0x80, node.initial()));
    }
    node.any().forEach(any -> parts.add(Tlv.of(0x81, any)));
    if (node.last() != null) {
      parts.add(Tlv.of(0x82, node.last()));
    }
    return parts.toArray(byte[][]::new);
  }

  private static byte[][] strings(List<byte[]> values) {
    return values.stream().map(WireSearch::string).toArray(byte[][]::new);
  }

  private static byte[] string(byte[] octets) {
    return Tlv.of(0x04, octets);
  }
}
