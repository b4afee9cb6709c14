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
 * One LDAP URL in a referral that answers a write (RFC 4511, section 4.1.10).
 *
 * <p>Threading: immutable; callers do not modify the array.
 *
 * @param server server in the URL
 * @param dn entry in the URL; null if it is the entry of the request
 */
record Referral(ServerAddress server, byte @Nullable [] dn) {

  /**
   * Returns the referral in a URL. Null if the URL is not an LDAP URL, or has more than a server
   * and a DN.
   */
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

  /** True if the referral names this server. Host names are compared without case. */
  boolean leadsTo(ServerAddress address) {
    return server.scheme() == address.scheme()
        && server.port() == address.port()
        && server.host().equalsIgnoreCase(address.host());
  }

  /**
   * Returns the protocolOp of an update with the entry of the referral.
   *
   * @param op protocolOp of the request
   */
  byte[] apply(byte[] op) throws LdapProtocolException {
    if (dn == null) {
      return op;
    }
    int tag = op[0] & 0xff;
    boolean primitive = (tag & 0x20) == 0; // a DelRequest consists of the name alone
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
