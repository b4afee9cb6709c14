// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Makes connections to a server as the account of a feed. No step waits longer than it may for the
 * server, and neither do all of them. Immutable.
 *
 * @param account as whom it binds
 * @param timeout how long each step, and each answer, may take
 * @param mostOctets of one message
 */
public record SdkLink(FeedCredentials account, Duration timeout, int mostOctets) {
  private static final String OF_THE_SDK = ", ldapSDKVersion=[^,]*, revision=[0-9a-f]*";

  /** What the system says, within exceptions of the SDK that each repeat what was tried. */
  private static final Pattern CAUSE =
      Pattern.compile("(?:Connect|NoRouteToHost)Exception\\(([^()]+)\\)");

  /** To connect, to begin TLS, to bind. */
  private static final int STEPS = 3;

  /** As many as may each take all the time there is; more are asked where there is a log. */
  private static final int QUESTIONS = 5;

  /**
   * A connection that is bound.
   *
   * @throws IOException if there is none; the message is for people, and holds no password
   */
  public LDAPConnection open(FeedServer server) throws IOException {
    try (Deadline deadline = new Deadline(timeout.multipliedBy(STEPS))) {
      return bound(server, options(), deadline);
    }
  }

  /**
   * As {@link #open}, for one that is asked, and then listened to.
   *
   * @throws IOException as that does
   */
  public FeedConnection take(FeedServer server) throws IOException {
    LDAPConnectionOptions options = options();
    options.setUseSynchronousMode(true);
    Deadline deadline = new Deadline(timeout.multipliedBy(STEPS + QUESTIONS));
    FeedConnection taken = null;
    try {
      LDAPConnection connection = bound(server, options, deadline);
      taken = new FeedConnection(connection, deadline, mostOctets);
      return taken;
    } finally {
      if (taken == null) {
        deadline.close();
      }
    }
  }

  private LDAPConnection bound(FeedServer server, LDAPConnectionOptions options, Deadline deadline)
      throws IOException {
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
      throw new IOException(deadline.why(text(e)), e);
    } finally {
      if (!usable && connection != null) {
        connection.close();
      }
    }
  }

  /** For people: without what the SDK says of itself, and nothing twice. */
  public static String text(LDAPException e) {
    String name = e.getResultCode().getName();
    String message = String.valueOf(e.getMessage()).replaceAll(OF_THE_SDK, "");
    Matcher cause = CAUSE.matcher(message);
    if (cause.find()) {
      return name + ": " + cause.group(1);
    }
    return message.equals(name) ? name : name + ": " + message;
  }

  /** With TLS that is begun on it there are two sockets, of which the second is the last. */
  private LDAPConnection connect(
      FeedServer server, LDAPConnectionOptions options, Consumer<Socket> made)
      throws IOException, LDAPException {
    FeedTls tls = server.tls();
    SSLSocketFactory secure = tls == null ? null : tls.sockets(made);
    boolean upgrade = tls != null && tls.startTls();
    SocketFactory plain = new WatchedSockets(server.sockets(), made);
    SocketFactory sockets = secure == null || upgrade ? plain : secure;
    LDAPConnection connection = new LDAPConnection(sockets, options);
    boolean ready = false;
    try {
      connection.connect(server.host(), server.port(), (int) timeout.toMillis());
      if (secure != null && upgrade) {
        StartTLSExtendedRequest begin = new StartTLSExtendedRequest(secure);
        begin.setResponseTimeoutMillis(timeout.toMillis());
        connection.processExtendedOperation(begin);
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
    options.setMaxMessageSize(mostOctets);
    options.setAbandonOnTimeout(true); // else it goes on at a server that bounds what is under way
    return options;
  }
}
