// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What a {@link ScriptedUpstream} can be told to do: well-behaved answers and broken ones. */
public final class Answers {
  private static final String SUBSCHEMA = "cn=Subschema";
  private static final int UNKNOWN_ID = 0x7ffffff0;

  private Answers() {}

  /** Never says anything. */
  public static Answer silence() {
    return (request, link) -> {};
  }

  /** The final response that belongs to the request, with the given code. */
  public static Answer result(int code) {
    return (request, link) ->
        link.send(request.messageId(), Responses.result(request.message().opTag(), code));
  }

  /** The same after a while, in which nothing else is answered on the connection. */
  public static Answer slowly(Duration time, Answer answer) {
    Answer wait = (request, link) -> LockSupport.parkNanos(time.toNanos());
    return wait.then(answer);
  }

  public static Answer success() {
    return result(0);
  }

  /** The entries, then success. */
  public static Answer entries(Entry... entries) {
    return onlyEntries(entries).then(success());
  }

  /** The entries, and no result. */
  public static Answer onlyEntries(Entry... entries) {
    return (request, link) -> {
      for (Entry entry : entries) {
        link.send(request.messageId(), Responses.entry(entry));
      }
    };
  }

  /** As {@link #entries}, each octet in a segment of its own. */
  public static Answer tornEntries(Entry... entries) {
    return (request, link) -> {
      for (Entry entry : entries) {
        link.sendTorn(Responses.entry(entry).encode(request.messageId()));
      }
      link.sendTorn(Responses.searchDone(0).encode(request.messageId()));
    };
  }

  /** The first half of an entry, then the connection is closed. */
  public static Answer halfEntryThenClose(Entry entry) {
    return (request, link) -> {
      byte[] octets = Responses.entry(entry).encode(request.messageId());
      link.sendOctets(Arrays.copyOf(octets, octets.length / 2));
      link.close();
    };
  }

  public static Answer close() {
    return (request, link) -> link.close();
  }

  public static Answer noticeOfDisconnection(int code) {
    return (request, link) -> {
      link.send(0, Responses.noticeOfDisconnection(code));
      link.close();
    };
  }

  /** An answer under a messageID that nobody asked with. */
  public static Answer unknownId() {
    return (request, link) -> link.send(UNKNOWN_ID, Responses.searchDone(0));
  }

  /** An entry whose attribute list claims more octets than there are. */
  public static Answer malformedEntry(String dn) {
    return (request, link) -> link.sendOctets(malformedEntryOctets(request.messageId(), dn));
  }

  private static byte[] malformedEntryOctets(int messageId, String dn) {
    byte[] name = Tlv.of(0x04, dn.getBytes(StandardCharsets.UTF_8));
    byte[] lie = {0x30, 0x7f, 0x04, 0x02, 'c', 'n'};
    return new RawRequest(Tlv.of(RawMessage.SEARCH_ENTRY, name, lie)).encode(messageId);
  }

  /**
   * What every directory does: binds succeed, the root DSE and a schema are there, Who Am I tells
   * the connection's identity, compares are true, writes succeed, other searches find nothing.
   */
  public static Answer ordinary() {
    return (request, link) -> {
      switch (request.message().opTag()) {
        case Received.SEARCH -> search(request, link);
        case Received.COMPARE -> result(6).to(request, link);
        case Received.EXTENDED ->
            link.send(request.messageId(), Responses.extendedValue("dn:" + link.identity()));
        case Received.ABANDON, Received.UNBIND -> silence().to(request, link);
        default -> success().to(request, link);
      }
    };
  }

  private static void search(Received request, UpstreamLink link) {
    SearchRequestProtocolOp op = request.message().decoded().getSearchRequestProtocolOp();
    boolean base = op.getScope().intValue() == 0;
    if (base && op.getBaseDN().isEmpty()) {
      entries(rootDse()).to(request, link);
    } else if (base && op.getBaseDN().equalsIgnoreCase(SUBSCHEMA)) {
      entries(subschema()).to(request, link);
    } else {
      success().to(request, link);
    }
  }

  private static Entry rootDse() {
    Entry entry = new Entry("");
    entry.addAttribute("objectClass", "top");
    entry.addAttribute("namingContexts", "dc=example,dc=com");
    entry.addAttribute("subschemaSubentry", SUBSCHEMA);
    entry.addAttribute("supportedLDAPVersion", "3");
    return entry;
  }

  private static Entry subschema() {
    try {
      Entry entry = Schema.getDefaultStandardSchema().getSchemaEntry().duplicate();
      entry.setDN(SUBSCHEMA);
      return entry;
    } catch (LDAPException e) {
      throw new AssertionError("the SDK has no schema", e);
    }
  }

  /** A small person entry, for scripts. */
  public static Entry person(String uid, String description) {
    Entry entry = new Entry("uid=" + uid + ",ou=people,dc=example,dc=com");
    entry.addAttribute("objectClass", List.of("top", "person", "inetOrgPerson"));
    entry.addAttribute("uid", uid);
    entry.addAttribute("cn", "Person " + uid);
    entry.addAttribute("sn", uid);
    entry.addAttribute("description", description);
    return entry;
  }
}
