// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is bound as the account of a feed. The SDK has made it, and asks on it what has
 * one answer each, as long as nobody listens. Then its messages come as they are: to make an object
 * of each of the values of a large entry takes the SDK longer than all that is done with it.
 * Thread-safe.
 */
public final class FeedConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FeedConnection.class);
  private static final int BUFFER = 64 * 1024;

  private final LDAPConnection connection;
  private final Deadline deadline;
  private final Socket socket;
  private final int mostOctets;

  /**
   * Takes it.
   *
   * @param connection reads only when it has asked something: it is in synchronous mode
   * @param deadline by when somebody listens, over its socket
   * @param mostOctets of one message
   */
  FeedConnection(LDAPConnection connection, Deadline deadline, int mostOctets) {
    this.connection = connection;
    this.deadline = deadline;
    this.socket = deadline.last();
    this.mostOctets = mostOctets;
  }

  /** Hears what comes, on the thread that reads. */
  public interface Receiver {
    /** A message, which belongs to who hears it. */
    void heard(LdapMessage message);

    /** There will be no more. */
    void lost(String why);
  }

  /** For questions, one after the other, before anybody listens. */
  public LDAPConnection asking() {
    return connection;
  }

  /**
   * From now on nothing is asked by the SDK, and whatever comes is heard.
   *
   * @param thread the name of the one that reads
   */
  public void listen(String thread, Receiver ear) throws IOException {
    deadline.close();
    socket.setSoTimeout(0); // who waits for an answer looks at the clock itself
    InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    FrameReader frames = new FrameReader(in, mostOctets);
    Thread reading = new Thread(() -> ear.lost(hearAll(frames, ear)), thread);
    reading.setDaemon(true);
    reading.start();
  }

  private static String hearAll(FrameReader frames, Receiver ear) {
    try {
      for (LdapMessage next = frames.next(); next != null; next = frames.next()) {
        ear.heard(next);
      }
      return "the server has ended the connection";
    } catch (LdapProtocolException e) {
      return "what the server sends cannot be read: " + e.getMessage();
    } catch (IOException e) {
      return "the connection has broken: " + e.getMessage();
    } catch (RuntimeException | Error e) {
      LOG.error("what a server sends cannot be taken: a defect, or a want of memory", e);
      return "a defect: " + e; // else the feed would seem to be there
    }
  }

  /**
   * Sends a request, which is taken over; for those who listen. Who sends no more than a few
   * requests before each answer is not held up by a server that does not read.
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
