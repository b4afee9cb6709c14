// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import java.nio.charset.StandardCharsets;

/**
 * Converts a referral of one part of a search into a SearchResultReference, since the other parts
 * go on (RFC 4511, section 4.5.3).
 *
 * <p>Threading: stateless.
 */
final class ContinuationReference {
  private ContinuationReference() {}

  /** Returns the protocolOp with the URLs of a referral. */
  static byte[] of(byte[] referral) {
    BerWriter writer = new BerWriter();
    int reference = writer.begin(OpType.SEARCH_RESULT_REFERENCE.tag());
    for (String url : LdapResult.referrals(referral)) {
      writer.octets(BerReader.OCTET_STRING, url.getBytes(StandardCharsets.UTF_8));
    }
    return writer.end(reference).toByteArray();
  }
}
