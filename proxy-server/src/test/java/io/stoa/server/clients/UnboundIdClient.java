// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortResponseControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import java.util.Arrays;
import java.util.HexFormat;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The UnboundID LDAP SDK. Not thread-safe. */
final class UnboundIdClient implements JavaClient {
  private final LDAPConnection connection;
  private final OutputLines lines;

  private UnboundIdClient(LDAPConnection connection, OutputLines lines) {
    this.connection = connection;
    this.lines = lines;
  }

  /** Runs the programme. */
  static Transcript run(Target target) throws Exception {
    OutputLines lines = new OutputLines();
    try (LDAPConnection connection = connect(target)) {
      return Programme.run(new UnboundIdClient(connection, lines), lines, target);
    }
  }

  private static LDAPConnection connect(Target target) throws LDAPException {
    SSLContext trusting = target.certificates().clientContext();
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setSSLSocketVerifier(new HostNameSSLSocketVerifier(false));
    SocketFactory factory =
        target.kind() == ConnectionKind.LDAPS ? trusting.getSocketFactory() : null;
    LDAPConnection connection = new LDAPConnection(factory, options, "127.0.0.1", target.port());
    if (target.kind() == ConnectionKind.STARTTLS) {
      check(connection.processExtendedOperation(new StartTLSExtendedRequest(trusting)));
    }
    return connection;
  }

  private static void check(LDAPResult startTls) {
    if (!startTls.getResultCode().equals(ResultCode.SUCCESS)) {
      throw new AssertionError("StartTLS: " + startTls);
    }
  }

  @Override
  public int explain(Exception failure) {
    if (failure instanceof LDAPSearchException search) {
      show(search.getSearchResult());
    } else if (failure instanceof LDAPException exception) {
      show(exception.toLDAPResult());
    } else {
      throw new AssertionError(failure);
    }
    return ((LDAPException) failure).getResultCode().intValue();
  }

  // What is printed

  private int show(LDAPResult result) {
    line("matched", result.getMatchedDN());
    line("info", result.getDiagnosticMessage());
    for (String url : result.getReferralURLs()) {
      line("referral", url);
    }
    if (result instanceof SearchResult search) {
      search.getSearchEntries().forEach(this::show);
      search.getSearchReferences().forEach(this::show);
    }
    Arrays.stream(result.getResponseControls()).forEach(this::show);
    return result.getResultCode().intValue();
  }

  private void line(String name, @Nullable String value) {
    if (value != null) {
      lines.add(name + ": " + value);
    }
  }

  private void show(SearchResultEntry entry) {
    lines.add("dn: " + entry.getDN());
    for (Attribute attribute : entry.getAttributes()) {
      for (byte[] value : attribute.getValueByteArrays()) {
        lines.value(attribute.getName(), value);
      }
    }
  }

  private void show(SearchResultReference reference) {
    for (String url : reference.getReferralURLs()) {
      line("reference", url);
    }
  }

  private void show(Control control) {
    lines.add("control: " + control.getOID() + " " + control.isCritical());
    if (control instanceof SimplePagedResultsControl paged) {
      lines.add("size: " + paged.getSize());
      lines.add("cookie: " + HexFormat.of().formatHex(paged.getCookie().getValue()));
    } else if (control instanceof ServerSideSortResponseControl sorted) {
      lines.add("sortResult: " + sorted.getResultCode());
    }
  }

  // What the programme asks for

  @Override
  public int bind(String dn, String password) throws LDAPException {
    return show(connection.bind(dn, password));
  }

  @Override
  public int whoAmI() throws LDAPException {
    ExtendedResult result = connection.processExtendedOperation(new WhoAmIExtendedRequest());
    lines.add("I am: " + ((WhoAmIExtendedResult) result).getAuthorizationID());
    return show(result);
  }

  private static SearchRequest request(Search search, Control... controls) throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            search.base(),
            SearchScope.valueOf(search.scope()),
            search.filter(),
            search.attributes().toArray(String[]::new));
    request.setControls(controls);
    return request;
  }

  @Override
  public int search(Search search) throws LDAPException {
    return show(connection.search(request(search)));
  }

  @Override
  public int searchInPages(Search search, int size) throws LDAPException {
    @Nullable ASN1OctetString cookie = null;
    int code;
    do {
      SearchResult result =
          connection.search(request(search, new SimplePagedResultsControl(size, cookie, true)));
      code = show(result);
      SimplePagedResultsControl next = SimplePagedResultsControl.get(result);
      cookie = next == null ? null : next.getCookie();
    } while (cookie != null && cookie.getValueLength() > 0);
    return code;
  }

  @Override
  public int searchSorted(Search search, String attribute) throws LDAPException {
    SortKey key = new SortKey(attribute, Programme.ORDERING, true);
    return show(connection.search(request(search, new ServerSideSortRequestControl(true, key))));
  }

  @Override
  public int searchWithReferrals(Search search) throws LDAPException {
    return search(search);
  }

  @Override
  public int searchManaged(Search search) throws LDAPException {
    return show(connection.search(request(search, new ManageDsaITRequestControl(true))));
  }

  @Override
  public int compare(String dn, String attribute, String value) throws LDAPException {
    return show(connection.compare(dn, attribute, value));
  }

  @Override
  public int add(String dn) throws LDAPException {
    Entry entry = new Entry(dn);
    entry.addAttribute("objectClass", "inetOrgPerson");
    entry.addAttribute("uid", "new");
    entry.addAttribute("cn", "New One");
    entry.addAttribute("sn", "One");
    return show(connection.add(entry));
  }

  @Override
  public int modify(String dn) throws LDAPException {
    return show(
        connection.modify(
            dn,
            new Modification(ModificationType.REPLACE, "mail", "new@example.com"),
            new Modification(ModificationType.ADD, "title", "First", "Second")));
  }

  @Override
  public int rename(String dn, String newRdn, String parent) throws LDAPException {
    return show(connection.modifyDN(dn, newRdn, true));
  }

  @Override
  public int delete(String dn) throws LDAPException {
    return show(connection.delete(dn));
  }

  @Override
  public int passwordModify(String dn, String old, String password) throws LDAPException {
    return show(
        connection.processExtendedOperation(new PasswordModifyExtendedRequest(dn, old, password)));
  }

  @Override
  public int abandon(String base) throws LDAPException {
    AsyncRequestID search =
        connection.asyncSearch(
            new SearchRequest(new Ignoring(), base, SearchScope.SUB, "(objectClass=*)"));
    connection.abandon(search);
    return whoAmI();
  }

  @Override
  public int unbind() {
    connection.close();
    return 0;
  }

  /** What comes before the abandon arrives is nobody's business. */
  private static final class Ignoring implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      // It may come or not.
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // It may come or not.
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      // It may come or not.
    }
  }
}
