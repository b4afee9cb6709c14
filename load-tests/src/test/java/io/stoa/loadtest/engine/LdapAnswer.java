// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer of a server: its result and the number of entries. The entries are kept if a check
 * reads them.
 *
 * <p>Threading: event loop.
 */
public final class LdapAnswer {
  private final boolean keepsEntries;
  private final List<Entry> kept = new ArrayList<>(0);
  private int entries;
  private int resultCode = PendingRequest.NO_ANSWER;
  private String text = "";

  LdapAnswer(boolean keepsEntries) {
    this.keepsEntries = keepsEntries;
  }

  boolean keepsEntries() {
    return keepsEntries;
  }

  void entry() {
    entries++;
  }

  void entry(byte[] protocolOp) {
    entry();
    try {
      kept.add(
          SearchResultEntryProtocolOp.decodeProtocolOp(ASN1Element.decode(protocolOp))
              .toSearchResultEntry());
    } catch (ASN1Exception | LDAPException e) {
      throw new IllegalStateException("an entry that cannot be read", e);
    }
  }

  void result(int code, String diagnosticMessage) {
    resultCode = code;
    text = diagnosticMessage;
  }

  public int resultCode() {
    return resultCode;
  }

  /** True if the server has answered. */
  public boolean isAnswered() {
    return resultCode != PendingRequest.NO_ANSWER;
  }

  /** Returns the server's diagnostic message, or the reason why there is no answer. */
  public String text() {
    return text;
  }

  public int entryCount() {
    return entries;
  }

  /** Returns the entries; empty unless a check of the request reads them. */
  public List<Entry> entries() {
    return kept;
  }
}
