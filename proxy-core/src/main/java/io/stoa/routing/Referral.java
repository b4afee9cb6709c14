// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.upstream.server.ServerAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One LDAP URL of a referral to a write (RFC 4511, section 4.1.10). Immutable, as long as nobody
 * modifies the array.
 *
 * @param server the server that it names
 * @param dn the entry that it names; null if it is that of the request
 */
record Referral(ServerAddress server, byte @Nullable [] dn) {

  /** Null if it is no LDAP URL, or says more than which server and which entry. */
  static @Nullable Referral parse(String url) {
    try {
      URI uri = new URI(url);
      String server = uri.getScheme() + "://" + uri.getRawAuthority();
      String path = uri.getPath() == null || uri.getPath().isEmpty() ? "/" : uri.getPath();
      boolean plain = uri.getRawQuery() == null || uri.getRawQuery().replace("?", "").isEmpty();
      byte[] dn = path.substring(1).getBytes(StandardCharsets.UTF_8);
      return plain ? new Referral(ServerAddress.parse(server), dn.length == 0 ? null : dn) : null;
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether it leads to a server; whatever the case of its name. */
  boolean leadsTo(ServerAddress address) {
    return server.scheme() == address.scheme()
        && server.port() == address.port()
        && server.host().equalsIgnoreCase(address.host());
  }

  /**
   * The protocolOp of an update for the entry that the referral names.
   *
   * @param op that of the request
   */
  byte[] apply(byte[] op) throws LdapProtocolException {
    if (dn == null) {
      return op;
    }
    int tag = op[0] & 0xff;
    boolean primitive = (tag & 0x20) == 0; // a DelRequest is nothing but the name
    BerWriter writer = new BerWriter(op.length + dn.length);
    if (primitive) {
      return writer.octets(tag, dn).toByteArray();
    }
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_REQUEST);
    reader.enter(tag);
    reader.skip(BerReader.OCTET_STRING);
    int start = reader.index();
    while (reader.hasMore()) {
      reader.skipElement();
    }
    int content = writer.begin(tag);
    writer.octets(BerReader.OCTET_STRING, dn).raw(reader.copySince(start)).end(content);
    return writer.toByteArray();
  }
}
