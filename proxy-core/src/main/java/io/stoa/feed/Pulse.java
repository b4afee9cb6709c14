// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.change.PositionReader;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks on the connection of a feed how far the server has got: whoever does not answer in time is
 * not there any more, however quiet a directory may be. Immutable.
 *
 * @param base the naming context
 * @param timeoutMillis how long an answer may take
 * @param told hears what the server says, on the thread that reads; perhaps that it says nothing
 * @param failed hears that there was no answer, and why
 */
record Pulse(String base, long timeoutMillis, Consumer<Cookie> told, Consumer<String> failed) {

  /** Asks once. */
  void ask(LDAPConnection connection) {
    Answer answer = new Answer(this);
    SearchRequest search =
        new SearchRequest(
            answer,
            base,
            SearchScope.BASE,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.createPresenceFilter("objectClass"),
            PositionReader.CONTEXT_CSN);
    search.setResponseTimeoutMillis(timeoutMillis);
    try {
      connection.asyncSearch(search);
    } catch (LDAPException e) {
      failed.accept(SdkLink.text(e));
    }
  }

  /** What the server has and the feed lacks. Confined to the thread of the feed. */
  static final class Lack {
    private @Nullable Cookie missing;
    private long since;

    /**
     * For how long the feed has lacked something that the server had, in nanoseconds.
     *
     * @param reached how far the feed has come
     * @param counted how far the server has got
     */
    long nanos(Cookie reached, Cookie counted, long now) {
      Cookie before = missing;
      if (before == null || reached.covers(before)) {
        missing = reached.covers(counted) ? null : counted;
        since = now;
      }
      return now - since;
    }
  }

  /** One answer, on the thread that reads (confined to it). */
  private static final class Answer implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Pulse pulse;
    private transient Cookie position = Cookie.NONE;

    Answer(Pulse pulse) {
      this.pulse = pulse;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      String[] csns = entry.getAttributeValues(PositionReader.CONTEXT_CSN);
      position = csns == null ? Cookie.NONE : Cookie.of(List.of(csns));
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // there is nothing to be read elsewhere
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      if (result.getResultCode().isClientSideResultCode()) {
        pulse.failed.accept("it does not answer: " + result.getResultCode().getName());
      } else {
        pulse.told.accept(position);
      }
    }
  }
}
