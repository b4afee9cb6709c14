// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Adds the session tracking control (draft-wahl-ldap-session-03): the client's address, Stoa's name
 * and the client's identity. The directory may ignore it; its log can then name the client.
 *
 * <p>Threading: thread-safe; no state.
 */
public final class SessionTracking {
  private static final byte[] SOURCE_NAME = {'s', 't', 'o', 'a'};

  /** Format OID: the identifier is a user name. */
  private static final byte[] USERNAME_FORMAT =
      (Oids.SESSION_TRACKING + ".3").getBytes(StandardCharsets.US_ASCII);

  private SessionTracking() {}

  /**
   * Adds the control behind those of a client's request, unless it has one already.
   *
   * @param body the request as it would be sent
   * @return the body, to be released by the caller; valid only while {@code body} is
   */
  public static ByteBuf putOn(Operation operation, ByteBuf body) {
    InetAddress client = operation.session().address();
    if (client == null || tracksItself(operation)) {
      return body.retain();
    }
    byte[] value = value(operation.session(), client.getHostAddress());
    Control control = new Control(Oids.SESSION_TRACKING, false, value);
    return Envelope.bodyWith(body, operation.message().opLength(), control);
  }

  private static boolean tracksItself(Operation operation) {
    List<Control> controls = operation.request().controls();
    return controls.stream().anyMatch(control -> control.oid().equals(Oids.SESSION_TRACKING));
  }

  /**
   * Returns SEQUENCE { sessionSourceIp, sessionSourceName, formatOID, sessionTrackingIdentifier }.
   */
  private static byte[] value(ClientSession session, String address) {
    Octets authzId = session.identity().authzId();
    BerWriter writer = new BerWriter();
    int sequence = writer.begin(BerReader.SEQUENCE);
    writer.octets(BerReader.OCTET_STRING, address.getBytes(StandardCharsets.US_ASCII));
    writer.octets(BerReader.OCTET_STRING, SOURCE_NAME);
    writer.octets(BerReader.OCTET_STRING, USERNAME_FORMAT);
    writer.octets(BerReader.OCTET_STRING, authzId == null ? new byte[0] : authzId.array());
    return writer.end(sequence).toByteArray();
  }
}
