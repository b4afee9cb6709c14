// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Tlv;
import io.stoa.testing.TlvCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Request controls for which the SDK has no class, or only one that throws. */
public final class Controls {
  public static final String DONT_USE_COPY = "1.3.6.1.1.22";
  public static final String DEREF = "1.3.6.1.4.1.4203.666.5.16";
  public static final String NO_OP = "1.3.6.1.4.1.4203.666.5.2";
  public static final String RELAX = "1.3.6.1.4.1.4203.666.5.12";
  public static final String SYNC = "1.3.6.1.4.1.4203.1.9.1.1";
  public static final Control PASSWORD_POLICY = new Control("1.3.6.1.4.1.42.2.27.8.5.1");

  private static final String SYNC_DONE = "1.3.6.1.4.1.4203.1.9.1.3";
  private static final String DIRSYNC = "1.2.840.113556.1.4.841";
  private static final String SESSION_TRACKING = "1.3.6.1.4.1.21008.108.63.1";
  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int ENUMERATED = 0x0a;

  private Controls() {}

  public static Control assertion(String filter) {
    try {
      return new AssertionRequestControl(filter);
    } catch (LDAPException e) {
      throw new AssertionError("the test's filter cannot be read", e);
    }
  }

  /** Session tracking, the RADIUS user name format. */
  public static Control sessionTracking(String address) {
    byte[] value =
        Tlv.of(
            SEQUENCE,
            text(address),
            text("client.example.org"),
            text(SESSION_TRACKING + ".3"),
            text("somebody"));
    return new Control(SESSION_TRACKING, false, new ASN1OctetString(value));
  }

  /** The value of a deref control: one attribute with DNs, and what is wanted of their entries. */
  public static ASN1OctetString derefValue(String attribute, String... wanted) {
    byte[][] names = Arrays.stream(wanted).map(Controls::text).toArray(byte[][]::new);
    byte[] spec = Tlv.of(SEQUENCE, text(attribute), Tlv.of(SEQUENCE, names));
    return new ASN1OctetString(Tlv.of(SEQUENCE, spec));
  }

  /** A sync request of mode refreshAndPersist, RFC 4533. */
  public static Control refreshAndPersist() {
    byte[] value = Tlv.of(SEQUENCE, Tlv.integer(ENUMERATED, 3));
    return new Control(SYNC, true, new ASN1OctetString(value));
  }

  /** The cookie of a page; null if there is none. */
  public static ASN1OctetString cookie(RawMessage done) {
    Control control = control(done, SimplePagedResultsControl.PAGED_RESULTS_OID);
    try {
      return control == null
          ? null
          : new SimplePagedResultsControl(
                  control.getOID(), control.isCritical(), control.getValue())
              .getCookie();
    } catch (LDAPException e) {
      throw new AssertionError("a paged results control that cannot be read", e);
    }
  }

  /** The cookie of a sync that has ended; none if there is none. */
  public static byte[] syncCookie(List<RawMessage> answer) {
    return firstOctets(answer, SYNC_DONE);
  }

  /** The cookie of a DirSync search; none if there is none. */
  public static byte[] dirSyncCookie(List<RawMessage> answer) {
    return firstOctets(answer, DIRSYNC);
  }

  /** The first octet string in the value of a control of the last message. */
  private static byte[] firstOctets(List<RawMessage> answer, String oid) {
    Control control = control(RawLdapClient.last(answer), oid);
    if (control == null || control.getValue() == null) {
      return new byte[0];
    }
    byte[] value = control.getValue().getValue();
    TlvCursor part = new TlvCursor(value, 0).enter();
    while (!part.atEnd() && part.tag() != OCTET_STRING) {
      part.skip();
    }
    return part.atEnd() ? new byte[0] : part.content();
  }

  private static Control control(RawMessage message, String oid) {
    return message.decoded().getControls().stream()
        .filter(control -> control.getOID().equals(oid))
        .findFirst()
        .orElse(null);
  }

  /** A sync request of mode refreshOnly, RFC 4533. */
  public static Control refreshOnly(byte... cookie) {
    byte[] mode = Tlv.integer(ENUMERATED, 1);
    byte[] value =
        cookie.length == 0
            ? Tlv.of(SEQUENCE, mode)
            : Tlv.of(SEQUENCE, mode, Tlv.of(OCTET_STRING, cookie));
    return new Control(SYNC, true, new ASN1OctetString(value));
  }

  private static byte[] text(String text) {
    return Tlv.of(OCTET_STRING, text.getBytes(StandardCharsets.UTF_8));
  }
}
