// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client that reads a result in pages (RFC 2696). Used by one thread at a time. */
public final class Pager {
  public static final String OID = "1.2.840.113556.1.4.319";

  private final RawLdapClient client;
  private final RawRequest search;
  private byte[] cookie = {};

  public Pager(RawLdapClient client, RawRequest search) {
    this.client = client;
    this.search = search;
  }

  /**
   * One page.
   *
   * @param entries the entries with their controls, octet for octet
   * @param done the final response without its controls
   * @param control what the server says of paging; null if nothing
   */
  public record Page(
      List<RawMessage> entries, RawMessage done, @Nullable SimplePagedResultsControl control) {
    static Page of(List<RawMessage> answer) {
      RawMessage done = RawLdapClient.last(answer);
      return new Page(answer.subList(0, answer.size() - 1), done, paging(done));
    }

    private static @Nullable SimplePagedResultsControl paging(RawMessage done) {
      for (Control control : done.decoded().getControls()) {
        if (control.getOID().equals(OID)) {
          try {
            return new SimplePagedResultsControl(OID, false, control.getValue());
          } catch (LDAPException e) {
            throw new AssertionError("not a paging control", e);
          }
        }
      }
      return null;
    }

    public boolean isLast() {
      return control == null || !control.moreResultsToReturn();
    }

    public int code() {
      return done.resultCode();
    }

    public byte[] cookie() {
      ASN1OctetString cookie = control == null ? null : control.getCookie();
      return cookie == null ? new byte[0] : cookie.getValue();
    }

    /**
     * Everything of the page but its messageID and its cookie, and perhaps the estimate of how many
     * entries there are, which the last page has not.
     */
    public List<String> seen(boolean estimate) {
      List<String> seen = new ArrayList<>();
      entries.forEach(entry -> seen.add(HexFormat.of().formatHex(entry.body())));
      seen.add(HexFormat.of().formatHex(done.op()));
      seen.add(
          control == null
              ? "no control"
              : control.isCritical()
                  + " "
                  + isLast()
                  + " "
                  + (estimate || isLast() ? control.getSize() : ""));
      return seen;
    }
  }

  /** The request for a page that begins where a cookie says. */
  public static RawRequest request(RawRequest search, int size, byte[] cookie) {
    return search.with(new SimplePagedResultsControl(size, new ASN1OctetString(cookie), false));
  }

  /** Reads the next page. */
  public Page next(int size) {
    Page page = Page.of(client.call(request(search, size, cookie)));
    cookie = page.cookie();
    return page;
  }

  /** The cookie of the last page. */
  public byte[] cookie() {
    return cookie;
  }

  /** Reads all that is left in pages of a size. */
  public List<Page> rest(int size) {
    List<Page> pages = new ArrayList<>();
    do {
      pages.add(next(size));
    } while (!pages.get(pages.size() - 1).isLast());
    return pages;
  }
}
