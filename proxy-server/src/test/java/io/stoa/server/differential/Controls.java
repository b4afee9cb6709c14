// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Request controls for which the SDK has no class, or only one that throws. */
final class Controls {
  static final String DONT_USE_COPY = "1.3.6.1.1.22";
  static final String DEREF = "1.3.6.1.4.1.4203.666.5.16";
  static final String NO_OP = "1.3.6.1.4.1.4203.666.5.2";
  static final String RELAX = "1.3.6.1.4.1.4203.666.5.12";
  static final String SYNC = "1.3.6.1.4.1.4203.1.9.1.1";
  static final Control PASSWORD_POLICY = new Control("1.3.6.1.4.1.42.2.27.8.5.1");

  private static final String SESSION_TRACKING = "1.3.6.1.4.1.21008.108.63.1";
  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int ENUMERATED = 0x0a;

  private Controls() {}

  static Control assertion(String filter) {
    try {
      return new AssertionRequestControl(filter);
    } catch (LDAPException e) {
      throw new AssertionError("the test's filter cannot be read", e);
    }
  }

  /** Session tracking, the RADIUS user name format. */
  static Control sessionTracking(String address) {
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
  static ASN1OctetString derefValue(String attribute, String... wanted) {
    byte[][] names = Arrays.stream(wanted).map(Controls::text).toArray(byte[][]::new);
    byte[] spec = Tlv.of(SEQUENCE, text(attribute), Tlv.of(SEQUENCE, names));
    return new ASN1OctetString(Tlv.of(SEQUENCE, spec));
  }

  /** A sync request of mode refreshOnly, RFC 4533. */
  static Control refreshOnly(byte... cookie) {
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
