// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.ByteSemaphore;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one refreshAndPersist search on a connection of its own and, if required, a second refresh
 * from the same cookie.
 *
 * <p>Messages are decoded here and queued for the receiver, so that a brief delay of the receiver
 * does not hold up the server. When the queue is full, reading stops (back-pressure).
 *
 * <p>Threading: thread-safe.
 */
final class SyncReplDriver {
  /** Maximum size of queued messages: 64 MiB. Beyond it, reading stops. */
  private static final long MAX_QUEUED_BYTES = 64L * 1024 * 1024;

  private static final int FIXED = 200;
  private static final int RID = 100;

  /** The messageID of the search. Heartbeats use the following ones. */
  private static final int SEARCH = 1;

  /** The messageID of the second refresh. */
  private static final int AGAIN = Integer.MAX_VALUE;

  /** The messageID of the searches of the refresh barrier. */
  private static final int SHOWN = AGAIN - 1;

  /** The messageID of unsolicited notifications (RFC 4511, section 4.4). */
  private static final int UNSOLICITED = 0;

  private static final int SUBTREE = 2;
  private static final int RESPONSE_NAME = 0x80;
  private static final int RESPONSE_VALUE = 0x81;

  private final FeedConnection connection;
  private final SyncEvents events;
  private final Executor executor;
  private final ByteSemaphore queueLimit = new ByteSemaphore(MAX_QUEUED_BYTES);
  private final AtomicReference<@Nullable PendingRefresh> pendingRefresh = new AtomicReference<>();
  private volatile @Nullable RefreshBarrier barrier;

  /**
   * The second refresh that may be required.
   *
   * <p>Threading: immutable.
   */
  private record PendingRefresh(FeedCapabilities.Target target, Cookie since) {}

  /**
   * Creates a driver that has not begun.
   *
   * @param executor runs the events, one after the other
   */
  SyncReplDriver(FeedConnection connection, SyncEvents events, Executor executor) {
    this.connection = connection;
    this.events = events;
    this.executor = executor;
  }

  /**
   * Begins the search.
   *
   * @param receiver receives the position of the server after each heartbeat, on the reading thread
   * @return the heartbeat of the connection
   */
  Heartbeat start(
      FeedCapabilities.Target target, Cookie cookie, String context, Consumer<Cookie> receiver)
      throws IOException {
    Heartbeat heartbeat = new Heartbeat(connection, context, SEARCH, receiver);
    connection.listen("stoa-feed-connection", context, new SearchReceiver(heartbeat));
    pendingRefresh.set(new PendingRefresh(target, cookie));
    search(SEARCH, ContentSyncRequestMode.REFRESH_AND_PERSIST, target, cookie);
    return heartbeat;
  }

  /**
   * Requests the changes since the initial cookie once more, while the search persists. Waits first
   * until the server shows everything it has reported so far. Further calls have no effect.
   *
   * @param position the position of the server as received so far
   * @param context the naming context, as named in positions
   */
  void refreshAgain(EventExecutor timer, Supplier<Position> position, String context) {
    PendingRefresh pending = pendingRefresh.getAndSet(null);
    if (pending != null) {
      RefreshBarrier.Callbacks callbacks =
          new RefreshBarrier.Callbacks(executor, () -> refreshAgain(pending), this::onLost);
      RefreshBarrier.FeedScope scope =
          new RefreshBarrier.FeedScope(pending.target().base(), context);
      RefreshBarrier next = new RefreshBarrier(connection, SHOWN, scope, timer, callbacks);
      barrier = next;
      next.begin(position);
    }
  }

  private void refreshAgain(PendingRefresh pending) {
    try {
      search(AGAIN, ContentSyncRequestMode.REFRESH_ONLY, pending.target(), pending.since());
    } catch (IOException e) {
      onLost("search not sent: " + FailureText.of(e));
    }
  }

  private void onLost(String why) {
    executor.execute(() -> events.onLost(why));
  }

  private void search(
      int messageId, ContentSyncRequestMode mode, FeedCapabilities.Target target, Cookie cookie)
      throws IOException {
    ASN1OctetString cookieOctets = new ASN1OctetString(cookie.encode(RID));
    ContentSyncRequestControl sync = new ContentSyncRequestControl(true, mode, cookieOctets, false);
    List<Control> controls =
        List.of(
            new Control(sync.getOID(), true, sync.getValue().getValue()),
            new Control(ManageDsaITRequestControl.MANAGE_DSA_IT_REQUEST_OID, true, null));
    connection.send(LdapMessage.of(messageId, target.request(SUBTREE), controls));
  }

  /** Queues an event, waiting for room; called on the reading thread. */
  private void post(long octets, Runnable event) {
    queueLimit.acquire(octets + FIXED);
    executor.execute(
        () -> {
          try {
            event.run();
          } finally {
            queueLimit.release(octets + FIXED);
          }
        });
  }

  /**
   * Reports the connection as lost because a heartbeat timed out. Has no effect if reading has
   * paused recently for lack of room: the answer may be behind unread messages.
   */
  void onHeartbeatTimeout(String why, Duration patience) {
    if (!queueLimit.isContended(patience.multipliedBy(2))) {
      executor.execute(() -> events.onLost(why));
    }
  }

  /** Closes the connection and releases a reading thread that waits for room. */
  void end() {
    queueLimit.close();
    connection.close();
  }

  /**
   * Receives the messages of the server.
   *
   * <p>Threading: reading thread.
   */
  private final class SearchReceiver implements FeedConnection.Receiver {
    private final Heartbeat heartbeat;

    SearchReceiver(Heartbeat heartbeat) {
      this.heartbeat = heartbeat;
    }

    @Override
    public void onMessage(LdapMessage message) {
      try {
        switch (message.messageId()) {
          case SEARCH, AGAIN -> onSyncMessage(message);
          case SHOWN -> onBarrierMessage(message);
          case UNSOLICITED -> onLost("notice of disconnection: " + diagnostic(message.copyOp()));
          default -> heartbeat.onResponse(message);
        }
      } catch (LdapProtocolException e) {
        onLost("malformed message: " + e.getMessage());
      } catch (LDAPException e) {
        onLost("malformed message: " + SdkLink.text(e));
      } finally {
        message.release();
      }
    }

    @Override
    public void onLost(String why) {
      SyncReplDriver.this.onLost(why);
    }

    private void onBarrierMessage(LdapMessage message) throws LdapProtocolException {
      RefreshBarrier present = barrier;
      if (present != null) {
        present.onResponse(message);
      }
    }

    private void onSyncMessage(LdapMessage message) throws LdapProtocolException, LDAPException {
      switch (message.type()) {
        case SEARCH_RESULT_ENTRY -> state(message, message.copyOp());
        case SEARCH_RESULT_REFERENCE -> state(message, null);
        case INTERMEDIATE_RESPONSE -> onInfo(message);
        case SEARCH_RESULT_DONE -> onDone(message);
        default -> onLost("unexpected response to the sync search: " + message.type());
      }
    }

    private void state(LdapMessage message, byte @Nullable [] octets)
        throws LdapProtocolException, LDAPException {
      String oid = ContentSyncStateControl.SYNC_STATE_OID;
      Control control = control(message, oid);
      if (control == null) {
        onLost("entry without a sync state control: the server does not support RFC 4533");
        return;
      }
      ContentSyncStateControl decoded =
          new ContentSyncStateControl(oid, control.critical(), value(control));
      SyncEvents.SyncState state = SyncEvents.SyncState.valueOf(decoded.getState().name());
      Uuid uuid = uuid(decoded.getEntryUUID());
      Cookie cookie = cookie(decoded.getCookie());
      post(octets == null ? 0 : octets.length, () -> events.onEntry(state, uuid, octets, cookie));
    }

    private void onInfo(LdapMessage message) throws LdapProtocolException, LDAPException {
      ContentSyncInfoIntermediateResponse info =
          ContentSyncInfoIntermediateResponse.decode(intermediate(message.copyOp()));
      SyncEvents.SyncInfo kind = SyncEvents.SyncInfo.valueOf(info.getType().name());
      List<UUID> entryUuids = info.getEntryUUIDs();
      List<Uuid> uuids =
          entryUuids == null ? List.of() : entryUuids.stream().map(SyncReplDriver::uuid).toList();
      Cookie cookie = cookie(info.getCookie());
      boolean done = info.refreshDone();
      boolean deletes = info.refreshDeletes();
      post(16L * uuids.size(), () -> events.onInfo(kind, cookie, done, deletes, uuids));
    }

    /** Handles the result, which counts even if its control cannot be decoded. */
    private void onDone(LdapMessage message) throws LdapProtocolException {
      byte[] op = message.copyOp();
      int code = LdapResult.codeOf(op);
      String diagnostic = diagnostic(op);
      Cookie cookie = null;
      boolean deletes = false;
      try {
        String oid = ContentSyncDoneControl.SYNC_DONE_OID;
        Control control = control(message, oid);
        ContentSyncDoneControl decoded =
            control == null
                ? null
                : new ContentSyncDoneControl(oid, control.critical(), value(control));
        cookie = decoded == null ? null : cookie(decoded.getCookie());
        deletes = decoded != null && decoded.refreshDeletes();
      } catch (LDAPException e) {
        // treated as if there were no control
      }
      end(message.messageId(), code, cookie, deletes, diagnostic);
    }

    private void end(
        int messageId, int code, @Nullable Cookie cookie, boolean deletes, String diagnostic) {
      executor.execute(
          () -> {
            if (messageId == AGAIN) {
              events.onSecondRefresh(code, deletes, diagnostic);
            } else {
              events.onDone(code, cookie, deletes, diagnostic);
            }
          });
    }
  }

  private static @Nullable Control control(LdapMessage message, String oid)
      throws LdapProtocolException {
    return ResponseControls.decode(message).stream()
        .filter(control -> control.oid().equals(oid))
        .findFirst()
        .orElse(null);
  }

  private static @Nullable ASN1OctetString value(Control control) {
    byte[] value = control.value();
    return value == null ? null : new ASN1OctetString(value);
  }

  /** Decodes an IntermediateResponse (RFC 4511, section 4.13). */
  private static IntermediateResponse intermediate(byte[] op) throws LdapProtocolException {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_RESPONSE);
    reader.enter(OpType.INTERMEDIATE_RESPONSE.tag());
    String name =
        reader.peekTag() == RESPONSE_NAME
            ? new String(reader.octets(RESPONSE_NAME), StandardCharsets.US_ASCII)
            : null;
    byte[] value = reader.peekTag() == RESPONSE_VALUE ? reader.octets(RESPONSE_VALUE) : null;
    return new IntermediateResponse(name, value == null ? null : new ASN1OctetString(value));
  }

  private static String diagnostic(byte[] op) {
    return new String(LdapResult.diagnosticOf(op), StandardCharsets.UTF_8);
  }

  private static Uuid uuid(UUID uuid) {
    return new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  private static @Nullable Cookie cookie(@Nullable ASN1OctetString cookie) {
    return cookie == null ? null : Cookie.parse(cookie.getValue());
  }
}
