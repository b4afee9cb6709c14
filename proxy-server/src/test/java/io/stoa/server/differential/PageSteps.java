// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.CROWD;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.testing.Requests.search;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/** Pages of every size, sorted lists, and windows of lists. */
final class PageSteps {
  private static final int[] SIZES = {1, 2, 3, 4, 5, 6, 7, 100};
  private static final String[] VALUES = {
    "staff0", "staff15", "staff2", "zzz", "", "Staff Person 3"
  };

  private static final SortKey[][] ORDERS = {
    {new SortKey("uid")},
    {new SortKey("uid", true)},
    {new SortKey("uidNumber")},
    {new SortKey("uidNumber", true)},
    {new SortKey("l"), new SortKey("uid")},
    {new SortKey("l", true), new SortKey("uidNumber")},
    {new SortKey("gidNumber"), new SortKey("l"), new SortKey("uid", true)},
    {new SortKey("telephoneNumber"), new SortKey("uid")},
    {new SortKey("UID")},
    {new SortKey("cn", "caseIgnoreOrderingMatch", false)},
    {new SortKey("cn", "2.5.13.3", true)},
    {new SortKey("uidNumber", "integerOrderingMatch", true)},
    {new SortKey("uid", "noSuchMatch", false)},
    {new SortKey("noSuchAttribute")},
    {new SortKey("jpegPhoto")},
    {new SortKey("uid"), new SortKey("noSuchAttribute")}
  };

  private PageSteps() {}

  static void addTo(Script script) {
    sizes(script.group("pages of every size").on("alice"));
    orders(script.group("orders").on("bob"));
    windows(script.group("windows").on("service"));
  }

  private static void sizes(Script script) {
    SearchBuilder five = search(GROUPS).oneLevel().attributes("cn");
    SearchBuilder eleven = search(CROWD).filter("(cn=crowd12*)").attributes("cn");
    for (int size : SIZES) {
      script.once(page(five.request(), size, null));
      script.follow(previous -> page(five.request(), size, cookie(previous)));
      script.once(page(eleven.request(), size, null));
      script.follow(previous -> page(eleven.request(), size, cookie(previous)));
      script.follow(previous -> page(eleven.request(), size + 1, cookie(previous)));
      Control manage = new ManageDsaITRequestControl(false);
      script.once(page(eleven.request().with(manage), size, null));
      script.either(page(search(PEOPLE).filter("(uid=staff1)").request(), size, null));
      script.either(page(search(PEOPLE).filter("(uid=nobody)").request(), size, null));
    }
  }

  private static void orders(Script script) {
    RawRequest staff = search(PEOPLE).filter("(uidNumber>=10015)").attributes("uid").request();
    for (SortKey[] order : ORDERS) {
      script.either(staff.with(new ServerSideSortRequestControl(true, order)));
      script.either(staff.with(new ServerSideSortRequestControl(false, order)));
      Control sort = new ServerSideSortRequestControl(true, order);
      script.once(page(staff.with(sort), 6, null));
      script.follow(previous -> page(staff.with(sort), 9, cookie(previous)));
    }
  }

  private static void windows(Script script) {
    RawRequest staff = search(PEOPLE).filter("(uidNumber>=10010)").attributes("uid").request();
    Control byName = new ServerSideSortRequestControl(true, new SortKey("uid"));
    for (int first : new int[] {1, 2, 10, 19, 20, 21, 1000}) {
      for (int around : new int[] {0, 3}) {
        Control window = new VirtualListViewRequestControl(first, around, around, 0, null, true);
        script.either(staff.with(byName, window));
      }
    }
    for (String value : VALUES) {
      ASN1OctetString assertion = new ASN1OctetString(value);
      Control window = new VirtualListViewRequestControl(assertion, 1, 2, null, true);
      script.either(staff.with(byName, window));
    }
  }

  private static RawRequest page(RawRequest search, int size, ASN1OctetString cookie) {
    return search.with(new SimplePagedResultsControl(size, cookie));
  }

  /** The cookie of the page; an empty one after the last, so that the next is the first again. */
  private static ASN1OctetString cookie(List<RawMessage> page) {
    ASN1OctetString cookie = Controls.cookie(RawLdapClient.last(page));
    return cookie == null ? new ASN1OctetString() : cookie;
  }
}
