// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

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
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server with a retro changelog. Requests block until the response, with a
 * timeout.
 *
 * <p>Threading: thread of the feed, except {@link #close}.
 */
final class ChangelogLink implements AutoCloseable {
  static final String CHANGELOG = "cn=changelog";
  private static final String LAST_CHANGE_NUMBER = "lastChangeNumber";
  private static final String NUMBER = "changeNumber";
  private static final String STARTED = "startTime";
  private static final String TOP_ENTRY_ID = FeedKind.CHANGELOG.uuidAttribute();

  /** Number of records read by one search: 200. */
  private static final int PAGE_SIZE = 200;

  /** Results of 389-ds for a naming context that is being imported or restored. */
  private static final Set<ResultCode> OFFLINE =
      Set.of(
          ResultCode.BUSY,
          ResultCode.UNAVAILABLE,
          ResultCode.UNWILLING_TO_PERFORM,
          ResultCode.OPERATIONS_ERROR,
          ResultCode.REFERRAL);

  private final LDAPConnection connection;
  private @Nullable String startTime;

  ChangelogLink(LDAPConnection connection) {
    this.connection = connection;
  }

  /**
   * Returns the server's lastChangeNumber. The server may have given up the last of these changes,
   * or may not have completed them.
   *
   * @return the number; negative if the server keeps no changelog
   */
  long lastChangeNumber() throws IOException {
    String last = singleValue("", LAST_CHANGE_NUMBER);
    try {
      return last.isEmpty() ? -1 : Long.parseLong(last);
    } catch (NumberFormatException e) {
      throw new DescribedException("lastChangeNumber is not a number", e);
    }
  }

  /**
   * Records that the server returned at once.
   *
   * <p>Threading: immutable.
   *
   * @param more true if there are further records
   */
  record Page(List<RetroRecord> records, boolean more) {}

  /**
   * Returns the first page of records from a number on.
   *
   * @throws IOException also if the server's size limit is too low to make progress
   */
  Page records(long from) throws IOException {
    Filter filter = Filter.createGreaterOrEqualFilter(NUMBER, Long.toString(from));
    SearchRequest request = changes(filter);
    request.setSizeLimit(PAGE_SIZE);
    List<RetroRecord> records = new ArrayList<>();
    boolean all = search(request, true, found -> add(records, found));
    if (!all && records.size() < 2) {
      throw new DescribedException(
          "the size limit of the feed's account is too low: set nsSizeLimit to -1");
    }
    return new Page(records, !all);
  }

  /**
   * Returns all existing records with these numbers, despite the server's size limit. The caller
   * considers missing records as not written yet.
   */
  List<RetroRecord> records(Collection<Long> numbers) throws IOException {
    List<RetroRecord> records = new ArrayList<>();
    Set<Long> wanted = new TreeSet<>(numbers);
    boolean all = false;
    while (!all && !wanted.isEmpty()) {
      List<RetroRecord> found = new ArrayList<>();
      all = search(changes(any(wanted)), true, one -> add(found, one));
      if (!all && !wanted.removeAll(found.stream().map(RetroRecord::number).toList())) {
        throw new DescribedException(
            "the size limit of the feed's account is too low: set nsSizeLimit to -1");
      }
      records.addAll(found);
    }
    return records;
  }

  /**
   * Reads the changes of the records with these numbers. Records cut by the size limit are left
   * out.
   */
  void readModifications(Set<Long> numbers, ChangedRules.ModificationListener found)
      throws IOException {
    SearchRequest request =
        request(CHANGELOG, SearchScope.ONE, any(numbers), NUMBER, RetroRecord.CHANGES);
    search(
        request,
        true,
        one -> {
          Long number = one.getAttributeValueAsLong(NUMBER);
          if (number != null) {
            found.onModification(number, one.getAttributeValueBytes(RetroRecord.CHANGES));
          }
        });
  }

  private static Filter any(Collection<Long> numbers) {
    return Filter.createORFilter(
        numbers.stream()
            .map(one -> Filter.createEqualityFilter(NUMBER, Long.toString(one)))
            .toList());
  }

  private static void add(List<RetroRecord> records, SearchResultEntry found) {
    RetroRecord record = RetroRecord.of(found);
    if (record != null) {
      records.add(record);
    }
  }

  private static SearchRequest changes(Filter filter) {
    String[] wanted = RetroRecord.ATTRIBUTES.toArray(String[]::new);
    return request(CHANGELOG, SearchScope.ONE, filter, wanted);
  }

  /**
   * Reads entries. Missing and hidden entries are left out.
   *
   * @return true if the answer is complete; false if the server's size limit cut it
   */
  boolean entries(String base, Collection<Uuid> wanted, Consumer<SearchResultEntry> found)
      throws IOException {
    StringBuilder filter = new StringBuilder("(|");
    wanted.forEach(entry -> filter.append(FeedKind.CHANGELOG.entryFilter(entry)));
    try {
      Filter any = Filter.create(filter.append(')').toString());
      SearchRequest request = request(base, SearchScope.SUB, any, "*", "+", "hasSubordinates");
      return search(request, wanted.size() > 1, found);
    } catch (LDAPException e) {
      throw new IllegalStateException("hexadecimal digits are a filter", e);
    }
  }

  /**
   * Identifies the present content of a database, as far as visible: by the start time of the
   * server and the unique ID of the top entry.
   *
   * @return null if the top entry is not visible: the database is being imported, or the account
   *     lacks access
   * @throws IOException also if the account cannot read the start time
   */
  @Nullable String databaseId(String base) throws IOException {
    if (startTime == null) {
      String value = singleValue("cn=monitor", STARTED);
      if (value.isEmpty()) {
        throw new DescribedException(
            "the feed's account must be able to read " + STARTED + " of cn=monitor");
      }
      startTime = value;
    }
    String uppermost = topEntryId(base);
    return uppermost.isEmpty() ? null : startTime + " " + uppermost;
  }

  /** Returns the message for administrators if {@link #databaseId} returns null. */
  static String noDatabaseIdText(String base) {
    return "the feed's account cannot read "
        + TOP_ENTRY_ID
        + " of "
        + base
        + ": grant read access, unless the database is being imported";
  }

  private String topEntryId(String base) throws IOException {
    try {
      return singleValue(base, TOP_ENTRY_ID);
    } catch (IOException e) {
      if (e.getCause() instanceof LDAPException cause && OFFLINE.contains(cause.getResultCode())) {
        return "";
      }
      throw e;
    }
  }

  private String singleValue(String entry, String attribute) throws IOException {
    List<SearchResultEntry> found = new ArrayList<>();
    search(request(entry, SearchScope.BASE, anything(), attribute), false, found::add);
    String value = found.isEmpty() ? null : found.get(0).getAttributeValue(attribute);
    return value == null ? "" : value;
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

  /**
   * Searches and delivers each entry.
   *
   * @param cut true if the size limit may cut the answer
   * @return true if the answer is complete
   */
  private boolean search(SearchRequest request, boolean cut, Consumer<SearchResultEntry> found)
      throws IOException {
    try {
      connection.search(each(request, found));
      return true;
    } catch (LDAPSearchException e) {
      ResultCode code = e.getResultCode();
      if (code.equals(ResultCode.NO_SUCH_OBJECT)) {
        return true;
      }
      if (cut && code.equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
        return false;
      }
      String text = e.getDiagnosticMessage();
      boolean isServerText = text != null && !code.isClientSideResultCode();
      throw new DescribedException(isServerText ? code.getName() + ": " + text : code.getName(), e);
    }
  }

  /** Copies a search so that entries are delivered as they arrive. */
  private static SearchRequest each(SearchRequest request, Consumer<SearchResultEntry> found) {
    return new SearchRequest(
        new EntryListener(found),
        request.getControls(),
        request.getBaseDN(),
        request.getScope(),
        request.getDereferencePolicy(),
        request.getSizeLimit(),
        request.getTimeLimitSeconds(),
        request.typesOnly(),
        request.getFilter(),
        request.getAttributes());
  }

  /**
   * Starts a persistent search for new records. The server notifies before a write is done, and
   * also of writes that it gives up.
   *
   * @param onNotification called for each notification, on the reading thread
   * @param endListener called with the reason when notifications end
   */
  void listen(Runnable onNotification, Consumer<String> endListener) throws IOException {
    SearchRequest request =
        new SearchRequest(
            new NotificationListener(onNotification, endListener),
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
      throw new DescribedException(SdkLink.text(e), e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }

  /**
   * Delivers the entries of one search.
   *
   * <p>Threading: the requesting thread.
   */
  private static final class EntryListener implements SearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Consumer<SearchResultEntry> found;

    EntryListener(Consumer<SearchResultEntry> found) {
      this.found = found;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      found.accept(entry);
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // references to other directories are ignored
    }
  }

  /**
   * Receives the notifications of a persistent search.
   *
   * <p>Threading: reading thread.
   */
  private static final class NotificationListener implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Runnable notified;
    private final transient Consumer<String> endListener;

    NotificationListener(Runnable notified, Consumer<String> endListener) {
      this.notified = notified;
      this.endListener = endListener;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      notified.run();
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // a changelog has no references
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      endListener.accept("persistent search ended: " + result.getResultCode().getName());
    }
  }
}
