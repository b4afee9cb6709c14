// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static io.stoa.ldap.protocol.FilterTag.AND;
import static io.stoa.ldap.protocol.FilterTag.EXTENSIBLE;
import static io.stoa.ldap.protocol.FilterTag.MATCH_VALUE;
import static io.stoa.ldap.protocol.FilterTag.NOT;
import static io.stoa.ldap.protocol.FilterTag.OR;
import static io.stoa.ldap.protocol.FilterTag.PRESENT;
import static io.stoa.ldap.protocol.FilterTag.SUBSTRINGS;

import java.util.Arrays;

/**
 * Builds a request from its shape and its values: the inverse of {@link RequestScanner}.
 *
 * <p>Threading: confined to one thread; used for one request.
 */
final class RequestComposer {
  private final byte[] shape;
  private final byte[][] values;
  private final BerWriter request = new BerWriter();
  private int at;
  private int used;

  RequestComposer(byte[] shape, byte[][] values) {
    this.shape = shape;
    this.values = values;
  }

  byte[] compose() {
    int tag = octet();
    int op = request.begin(tag);
    if (tag == OpType.SEARCH_REQUEST.tag()) {
      search();
    } else {
      request.octets(BerReader.OCTET_STRING, name());
      int assertion = request.begin(BerReader.SEQUENCE);
      request.octets(BerReader.OCTET_STRING, string());
      request.octets(BerReader.OCTET_STRING, value()).end(assertion);
    }
    request.end(op).raw(string());
    if (used != values.length) {
      throw new IllegalArgumentException("the shape has " + used + " values");
    }
    return request.toByteArray();
  }

  private void search() {
    byte[] scope = string();
    byte[] deref = string();
    byte[] sizeLimit = string();
    byte[] timeLimit = string();
    byte[] typesOnly = string();
    request.octets(BerReader.OCTET_STRING, name());
    request.octets(BerReader.ENUMERATED, scope).octets(BerReader.ENUMERATED, deref);
    request.octets(BerReader.INTEGER, sizeLimit).octets(BerReader.INTEGER, timeLimit);
    request.octets(BerReader.BOOLEAN, typesOnly);
    filter(octet());
    request.octets(BerReader.SEQUENCE, string());
  }

  private byte[] name() {
    if (octet() == RequestShape.DN) {
      return string();
    }
    byte[] type = string();
    byte[] parent = string();
    byte[] value = value();
    byte[] dn = Arrays.copyOf(type, type.length + value.length + parent.length + 2);
    dn[type.length] = '=';
    System.arraycopy(value, 0, dn, type.length + 1, value.length);
    dn[type.length + 1 + value.length] = ',';
    System.arraycopy(parent, 0, dn, dn.length - parent.length, parent.length);
    return dn;
  }

  private void filter(int tag) {
    if (tag == PRESENT) {
      request.octets(PRESENT, string());
      return;
    }
    int node = request.begin(tag);
    switch (tag) {
      case AND, OR -> {
        for (int member = octet(); member != RequestShape.END; member = octet()) {
          filter(member);
        }
      }
      case NOT -> filter(octet());
      case SUBSTRINGS -> substrings();
      case EXTENSIBLE -> extensible();
      default -> {
        request.octets(BerReader.OCTET_STRING, string());
        byte[] value = octet() == RequestShape.FIXED ? string() : value();
        request.octets(BerReader.OCTET_STRING, value);
      }
    }
    request.end(node);
  }

  private void substrings() {
    request.octets(BerReader.OCTET_STRING, string());
    int parts = request.begin(BerReader.SEQUENCE);
    for (int part = octet(); part != RequestShape.END; part = octet()) {
      request.octets(part, octet() == RequestShape.PART ? value() : new byte[0]);
    }
    request.end(parts);
  }

  private void extensible() {
    for (int part = octet(); part != RequestShape.END; part = octet()) {
      request.octets(part, part == MATCH_VALUE ? value() : string());
    }
  }

  private byte[] value() {
    if (used == values.length) {
      throw new IllegalArgumentException("the shape has more than " + used + " values");
    }
    return values[used++];
  }

  private byte[] string() {
    int from = Base128.indexAfter(shape, at);
    at = from + Base128.read(shape, at);
    return Arrays.copyOfRange(shape, from, at);
  }

  private int octet() {
    return shape[at++] & 0xFF;
  }
}
