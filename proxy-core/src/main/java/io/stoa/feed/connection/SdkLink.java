// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Opens connections with the account of a feed. Each step has a timeout, and all steps together
 * have a deadline.
 *
 * <p>Threading: immutable.
 *
 * @param account the credentials
 * @param timeout the timeout of each step and of each response
 * @param maxOctets the maximum size of a message, in bytes
 */
public record SdkLink(FeedCredentials account, Duration timeout, int maxOctets) {
  /** Number of steps: connect, TLS, bind. */
  private static final int STEPS = 3;

  /**
   * Number of requests before {@link FeedConnection#listen} that may each take the full timeout: 5.
   * An accesslog needs more requests, within the same deadline.
   */
  private static final int REQUESTS = 5;

  /**
   * Opens a bound connection.
   *
   * @throws IOException if there is none; the message is for administrators and contains no
   *     password
   */
  public LDAPConnection open(FeedServer server) throws IOException {
    try (Deadline deadline = new Deadline(timeout.multipliedBy(STEPS))) {
      return connectAndBind(server, options(), deadline);
    }
  }

  /**
   * Opens a bound connection for a feed: first for requests, then for {@link
   * FeedConnection#listen}.
   *
   * @throws IOException as {@link #open}
   */
  public FeedConnection openForFeed(FeedServer server) throws IOException {
    LDAPConnectionOptions options = options();
    options.setUseSynchronousMode(true);
    Deadline deadline = new Deadline(timeout.multipliedBy(STEPS + REQUESTS));
    FeedConnection feedConnection = null;
    try {
      LDAPConnection connection = connectAndBind(server, options, deadline);
      feedConnection = new FeedConnection(connection, deadline, maxOctets);
      return feedConnection;
    } finally {
      if (feedConnection == null) {
        deadline.close();
      }
    }
  }

  private LDAPConnection connectAndBind(
      FeedServer server, LDAPConnectionOptions options, Deadline deadline) throws IOException {
    LDAPConnection connection = null;
    boolean usable = false;
    try (HeldPassword password = account.password()) {
      SimpleBindRequest bind = new SimpleBindRequest(account.dn(), password);
      bind.setResponseTimeoutMillis(timeout.toMillis());
      connection = connect(server, options, deadline::watch);
      connection.bind(bind);
      usable = true;
      return connection;
    } catch (LDAPException e) {
      throw new DescribedException(deadline.explain(text(e)), e);
    } finally {
      if (!usable && connection != null) {
        connection.close();
      }
    }
  }

  /**
   * Returns the text of an exception for administrators: the name of the result code, and the
   * diagnostic message of the server. A failure of the connection has its cause instead.
   */
  public static String text(LDAPException e) {
    ResultCode code = e.getResultCode();
    String why = code.isClientSideResultCode() ? FailureText.known(e) : e.getDiagnosticMessage();
    return why == null || why.isBlank() ? code.getName() : code.getName() + ": " + why;
  }

  /** Connects and negotiates TLS. StartTLS makes two sockets; the last one is the outer one. */
  private LDAPConnection connect(
      FeedServer server, LDAPConnectionOptions options, Consumer<Socket> socketListener)
      throws IOException, LDAPException {
    FeedTls tls = server.tls();
    SSLSocketFactory tlsSockets = tls == null ? null : tls.sockets(socketListener);
    boolean upgrade = tls != null && tls.startTls();
    SocketFactory plainSockets = new WatchedSockets(server.sockets(), socketListener);
    SocketFactory sockets = tlsSockets == null || upgrade ? plainSockets : tlsSockets;
    LDAPConnection connection = new LDAPConnection(sockets, options);
    boolean ready = false;
    try {
      connection.connect(server.host(), server.port(), (int) timeout.toMillis());
      if (tlsSockets != null && upgrade) {
        StartTLSExtendedRequest request = new StartTLSExtendedRequest(tlsSockets);
        request.setResponseTimeoutMillis(timeout.toMillis());
        connection.processExtendedOperation(request);
      }
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }

  private LDAPConnectionOptions options() {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setFollowReferrals(false);
    options.setUseSynchronousMode(false);
    options.setUseKeepAlive(true);
    options.setUseTCPNoDelay(true);
    options.setBindWithDNRequiresPassword(true);
    options.setConnectTimeoutMillis((int) timeout.toMillis());
    options.setResponseTimeoutMillis(timeout.toMillis());
    options.setMaxMessageSize(maxOctets);
    // abandoned, so that it does not count against the server's limit of operations
    options.setAbandonOnTimeout(true);
    return options;
  }
}
