// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.operation.MalformedRequestException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One change of a Modify request (RFC 4511, section 4.6).
 *
 * <p>Threading: immutable.
 *
 * @param operation 0 adds, 1 deletes, 2 replaces
 */
public record Modification(int operation, String attribute, List<String> values) {
  public static final int ADD = 0;
  public static final int DELETE = 1;
  public static final int REPLACE = 2;

  /**
   * Decodes all changes of a request.
   *
   * @param op the protocolOp
   */
  public static List<Modification> of(byte[] op) {
    try {
      BerReader reader = new BerReader(op, ProtocolError.MALFORMED_REQUEST);
      int outer = reader.enter(OpType.MODIFY_REQUEST.tag());
      reader.skip(BerReader.OCTET_STRING);
      List<Modification> all = new ArrayList<>();
      int changes = reader.enter(BerReader.SEQUENCE);
      while (reader.hasMore()) {
        all.add(one(reader));
      }
      reader.finish(changes);
      reader.leave(outer);
      return all;
    } catch (LdapProtocolException e) {
      throw new MalformedRequestException(e.reason());
    }
  }

  private static Modification one(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(BerReader.SEQUENCE);
    int operation = reader.integer(BerReader.ENUMERATED);
    int partial = reader.enter(BerReader.SEQUENCE);
    String attribute = text(reader);
    List<String> values = new ArrayList<>();
    int set = reader.enter(BerReader.SET);
    while (reader.hasMore()) {
      values.add(text(reader));
    }
    reader.finish(set);
    reader.leave(partial);
    reader.leave(outer);
    return new Modification(operation, attribute, values);
  }

  private static String text(BerReader reader) throws LdapProtocolException {
    return new String(reader.octets(BerReader.OCTET_STRING), StandardCharsets.UTF_8);
  }
}
