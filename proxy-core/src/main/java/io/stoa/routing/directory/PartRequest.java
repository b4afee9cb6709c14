// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.routing.directory.SuffixTable.Part;
import java.util.List;
import java.util.Set;

/**
 * Builds the request for one directory's part of a search.
 *
 * <p>Threading: stateless.
 */
final class PartRequest {
  /** Controls that a server can apply only to its own part of the result. */
  private static final Set<String> SINGLE_SERVER_CONTROLS =
      Set.of(
          Oids.PAGED,
          Oids.SORT_REQUEST,
          Oids.VLV_REQUEST,
          Oids.DIRSYNC,
          Oids.PERSISTENT_SEARCH,
          Oids.SYNC_REQUEST,
          Oids.AD_NOTIFICATION,
          Oids.TXN_SPEC);

  private PartRequest() {}

  /** True if a critical control demands what several directories cannot do together. */
  static boolean isImpossible(Request request) {
    return request.controls().stream()
        .anyMatch(control -> control.critical() && SINGLE_SERVER_CONTROLS.contains(control.oid()));
  }

  /**
   * Returns the request for one part. The filter and the attribute list stay unchanged.
   *
   * @param sizeLimit remaining entries; 0 for no limit
   * @param timeLimit remaining seconds; 0 for no limit
   */
  static LdapMessage of(
      LdapMessage message, Request request, Part part, int sizeLimit, int timeLimit)
      throws LdapProtocolException {
    BerReader reader = new BerReader(message.copyOp(), ProtocolError.MALFORMED_REQUEST);
    reader.enter(OpType.SEARCH_REQUEST.tag());
    reader.skip(BerReader.OCTET_STRING);
    reader.skip(BerReader.ENUMERATED);
    int aliases = reader.integer(BerReader.ENUMERATED);
    reader.skip(BerReader.INTEGER);
    reader.skip(BerReader.INTEGER);
    int rest = reader.index();
    while (reader.hasMore()) {
      reader.skipElement();
    }
    BerWriter op = new BerWriter();
    int search = op.begin(OpType.SEARCH_REQUEST.tag());
    op.octets(BerReader.OCTET_STRING, part.base()).integer(BerReader.ENUMERATED, part.scope());
    op.integer(BerReader.ENUMERATED, aliases);
    op.integer(BerReader.INTEGER, sizeLimit).integer(BerReader.INTEGER, timeLimit);
    byte[] octets = op.raw(reader.copySince(rest)).end(search).toByteArray();
    return LdapMessage.of(message.messageId(), octets, passedOn(request));
  }

  private static List<Control> passedOn(Request request) {
    return request.controls().stream()
        .filter(one -> !SINGLE_SERVER_CONTROLS.contains(one.oid()))
        .toList();
  }
}
