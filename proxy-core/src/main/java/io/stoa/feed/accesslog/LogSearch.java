// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import io.stoa.feed.accesslog.LogFeed.Anchor;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.FeedCapabilities;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the accesslog of a naming context.
 *
 * <p>Threading: thread of the feed.
 */
final class LogSearch {
  /** Matches records of successful writes. */
  static final Filter SUCCESSFUL_WRITES =
      Filter.createANDFilter(
          Filter.createEqualityFilter("objectClass", "auditWriteObject"),
          Filter.createEqualityFilter("reqResult", "0"));

  private static final Filter ANY = Filter.createPresenceFilter("objectClass");
  private static final int RID = 101;

  /**
   * Number of attempts to find a record: 5. The database may count a change before its record
   * exists.
   */
  private static final int TRIES = 5;

  private final LDAPConnection connection;
  private final String context;
  private final SyncContext syncContext;
  private final FeedCapabilities capabilities;
  private final List<String> contexts;

  LogSearch(LDAPConnection connection, String context, SyncContext syncContext)
      throws IOException, LDAPException {
    this.connection = connection;
    this.context = context;
    this.syncContext = syncContext;
    this.capabilities = FeedCapabilities.of(connection, context);
    SearchResultEntry root = connection.getEntry("", "namingContexts");
    String[] names = root == null ? null : root.getAttributeValues("namingContexts");
    this.contexts = names == null ? List.of() : List.of(names);
  }

  /**
   * An accesslog.
   *
   * <p>Threading: immutable.
   *
   * @param log its naming context
   * @param from its position
   * @param counted the position of the database, read afterwards
   * @param last a record that exists; null if none is known
   */
  record Found(String log, Cookie from, Cookie counted, @Nullable Anchor last) {}

  Cookie databasePosition() {
    return capabilities.position();
  }

  /** Returns the reason why there is no feed. */
  String refusal() {
    return capabilities.refusal(context);
  }

  /** Returns the scope of the naming context. */
  LogScope scope() {
    List<byte[]> others = contexts.stream().map(name -> name.getBytes(UTF_8)).toList();
    return new LogScope(syncContext.rules(), context.getBytes(UTF_8), others);
  }

  /** True if the naming context is itself an accesslog. */
  boolean isAccesslog() {
    return capabilities.log();
  }

  /**
   * True if the database itself accepts sync searches. Overlay syncprov may be loaded for other
   * databases only.
   */
  boolean supportsSync() throws LDAPException {
    if (!refusal().isEmpty()) {
      return false;
    }
    ASN1OctetString cookie = new ASN1OctetString(databasePosition().encode(RID));
    SearchRequest request = request(context, SearchScope.BASE, ANY, SearchRequest.NO_ATTRIBUTES);
    request.addControl(
        new ContentSyncRequestControl(true, ContentSyncRequestMode.REFRESH_ONLY, cookie, false));
    try {
      connection.search(request);
      return true;
    } catch (LDAPSearchException e) {
      if (e.getResultCode().isClientSideResultCode()) {
        throw e;
      }
      return !e.getResultCode().equals(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    }
  }

  /**
   * Finds a log that contains the last change of the naming context.
   *
   * @param configuredLog the configured naming context of the log; empty to search for it
   * @throws IOException if there is none; the message names the remedy
   */
  Found find(String configuredLog) throws IOException, LDAPException {
    List<String> logs = configuredLog.isEmpty() ? logs() : List.of(configuredLog);
    if (logs.isEmpty()) {
      throw new DescribedException(
          "no accesslog is readable by the account: load overlays syncprov and "
              + "accesslog for the database of "
              + context
              + ", and syncprov for the database of the log");
    }
    List<String> reasons = new ArrayList<>();
    for (String log : logs) {
      Cookie from = FeedCapabilities.position(connection, log);
      Cookie contextPosition =
          // read after the log: changes in between are reported
          FeedCapabilities.position(connection, context);
      Csn newest = contextPosition.newest();
      SearchResultEntry lastRecord = newest == null ? null : record(log, newest);
      if (!from.isEmpty() && lastRecord != null) {
        return new Found(log, from, contextPosition, last(log, from, lastRecord));
      }
      reasons.add(from.isEmpty() ? noContextCsn(log) : noRecord(log));
    }
    throw new DescribedException(String.join("; ", reasons));
  }

  private static String noContextCsn(String log) {
    return "accesslog "
        + log
        + " shows no contextCSN: load overlay syncprov for its database, and let the "
        + "account read all of it. The cause may also be that nothing has been "
        + "written yet";
  }

  private String noRecord(String log) {
    return "accesslog "
        + log
        + " has no readable record of the last change of "
        + context
        + ": change an entry there once. If the message stays, it may be the log of another "
        + "database";
  }

  private List<String> logs() throws LDAPException {
    List<String> logs = new ArrayList<>();
    for (String name : contexts) {
      if (isLog(name)) {
        logs.add(name);
      }
    }
    return logs;
  }

  private boolean isLog(String name) throws LDAPException {
    Filter log = Filter.createEqualityFilter("objectClass", "auditContainer");
    return !search(request(name, SearchScope.BASE, log, SearchRequest.NO_ATTRIBUTES)).isEmpty();
  }

  /** Returns the record of a change in the naming context; null if it cannot be found. */
  private @Nullable SearchResultEntry record(String log, Csn csn) throws LDAPException {
    for (int i = 0; i < TRIES; i++) {
      for (SearchResultEntry found : records(log, csn)) {
        LogRecord record = LogRecord.of(parsed(found), syncContext.rules()::name);
        if (record != null && scope().holds(record)) {
          return found;
        }
      }
    }
    return null;
  }

  private List<SearchResultEntry> records(String log, Csn csn) throws LDAPException {
    Filter filter =
        Filter.createANDFilter(
            SUCCESSFUL_WRITES, Filter.createEqualityFilter("entryCSN", csn.text()));
    List<String> wanted = new ArrayList<>(LogRecord.ATTRIBUTES);
    wanted.add("entryUUID");
    String[] all = wanted.toArray(String[]::new);
    return search(request(log, SearchScope.SUB, filter, all));
  }

  private SearchEntry parsed(SearchResultEntry entry) {
    SearchEntry parsed =
        new EntryConverter(syncContext.secret()).withoutSecrets(EntryConverter.encode(entry));
    if (parsed == null) {
      throw new IllegalArgumentException("an entry decoded by the SDK is malformed");
    }
    return parsed;
  }

  /** Returns the newest record that can be found. Older records are removed from the log sooner. */
  private @Nullable Anchor last(String log, Cookie from, SearchResultEntry fallback)
      throws LDAPException {
    Csn newest = from.newest();
    List<SearchResultEntry> all = newest == null ? List.of() : records(log, newest);
    SearchResultEntry last = all.isEmpty() ? fallback : all.get(0);
    String id = last.getAttributeValue("entryUUID");
    Uuid uuid = id == null ? null : Uuid.parse(id.getBytes(UTF_8));
    return uuid == null ? null : new Anchor(last.getDN().getBytes(UTF_8), uuid);
  }

  private static SearchRequest request(
      String base, SearchScope scope, Filter filter, String... attributes) {
    return new SearchRequest(base, scope, DereferencePolicy.NEVER, 0, 0, false, filter, attributes);
  }

  private List<SearchResultEntry> search(SearchRequest request) throws LDAPException {
    try {
      return connection.search(request).getSearchEntries();
    } catch (LDAPSearchException e) {
      if (e.getResultCode().isClientSideResultCode()) {
        throw e;
      }
      return List.of();
    }
  }
}
