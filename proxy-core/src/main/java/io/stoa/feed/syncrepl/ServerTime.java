// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.StaticUtils;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start time and the clock of a slapd process, as {@code cn=Time,cn=Monitor} shows them.
 *
 * <p>Threading: immutable.
 *
 * @param started the start time, in seconds since 1970
 * @param second the clock when the server answered, in whole seconds since 1970
 * @param sentNanos a time before the request was sent, by the monotonic clock of this process
 * @param heardNanos the time when the response had arrived, by the same clock
 */
record ServerTime(long started, long second, long sentNanos, long heardNanos) {
  private static final String BASE = "cn=Time,cn=Monitor";
  private static final String TIMESTAMP = "monitorTimestamp";
  private static final String START = "cn=start,";
  private static final String CURRENT = "cn=current,";

  /**
   * Reads both times from the server.
   *
   * @return null if the server answers without both times
   * @throws LDAPException if the server does not answer
   */
  static @Nullable ServerTime read(LDAPConnection connection, Duration timeout)
      throws LDAPException {
    SearchRequest request = new SearchRequest(BASE, SearchScope.ONE, "(objectClass=*)", TIMESTAMP);
    request.setResponseTimeoutMillis(timeout.toMillis());
    long sent = System.nanoTime();
    List<SearchResultEntry> entries;
    try {
      entries = connection.search(request).getSearchEntries();
    } catch (LDAPSearchException e) {
      if (e.getResultCode().isClientSideResultCode() || !connection.isConnected()) {
        throw e;
      }
      return null;
    }
    return of(entries, sent, System.nanoTime());
  }

  private static @Nullable ServerTime of(
      List<SearchResultEntry> entries, long sentNanos, long receivedNanos) {
    Long started = second(entries, START);
    Long now = second(entries, CURRENT);
    return started == null || now == null
        ? null
        : new ServerTime(started, now, sentNanos, receivedNanos);
  }

  private static @Nullable Long second(List<SearchResultEntry> entries, String name) {
    for (SearchResultEntry entry : entries) {
      String text = entry.getAttributeValue(TIMESTAMP);
      if (text != null && StaticUtils.toLowerCase(entry.getDN()).startsWith(name)) {
        return second(text);
      }
    }
    return null;
  }

  private static @Nullable Long second(String text) {
    try {
      return StaticUtils.decodeGeneralizedTime(text).toInstant().getEpochSecond();
    } catch (ParseException e) {
      return null;
    }
  }
}
