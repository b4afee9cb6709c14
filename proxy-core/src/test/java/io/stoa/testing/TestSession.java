// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.net.peer.Peer;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A client's session without a connection. It sends requests to a stage, and records the ends of
 * its operations in order.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class TestSession implements ClientSession {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  private final ManualLoop loop;
  private ClientIdentity identity = ClientIdentity.ANONYMOUS;
  private Restriction restriction = Restriction.NONE;
  private Peer peer = Peer.UNKNOWN;
  private boolean open = true;
  private int room = Integer.MAX_VALUE;
  private int lastId;
  private RecordedResponse last;
  private final List<String> ends = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();
  private final List<Runnable> resets = new ArrayList<>();
  private final List<Operation> operations = new ArrayList<>();

  public TestSession(ManualLoop loop) {
    this.loop = loop;
  }

  /** Gives the session the identity of a simple bind, with its password. */
  public TestSession bind(String dn, String password) {
    try {
      LdapMessage request = message(1, Requests.bind(dn, password));
      byte[] name = dn.getBytes(StandardCharsets.UTF_8);
      identity = ClientIdentity.simple(name, Credentials.of(request, false));
      request.release();
      return this;
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  /** Gives the session an identity without a password. */
  public TestSession named(String dn) {
    return as(ClientIdentity.simple(dn.getBytes(StandardCharsets.UTF_8), null));
  }

  public TestSession as(ClientIdentity who) {
    identity = who;
    return this;
  }

  /** Sets the properties of its connection. */
  public TestSession from(Peer origin) {
    peer = origin;
    return this;
  }

  /** Sets the octets that may be held for the client. */
  public TestSession room(int octets) {
    room = octets;
    return this;
  }

  /** Returns the octets that may still be held for the client. */
  public int room() {
    return room;
  }

  private static LdapMessage message(int id, RawRequest request) throws LdapProtocolException {
    return LdapMessage.parse(Unpooled.wrappedBuffer(request.encode(id)));
  }

  /** Creates an operation with the next messageID. */
  public Operation operation(RawRequest request) {
    int id = ++lastId;
    try {
      Operation operation =
          new Operation(
              this,
              message(id, request),
              DECODER,
              loop.now(),
              own -> last = new RecordedResponse(own, how -> ends.add(id + " " + how)));
      operations.add(operation);
      return operation;
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a request to a stage, decoded as {@code RequestDispatch} does. */
  public RecordedResponse send(RawRequest request, Stage to) {
    Operation operation = operation(request);
    RecordedResponse response = last;
    operation.request();
    to.handle(operation);
    return response;
  }

  /** Returns the sink of the operation that was created last. */
  public RecordedResponse lastResponse() {
    return last;
  }

  /** Abandons the operation with a messageID. */
  public void abandon(int messageId) {
    operations.get(messageId - 1).abandon();
  }

  /** Abandons all operations and wipes the password, since the client has left. */
  public void leave() {
    open = false;
    operations.forEach(Operation::abandon);
    reset();
    identity = identity.wipeCredentials();
  }

  /** Runs the actions that follow a bind, or the end of the session. */
  public void reset() {
    List<Runnable> all = List.copyOf(resets);
    resets.clear();
    all.forEach(Runnable::run);
  }

  /** Returns the ends of its operations, in order: messageID and outcome. */
  public List<String> ends() {
    return ends;
  }

  /** Returns the reasons for which the session was ended. */
  public List<String> losses() {
    return losses;
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }

  @Override
  public EventExecutor executor() {
    return loop.executor();
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public boolean mayStartTls() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public Restriction restriction() {
    return restriction;
  }

  @Override
  public void restrict(Restriction stronger) {
    restriction = stronger.compareTo(restriction) > 0 ? stronger : restriction;
  }

  @Override
  public Doubt doubt() {
    Restriction before = restriction;
    restriction = Restriction.EXCLUSIVE;
    return state -> restriction = state ? Restriction.EXCLUSIVE : before;
  }

  @Override
  public void onReset(Runnable action) {
    resets.add(action);
  }

  @Override
  public boolean admitLongLived(Operation operation) {
    return true;
  }

  @Override
  public boolean reserve(int octets) {
    boolean fits = octets <= room;
    room -= fits ? octets : 0;
    return fits;
  }

  @Override
  public void giveBack(int octets) {
    room += octets;
  }

  @Override
  public SaslBind sasl() {
    throw new AssertionError("the test binds by password only");
  }

  @Override
  public void notify(LdapMessage unsolicited) {
    unsolicited.release();
  }

  @Override
  public void disconnect(Rejection reason) {
    lose(reason.name());
  }

  @Override
  public void onConnectionLost(boolean byServer) {
    lose(byServer ? "closed by the server" : Rejection.STATE_LOST.name());
  }

  /** Ends the session, as a client connection does. */
  private void lose(String reason) {
    if (open) {
      losses.add(reason);
      leave();
    }
  }
}
