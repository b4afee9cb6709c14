// SPDX-License-Identifier: Apache-2.0
package io.stoa.changelog;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import io.stoa.change.FeedKind;
import io.stoa.feed.SdkLink;
import io.stoa.filter.Uuid;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A connection to a server that keeps a retro changelog. Who asks waits for the answer, which has a
 * deadline. Confined to the thread of the feed, but for {@link #close}.
 */
final class ChangelogLink implements AutoCloseable {
  static final String CHANGELOG = "cn=changelog";
  private static final String COUNTED = "lastChangeNumber";

  private final LDAPConnection connection;

  ChangelogLink(LDAPConnection connection) {
    this.connection = connection;
  }

  /**
   * How far the server says that it has counted: it may have given up the last of these, and may
   * not have done them yet.
   *
   * @return below 0 if it keeps no changelog
   */
  long counted() throws IOException {
    List<SearchResultEntry> root =
        search(request("", SearchScope.BASE, anything(), COUNTED), false);
    Long last = root.isEmpty() ? null : root.get(0).getAttributeValueAsLong(COUNTED);
    return last == null ? -1 : last;
  }

  /** The records of that number and later ones, the first of them if there are more. */
  List<RetroRecord> records(long from, int most) throws IOException {
    Filter filter = Filter.createGreaterOrEqualFilter("changeNumber", Long.toString(from));
    String[] wanted = RetroRecord.ATTRIBUTES.toArray(String[]::new);
    SearchRequest request = request(CHANGELOG, SearchScope.ONE, filter, wanted);
    request.setSizeLimit(most);
    return search(request, true).stream().map(RetroRecord::of).filter(Objects::nonNull).toList();
  }

  /** What these entries look like; of those that are not there, or hidden, nothing. */
  List<SearchResultEntry> entries(String base, Collection<Uuid> wanted) throws IOException {
    StringBuilder filter = new StringBuilder("(|");
    wanted.forEach(entry -> filter.append(FeedKind.CHANGELOG.filter(entry)));
    try {
      Filter any = Filter.create(filter.append(')').toString());
      return search(request(base, SearchScope.SUB, any, "*", "+", "hasSubordinates"), false);
    } catch (LDAPException e) {
      throw new IllegalStateException("hexadecimal digits are a filter", e);
    }
  }

  private static Filter anything() {
    return Filter.createPresenceFilter("objectClass");
  }

  private static SearchRequest request(
      String base, SearchScope scope, Filter filter, String... attributes) {
    SearchRequest request =
        new SearchRequest(base, scope, DereferencePolicy.NEVER, 0, 0, false, filter, attributes);
    request.addControl(new ManageDsaITRequestControl(true));
    return request;
  }

  /** What is found; no more than it is limited to if that is wanted. */
  private List<SearchResultEntry> search(SearchRequest request, boolean cut) throws IOException {
    try {
      return connection.search(request).getSearchEntries();
    } catch (LDAPSearchException e) {
      ResultCode code = e.getResultCode();
      if (code.equals(ResultCode.NO_SUCH_OBJECT)) {
        return List.of();
      }
      if (cut && code.equals(ResultCode.SIZE_LIMIT_EXCEEDED) && e.getSearchEntries() != null) {
        return e.getSearchEntries();
      }
      String text = e.getDiagnosticMessage();
      boolean told = text != null && !code.isClientSideResultCode();
      throw new IOException(told ? code.getName() + ": " + text : code.getName(), e);
    }
  }

  /**
   * Has the server say when something is written down. It says so before that is done, and also if
   * it is given up in the end.
   *
   * @param rung hears that, on the thread that reads
   * @param ended hears that it does not any more, and why
   */
  void listen(Runnable rung, Consumer<String> ended) throws IOException {
    SearchRequest request =
        new SearchRequest(
            new Doorbell(rung, ended),
            CHANGELOG,
            SearchScope.ONE,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            anything(),
            "1.1");
    request.addControl(
        new PersistentSearchRequestControl(PersistentSearchChangeType.ADD, true, false));
    request.setResponseTimeoutMillis(0);
    try {
      connection.asyncSearch(request);
    } catch (LDAPException e) {
      throw new IOException(SdkLink.text(e), e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }

  /** A persistent search, on the thread that reads (confined to it). */
  private static final class Doorbell implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Runnable rung;
    private final transient Consumer<String> ended;

    Doorbell(Runnable rung, Consumer<String> ended) {
      this.rung = rung;
      this.ended = ended;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      rung.run();
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // a changelog refers to nothing
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      ended.accept("the persistent search has ended: " + result.getResultCode().getName());
    }
  }
}
