// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A base search of Stoa's own, for what it must know of a directory. Stateless. */
public final class InternalSearch {
  private static final int PRESENT = 0x87;
  private static final int BASE_OBJECT = 0;
  private static final int NEVER_DEREF = 0;

  private InternalSearch() {}

  /**
   * Makes the operation that reads one entry.
   *
   * @param dn the entry's DN
   * @param attributes what is asked for
   * @param outcome hears the entry, or null if it could not be read
   */
  public static Operation read(
      InternalSession session,
      RequestDecoder decoder,
      byte[] dn,
      List<String> attributes,
      Consumer<byte @Nullable []> outcome) {
    return new Operation(
        session,
        message(dn, attributes),
        decoder,
        System.nanoTime(),
        read -> new EntrySink(read, outcome));
  }

  /**
   * Makes the operation that reads one entry as the client of another operation, which needs it.
   *
   * @param outcome hears the entry, or null if it could not be read
   */
  public static Operation read(
      Operation client, byte[] dn, List<String> attributes, Consumer<byte @Nullable []> outcome) {
    return client.derived(message(dn, attributes), read -> new EntrySink(read, outcome));
  }

  private static LdapMessage message(byte[] dn, List<String> attributes) {
    try {
      return LdapMessage.parse(Unpooled.wrappedBuffer(encode(dn, attributes)));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }

  private static byte[] encode(byte[] dn, List<String> attributes) {
    BerWriter request = new BerWriter();
    int message = request.begin(BerReader.SEQUENCE);
    request.integer(BerReader.INTEGER, 1);
    int search = request.begin(OpType.SEARCH_REQUEST.tag());
    request.octets(BerReader.OCTET_STRING, dn);
    request.integer(BerReader.ENUMERATED, BASE_OBJECT);
    request.integer(BerReader.ENUMERATED, NEVER_DEREF);
    request.integer(BerReader.INTEGER, 0).integer(BerReader.INTEGER, 0);
    request.bool(BerReader.BOOLEAN, false).octets(PRESENT, octets("objectClass"));
    int list = request.begin(BerReader.SEQUENCE);
    attributes.forEach(name -> request.octets(BerReader.OCTET_STRING, octets(name)));
    return request.end(list).end(search).end(message).toByteArray();
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
