// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.net.transport.FailureText;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is bound with the account of a feed.
 *
 * <p>Until {@link #listen}, the SDK sends requests with one response each. Then messages are
 * delivered undecoded: creating SDK objects for all values of a large entry costs more than their
 * whole processing.
 *
 * <p>Threading: thread-safe.
 */
public final class FeedConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FeedConnection.class);
  private static final int BUFFER = 64 * 1024;

  private final LDAPConnection connection;
  private final Deadline deadline;
  private final Socket socket;
  private final int maxOctets;

  /**
   * Wraps a connection.
   *
   * @param connection the connection in synchronous mode: it reads only after a request
   * @param deadline the deadline until {@link #listen}; knows the socket
   * @param maxOctets the maximum size of a message, in bytes
   */
  FeedConnection(LDAPConnection connection, Deadline deadline, int maxOctets) {
    this.connection = connection;
    this.deadline = deadline;
    this.socket = deadline.last();
    this.maxOctets = maxOctets;
  }

  /** Receives messages on the reading thread. */
  public interface Receiver {
    /** Called for each message. The receiver must release it. */
    void onMessage(LdapMessage message);

    /** Called once, after the last message. */
    void onLost(String why);
  }

  /** Returns the SDK connection, for one request at a time before {@link #listen}. */
  public LDAPConnection sdk() {
    return connection;
  }

  /**
   * Starts to read and deliver messages. From now on the SDK must not be used.
   *
   * @param thread the name of the reading thread
   * @param context the naming context of the feed, for the log
   */
  public void listen(String thread, String context, Receiver receiver) throws IOException {
    deadline.close();
    socket.setSoTimeout(0); // heartbeats have timeouts of their own
    InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    FrameReader frames = new FrameReader(in, maxOctets);
    Thread readerThread =
        new Thread(() -> receiver.onLost(readAll(frames, context, receiver)), thread);
    readerThread.setDaemon(true);
    readerThread.start();
  }

  private static String readAll(FrameReader frames, String context, Receiver receiver) {
    try {
      for (LdapMessage next = frames.next(); next != null; next = frames.next()) {
        receiver.onMessage(next);
      }
      return "the server closed the connection";
    } catch (LdapProtocolException e) {
      return "malformed message: " + e.getMessage();
    } catch (IOException e) {
      return "connection lost: " + FailureText.of(e);
    } catch (RuntimeException | Error e) {
      LOG.error(
          "feed of {}: a message could not be processed: internal error or out of memory. The "
              + "connection is closed, and the feed connects again",
          context,
          e);
      return "internal error; see the log"; // otherwise the feed would seem to be alive
    }
  }

  /**
   * Sends a request and releases it; only after {@link #listen}. The call does not block on a
   * server that does not read, if the caller keeps only a few requests unanswered.
   *
   * @throws IOException if the connection has ended
   */
  public synchronized void send(LdapMessage request) throws IOException {
    ByteBuf octets = Unpooled.buffer();
    Envelope.write(octets, request.messageId(), request.body());
    request.release();
    OutputStream out = socket.getOutputStream();
    out.write(octets.array(), 0, octets.readableBytes());
    out.flush();
  }

  @Override
  public void close() {
    deadline.close();
    connection.close();
  }
}
