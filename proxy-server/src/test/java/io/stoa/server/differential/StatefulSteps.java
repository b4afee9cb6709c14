// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.CROWD;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.search;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/** Reads that leave something on the directory's connection: paging, virtual lists, sync. */
final class StatefulSteps {
  private static final int PAGE = 10;

  private StatefulSteps() {}

  static void addTo(Script script) {
    script.group("paging");
    for (String who : new String[] {"alice", "anonymous", "alice"}) {
      paging(script.on(who));
    }
    virtualList(script.group("virtual list view").on("bob"));
    sync(script.group("sync").on("root"));
  }

  private static void paging(Script script) {
    SearchBuilder crowd = search(CROWD).oneLevel().filter("(cn=crowd1*)").attributes("cn");
    script.once(page(crowd, PAGE, null));
    for (int i = 0; i < 4; i++) {
      script.follow(previous -> page(crowd, PAGE, cookie(previous)));
    }
    script.once(page(crowd, 5, null));
    script.follow(previous -> page(crowd, 0, cookie(previous)));
    script.either(page(search(person("staff1")).baseScope(), 126, null));
    script.cached(search(person("staff1")).baseScope());
  }

  private static RawRequest page(SearchBuilder search, int size, ASN1OctetString cookie) {
    return search.request().with(new SimplePagedResultsControl(size, cookie));
  }

  private static ASN1OctetString cookie(List<RawMessage> previous) {
    ASN1OctetString cookie = Controls.cookie(RawLdapClient.last(previous));
    if (cookie == null) {
      throw new AssertionError("a page without a cookie: " + previous);
    }
    return cookie;
  }

  private static void virtualList(Script script) {
    Control byNumber = new ServerSideSortRequestControl(true, new SortKey("uidNumber"));
    SearchBuilder all = search(PEOPLE).oneLevel().filter("(uidNumber=*)").attributes("uid");
    for (int target : new int[] {1, 11, 29, 31}) {
      Control window = new VirtualListViewRequestControl(target, 0, 4, 0, null, true);
      script.uncached(all.request().with(byNumber, window));
    }
    script.refusedRead(
        all.request().with(new VirtualListViewRequestControl(1, 0, 4, 0, null, true)));
    script.cached(all.filter("(uidNumber=10003)"));
  }

  private static void sync(Script script) {
    SearchBuilder few = search(PEOPLE).filter("(uidNumber>=10027)").attributes("uid");
    script.uncached(few.request().with(Controls.refreshOnly()));
    script.cached(few);
  }
}
