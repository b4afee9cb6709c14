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
 * What a server has answered: its result, and how many entries; the entries themselves if a check
 * reads them. Confined to an event loop.
 */
public final class LdapAnswer {
  private final boolean keepsEntries;
  private final List<Entry> kept = new ArrayList<>(0);
  private int entries;
  private int resultCode = Exchange.NO_ANSWER;
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

  /** Whether the server has answered at all. */
  public boolean isAnswered() {
    return resultCode != Exchange.NO_ANSWER;
  }

  /** The server's diagnostic message, or why there is no answer. */
  public String text() {
    return text;
  }

  public int entryCount() {
    return entries;
  }

  /** The entries, if a check of the request reads them. */
  public List<Entry> entries() {
    return kept;
  }
}
