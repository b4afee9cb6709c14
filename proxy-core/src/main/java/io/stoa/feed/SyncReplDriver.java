// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.change.Room;
import io.stoa.filter.Uuid;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One refreshAndPersist search on a connection of its own. What it hears is only handed on here, so
 * that a receiver that is slow for a while does not hold up the server; one that does not come
 * along does, in the end. Thread-safe.
 */
final class SyncReplDriver {
  /** More than this does not wait for the receiver: nothing is read then. */
  private static final long MOST_WAITING = 64L * 1024 * 1024;

  private static final int FIXED = 200;
  private static final int RID = 100;

  private final LDAPConnection connection;
  private final SyncEvents events;
  private final Executor own;
  private final Room room = new Room(MOST_WAITING);

  /**
   * Makes it.
   *
   * @param own on which the events are told, one after the other
   */
  SyncReplDriver(LDAPConnection connection, SyncEvents events, Executor own) {
    this.connection = connection;
    this.events = events;
    this.own = own;
  }

  /** Begins the search. */
  void start(FeedOffer.Target target, Cookie cookie) throws LDAPException {
    Listener listener = new Listener();
    ASN1OctetString begin = new ASN1OctetString(cookie.encode(RID));
    Control[] controls = {
      new ContentSyncRequestControl(true, ContentSyncRequestMode.REFRESH_AND_PERSIST, begin, false),
      new ManageDsaITRequestControl(true)
    };
    SearchRequest search =
        new SearchRequest(
            listener,
            controls,
            target.base(),
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            target.filter(),
            target.attributes().toArray(String[]::new));
    search.setResponseTimeoutMillis(0);
    search.setIntermediateResponseListener(listener);
    connection.asyncSearch(search);
  }

  /** Hands on what was read, when there is room for it; for the thread that reads. */
  private void post(long octets, Runnable event) {
    room.use(octets + FIXED);
    own.execute(
        () -> {
          try {
            event.run();
          } finally {
            room.free(octets + FIXED);
          }
        });
  }

  /**
   * Something was not answered in time: that says nothing if the answer may be behind what was not
   * read, for want of room.
   */
  void silent(String why) {
    long patience = connection.getConnectionOptions().getResponseTimeoutMillis();
    if (!room.isShort(Duration.ofMillis(2 * patience))) {
      own.execute(() -> events.lost(why));
    }
  }

  /** Ends the connection; nobody is held up any more. */
  void end() {
    room.close();
    connection.close();
  }

  /** Hears the SDK, on the thread that reads the connection (confined to it). */
  private final class Listener implements AsyncSearchResultListener, IntermediateResponseListener {
    private static final long serialVersionUID = 1L;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      try {
        ContentSyncStateControl told = ContentSyncStateControl.get(entry);
        byte[] octets = Entries.octets(entry);
        state(told, octets);
      } catch (LDAPException e) {
        unreadable(e);
      }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      try {
        state(ContentSyncStateControl.get(reference), null);
      } catch (LDAPException e) {
        unreadable(e);
      }
    }

    private void state(@Nullable ContentSyncStateControl told, byte @Nullable [] octets) {
      if (told == null) {
        own.execute(() -> events.lost("an entry comes without a state: the server does not sync"));
        return;
      }
      SyncEvents.SyncState state = SyncEvents.SyncState.valueOf(told.getState().name());
      Uuid uuid = uuid(told.getEntryUUID());
      Cookie cookie = cookie(told.getCookie());
      post(octets == null ? 0 : octets.length, () -> events.entry(state, uuid, octets, cookie));
    }

    @Override
    public void intermediateResponseReturned(IntermediateResponse response) {
      try {
        ContentSyncInfoIntermediateResponse info =
            ContentSyncInfoIntermediateResponse.decode(response);
        SyncEvents.SyncInfo kind = SyncEvents.SyncInfo.valueOf(info.getType().name());
        List<UUID> named = info.getEntryUUIDs();
        List<Uuid> uuids =
            named == null ? List.of() : named.stream().map(SyncReplDriver::uuid).toList();
        Cookie cookie = cookie(info.getCookie());
        boolean done = info.refreshDone();
        boolean deletes = info.refreshDeletes();
        post(16L * uuids.size(), () -> events.info(kind, cookie, done, deletes, uuids));
      } catch (LDAPException e) {
        unreadable(e);
      }
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      String diagnostic = String.valueOf(result.getDiagnosticMessage());
      if (result.getResultCode().isClientSideResultCode()) {
        own.execute(() -> events.lost(result.getResultCode().getName() + ": " + diagnostic));
        return;
      }
      Cookie cookie = null;
      boolean deletes = false;
      try {
        ContentSyncDoneControl told = ContentSyncDoneControl.get(result);
        cookie = told == null ? null : cookie(told.getCookie());
        deletes = told != null && told.refreshDeletes();
      } catch (LDAPException e) {
        // the result counts, whatever is wrong with its cookie
      }
      done(result.getResultCode().intValue(), cookie, deletes, diagnostic);
    }

    private void done(int code, @Nullable Cookie cookie, boolean deletes, String diagnostic) {
      own.execute(() -> events.done(code, cookie, deletes, diagnostic));
    }

    private void unreadable(LDAPException e) {
      String why = String.valueOf(e.getMessage());
      own.execute(() -> events.lost("a message cannot be read: " + why));
    }
  }

  private static Uuid uuid(UUID uuid) {
    return new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  private static @Nullable Cookie cookie(@Nullable ASN1OctetString cookie) {
    return cookie == null ? null : Cookie.parse(cookie.getValue());
  }
}
