// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.asn1.ASN1Buffer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import com.unboundid.ldif.LDIFReader;
import java.util.List;

/** Requests as octets, built by the SDK's encoder: an oracle that is not the code under test. */
public final class Requests {
  private Requests() {}

  public static RawRequest of(ProtocolOp op) {
    ASN1Buffer buffer = new ASN1Buffer();
    op.writeTo(buffer);
    return new RawRequest(buffer.toByteArray());
  }

  public static SearchBuilder search(String base) {
    return SearchBuilder.under(base);
  }

  public static RawRequest bind(String dn, String password) {
    return of(new BindRequestProtocolOp(dn, password));
  }

  public static RawRequest anonymousBind() {
    return bind("", "");
  }

  public static RawRequest saslBind(String mechanism) {
    return of(new BindRequestProtocolOp("", mechanism, new ASN1OctetString("")));
  }

  public static RawRequest saslBind(String mechanism, String credentials) {
    return of(new BindRequestProtocolOp("", mechanism, new ASN1OctetString(credentials)));
  }

  /** One that has no initial response, which an empty one is not. */
  public static RawRequest saslBindWithoutCredentials(String mechanism) {
    return of(new BindRequestProtocolOp("", mechanism, null));
  }

  public static RawRequest whoAmI() {
    return extended("1.3.6.1.4.1.4203.1.11.3");
  }

  public static RawRequest unbind() {
    return of(new UnbindRequestProtocolOp());
  }

  public static RawRequest abandon(int messageId) {
    return of(new AbandonRequestProtocolOp(messageId));
  }

  public static RawRequest compare(String dn, String attribute, String value) {
    return of(new CompareRequestProtocolOp(dn, attribute, new ASN1OctetString(value)));
  }

  /** The lines are LDIF: {@code attribute: value}; the DN may be one that no server takes. */
  public static RawRequest add(String dn, String... lines) {
    try {
      String ldif = "dn: cn=unused\n" + String.join("\n", lines);
      List<Attribute> attributes =
          List.copyOf(LDIFReader.decodeEntry(ldif.split("\n", -1)).getAttributes());
      return of(new AddRequestProtocolOp(dn, attributes));
    } catch (LDIFException e) {
      throw new AssertionError("the test's entry cannot be read", e);
    }
  }

  public static RawRequest delete(String dn) {
    return of(new DeleteRequestProtocolOp(dn));
  }

  public static RawRequest modify(String dn, Modification... modifications) {
    return of(new ModifyRequestProtocolOp(dn, List.of(modifications)));
  }

  public static RawRequest replace(String dn, String attribute, String... values) {
    return modify(dn, new Modification(ModificationType.REPLACE, attribute, values));
  }

  public static RawRequest rename(String dn, String newRdn, boolean deleteOldRdn) {
    return of(new ModifyDNRequestProtocolOp(dn, newRdn, deleteOldRdn, null));
  }

  public static RawRequest move(String dn, String newRdn, String newSuperior) {
    return of(new ModifyDNRequestProtocolOp(dn, newRdn, true, newSuperior));
  }

  public static RawRequest extended(String oid) {
    return of(new ExtendedRequestProtocolOp(oid, null));
  }

  public static RawRequest extended(String oid, byte[] value) {
    return of(new ExtendedRequestProtocolOp(oid, new ASN1OctetString(value)));
  }
}
