// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Controls;
import io.stoa.server.differential.Script;
import io.stoa.server.differential.ScriptConnection;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What goes on over several messages of one connection. */
final class StatefulRows {
  private static final String SORT_RESPONSE = "1.2.840.113556.1.4.474";
  private static final String ENTRY_CHANGE = "2.16.840.1.113730.3.4.7";
  private static final int ENUMERATED = 0x0a;
  private static final String VLV_RESPONSE = "2.16.840.1.113730.3.4.10";
  private static final String START = StartTransactionExtendedRequest.START_TRANSACTION_REQUEST_OID;
  private static final String END = "1.3.6.1.1.21.3";
  private static final Control BY_NAME =
      new ServerSideSortRequestControl(true, new SortKey("cn", true));

  private StatefulRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.listed(Oids.PAGED, "RFC 2696", "paged results", StatefulRows::paging),
        Row.listed(
            Oids.PAGED, "RFC 2696", "abandoned pages, misused cookies", StatefulRows::cookies),
        Row.listed(Oids.SORT_REQUEST, "RFC 2891", "sorting", StatefulRows::sorting)
            .also(SORT_RESPONSE),
        Row.listed(
                Oids.VLV_REQUEST,
                "draft-ietf-ldapext-ldapv3-vlv",
                "virtual list view",
                StatefulRows::virtualList)
            .also(VLV_RESPONSE),
        Row.listed(
            Oids.PERSISTENT_SEARCH,
            "draft-ietf-ldapext-psearch",
            "persistent search",
            StatefulRows::persistentSearch),
        Row.listed(
            Oids.SYNC_REQUEST, "RFC 4533", "content sync, refreshOnly", StatefulRows::refreshOnly),
        Row.listed(
            Oids.SYNC_REQUEST,
            "RFC 4533",
            "content sync, refreshAndPersist",
            StatefulRows::refreshAndPersist),
        Row.listed(START, "RFC 5805", "transactions", StatefulRows::transactions)
            .also(END, Oids.TXN_SPEC));
  }

  private static void paging(Script script, Names names) {
    script.documented(Difference.PAGES.name());
    for (String who : new String[] {"alice", "bob", "alice"}) {
      as(who, script, names);
      RawRequest people = search(names.people()).oneLevel().attributes("cn").request();
      script.once(page(people, 10, null));
      for (int i = 0; i < 4; i++) {
        script.follow(previous -> page(people, 10, cookie(previous)));
      }
      script.once(page(search(names.groups()).oneLevel().attributes("cn").request(), 5, null));
      script.either(page(names.find("staff3").request(), 100, null));
      script.either(page(names.find("staff3").sizeLimit(1).request(), 100, null));
      script.either(page(names.find("nobody").request(), 1, null));
      script.either(names.find("staff3").request());
    }
    RawRequest people = search(names.people()).oneLevel().attributes("cn").request();
    script.once(page(people, 3, null));
    asManager(script, names).once(names.addEntry("between"));
    script.on("alice").move(talk -> talk.call(page(people, 1000, cookieOfPage(talk, people))));
    script.on("manager").once(delete(names.entry("between")));
  }

  /** Begins with a page, whose cookie is that of the connection. */
  private static ASN1OctetString cookieOfPage(ScriptConnection talk, RawRequest search) {
    return cookie(talk.call(page(search, 3, null)));
  }

  private static void cookies(Script script, Names names) {
    script.documented(Difference.PAGES.name());
    as("alice", script, names);
    RawRequest people = search(names.people()).oneLevel().attributes("cn").request();
    script.once(page(people, 10, null));
    script.follow(previous -> page(people, 0, cookie(previous)));
    script.otherwise(Difference.PAGES.name());
    script.once(page(people, 5, new ASN1OctetString("not a cookie")));
    script.documented(Difference.PAGES.name());
    script.once(page(people, 0, null));
    script.once(people.with(new Control(Oids.PAGED, true)));
    script.once(people.with(new Control(Oids.PAGED, true, new ASN1OctetString("x"))));
    script.either(names.find("staff3").request());
  }

  static RawRequest page(RawRequest search, int size, ASN1OctetString cookie) {
    return search.with(new SimplePagedResultsControl(size, cookie, true));
  }

  /** The cookie of the page; an empty one if it has none. */
  static ASN1OctetString cookie(List<RawMessage> page) {
    ASN1OctetString cookie = Controls.cookie(RawLdapClient.last(page));
    return cookie == null ? new ASN1OctetString() : cookie;
  }

  private static void sorting(Script script, Names names) {
    as("alice", script, names);
    RawRequest people = search(names.people()).oneLevel().attributes("cn").request();
    for (boolean critical : new boolean[] {true, false}) {
      script.either(people.with(new ServerSideSortRequestControl(critical, new SortKey("cn"))));
      script.either(
          people.with(new ServerSideSortRequestControl(critical, new SortKey("cn", true))));
      script.either(people.with(new ServerSideSortRequestControl(critical, new SortKey("noSuch"))));
      script.either(
          people.with(
              new ServerSideSortRequestControl(critical, new SortKey("cn", "2.5.13.99", false))));
    }
    script.once(page(people.with(BY_NAME), 10, null));
    script.follow(previous -> page(people.with(BY_NAME), 1000, cookie(previous)));
    script.either(people);
  }

  private static void virtualList(Script script, Names names) {
    as("alice", script, names);
    RawRequest people = search(names.people()).oneLevel().attributes("cn").request();
    for (int target : new int[] {1, 7, 30, 999}) {
      script.uncached(
          people.with(BY_NAME, new VirtualListViewRequestControl(target, 1, 3, 0, null, true)));
    }
    var byValue =
        new VirtualListViewRequestControl(new ASN1OctetString("staff2"), 0, 3, null, true);
    script.uncached(people.with(BY_NAME, byValue));
    script.once(people.with(byValue));
    script.either(names.find("staff3").request());
  }

  private static void persistentSearch(Script script, Names names) {
    for (boolean changesOnly : new boolean[] {true, false}) {
      Control control =
          new PersistentSearchRequestControl(
              PersistentSearchChangeType.allChangeTypes(), changesOnly, true);
      watch(script, names, control, changesOnly ? 0 : 1);
    }
  }

  /**
   * Others write while a search goes on; then it is abandoned, and nothing more comes. 389-ds now
   * and then tells of a change twice.
   */
  private static void watch(Script script, Names names, Control control, int first) {
    RawRequest work = search(names.work()).attributes("cn", "description").request();
    asManager(script, names);
    as("alice", script, names).move(talk -> talk.send("watch", work.with(control)));
    script.move(talk -> talk.receive("watch", first));
    script.either(names.find("staff3").request());
    script.on("manager").once(names.addEntry("watched"));
    script.on("alice").move(talk -> talk.receiveFirst("watch", change(1)));
    script.on("manager").once(replace(names.entry("watched"), "description", "two"));
    script.on("alice").move(talk -> talk.receiveFirst("watch", change(4)));
    script.on("manager").once(delete(names.entry("watched")));
    script.on("alice").move(talk -> talk.receiveFirst("watch", change(2)));
    script.move(talk -> talk.abandon("watch"));
    script.either(names.find("staff3").request());
    script.move(talk -> talk.drop("watch"));
    script.on("manager").once(names.addEntry("unwatched"));
    script.once(delete(names.entry("unwatched")));
    script.on("alice").either(names.find("staff4").request());
    script.move(talk -> talk.rest("watch"));
  }

  /** A message with an entry change notification of this type. */
  private static Predicate<RawMessage> change(int type) {
    byte[] value = Tlv.integer(ENUMERATED, type);
    return message ->
        message.decoded().getControls().stream()
            .filter(control -> control.getOID().equals(ENTRY_CHANGE))
            .anyMatch(control -> startsWith(control.getValue().getValue(), value));
  }

  private static boolean startsWith(byte[] sequence, byte[] first) {
    return Arrays.equals(Arrays.copyOfRange(sequence, 2, 2 + first.length), first);
  }

  private static void refreshOnly(Script script, Names names) {
    asManager(script, names);
    RawRequest groups = search(names.groups()).attributes("cn").request();
    script.uncached(groups.with(Controls.refreshOnly()));
    script.once(groups.with(Controls.refreshOnly()));
    script.follow(previous -> groups.with(Controls.refreshOnly(Controls.syncCookie(previous))));
    script.either(groups);
  }

  private static void refreshAndPersist(Script script, Names names) {
    RawRequest groups =
        search(names.suffix()).filter("(description=synced)").attributes("cn").request();
    asManager(script, names);
    script.on("watcher").once(bind(names.manager(), names.managerPassword()));
    script.move(talk -> talk.send("sync", groups.with(Controls.refreshAndPersist())));
    script.move(talk -> talk.receiveUntil("sync", RawMessage.INTERMEDIATE));
    script.on("manager").once(names.addEntry("synced", "description: synced"));
    script.on("watcher").move(talk -> talk.receive("sync", 1));
    script.on("manager").once(replace(names.entry("synced"), "seeAlso", names.person("bob")));
    script.on("watcher").move(talk -> talk.receive("sync", 1));
    script.on("manager").once(delete(names.entry("synced")));
    script.on("watcher").move(talk -> talk.receive("sync", 1));
    script.either(names.find("staff3").request());
    script.move(talk -> talk.cancel("sync"));
    script.move(talk -> talk.abandon("sync"));
    script.either(names.find("staff3").request());
  }

  /** On a connection without repeated reads: the messageIDs must be the same on both sides. */
  private static void transactions(Script script, Names names) {
    asManager(script, names).once(names.addEntry("booked", "description: one"));
    RawRequest written = names.written().request();
    transaction(script, names, "committed", true);
    as("alice", script, names).either(written);
    transaction(script, names, "given up", false);
    script.on("alice").either(written);
    script.on("transaction").once(bind(names.manager(), names.managerPassword()));
    script.once(extended(START));
    script.follow(
        previous ->
            replace(names.entry("nothing"), "description", "x").with(specification(previous)));
    script.once(end(new ASN1OctetString(""), true));
    script.once(end(new ASN1OctetString("unknown"), true));
    script.on("manager").once(delete(names.entry("booked")));
    script.on("alice").either(written);
  }

  private static void transaction(Script script, Names names, String text, boolean commit) {
    script.on("transaction").once(bind(names.manager(), names.managerPassword()));
    script.once(extended(START));
    script.follow(
        previous ->
            replace(names.entry("booked"), "description", text).with(specification(previous)));
    script.on("manager").either(names.written().request());
    script.on("transaction").once(end(new ASN1OctetString(""), commit));
  }

  private static Control specification(List<RawMessage> started) {
    ASN1OctetString identifier =
        RawLdapClient.last(started).decoded().getExtendedResponseProtocolOp().getResponseValue();
    return new TransactionSpecificationRequestControl(
        identifier == null ? new ASN1OctetString("") : identifier);
  }

  private static RawRequest end(ASN1OctetString identifier, boolean commit) {
    var request = new EndTransactionExtendedRequest(identifier, commit);
    return extended(request.getOID(), request.getValue().getValue());
  }
}
