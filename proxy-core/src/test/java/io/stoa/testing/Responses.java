// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.asn1.ASN1Buffer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AddResponseProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.CompareResponseProtocolOp;
import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNResponseProtocolOp;
import com.unboundid.ldap.protocol.ModifyResponseProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.protocol.SearchResultReferenceProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.util.List;

/** Responses as octets, built by the SDK's encoder. */
public final class Responses {
  private static final String NOTICE_OF_DISCONNECTION = "1.3.6.1.4.1.1466.20036";

  private Responses() {}

  private static final int REFERRAL = 10;

  private static RawRequest of(ProtocolOp op) {
    ASN1Buffer buffer = new ASN1Buffer();
    op.writeTo(buffer);
    return new RawRequest(buffer.toByteArray());
  }

  public static RawRequest entry(Entry entry) {
    return of(new SearchResultEntryProtocolOp(new SearchResultEntry(entry)));
  }

  public static RawRequest reference(String url) {
    return of(new SearchResultReferenceProtocolOp(List.of(url)));
  }

  public static RawRequest intermediate(String oid) {
    return of(new IntermediateResponseProtocolOp(oid, null));
  }

  public static RawRequest searchDone(int code) {
    return of(new SearchResultDoneProtocolOp(code, null, null, null));
  }

  public static RawRequest extended(int code, String oid) {
    return of(new ExtendedResponseProtocolOp(code, null, null, null, oid, null));
  }

  public static RawRequest extendedValue(String value) {
    return of(
        new ExtendedResponseProtocolOp(0, null, null, null, null, new ASN1OctetString(value)));
  }

  /** An answer to a step of a SASL bind, with what the mechanism has to say. */
  public static RawRequest saslStep(int code, String says) {
    return of(new BindResponseProtocolOp(code, null, null, null, new ASN1OctetString(says)));
  }

  /** Goes out under messageID 0. */
  public static RawRequest noticeOfDisconnection(int code) {
    return extended(code, NOTICE_OF_DISCONNECTION);
  }

  /** The final response, with the given code, that belongs to a request of the given tag. */
  /** What a replica says to a modify request. */
  public static RawRequest referral(String url) {
    return of(new ModifyResponseProtocolOp(REFERRAL, null, null, List.of(url)));
  }

  public static RawRequest result(int requestTag, int code) {
    return of(
        switch (requestTag) {
          case Received.BIND -> new BindResponseProtocolOp(code, null, null, null, null);
          case Received.SEARCH -> new SearchResultDoneProtocolOp(code, null, null, null);
          case Received.MODIFY -> new ModifyResponseProtocolOp(code, null, null, null);
          case Received.ADD -> new AddResponseProtocolOp(code, null, null, null);
          case Received.DELETE -> new DeleteResponseProtocolOp(code, null, null, null);
          case Received.MODIFY_DN -> new ModifyDNResponseProtocolOp(code, null, null, null);
          case Received.COMPARE -> new CompareResponseProtocolOp(code, null, null, null);
          case Received.EXTENDED ->
              new ExtendedResponseProtocolOp(code, null, null, null, null, null);
          default -> throw new IllegalArgumentException("no response belongs to " + requestTag);
        });
  }
}
