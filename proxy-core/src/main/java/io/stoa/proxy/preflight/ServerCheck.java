// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.proxy.preflight.DirectoryConnection.Answer;
import io.stoa.proxy.preflight.DirectoryConnection.Search;
import io.stoa.upstream.auth.ProxyingSupport;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.health.Contents;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Checks one server: name, connection, TLS, root DSE, accounts and contents. A failed check skips
 * only those that need it.
 *
 * <p>Threading: confined to one thread that may block; the results may be read by others.
 */
final class ServerCheck implements Runnable {
  private static final String NAME = "name";
  private static final String CONNECTION = "connection";
  private static final String ROOT = "root DSE";
  private static final String SERVICE = "service account";
  private static final String FEED = "feed account";

  /** Maximum number of naming contexts read: 32, as the health checks read. */
  private static final int MAX_CONTEXTS = 32;

  private final ServerAddress server;
  private final CheckSettings settings;
  private final Findings findings;
  private volatile @Nullable Contents contents;
  private volatile boolean connected;

  /**
   * Settings of the checks of all servers.
   *
   * <p>Threading: immutable.
   *
   * @param accounts accounts of this server's directory
   */
  record CheckSettings(
      UpstreamConfig upstream, EventLoop loop, Dialer dialer, Accounts accounts, String actsFor) {
    Duration timeout() {
      return upstream.connectTimeout();
    }
  }

  ServerCheck(ServerAddress server, CheckSettings settings) {
    this.server = server;
    this.settings = settings;
    this.findings = new Findings(server.toString());
  }

  ServerAddress server() {
    return server;
  }

  Findings findings() {
    return findings;
  }

  /** Returns the contents for the comparison; null if they could not be read. */
  @Nullable Contents contents() {
    return contents;
  }

  /** True if the server was reached. */
  boolean isConnected() {
    return connected;
  }

  @Override
  public void run() {
    if (!resolves()) {
      findings.skipped(CONNECTION, "the name is unknown");
      return;
    }
    try (DirectoryConnection connection = open()) {
      connected = true;
      reportConnection(connection);
      RootDse root = readRoot(connection);
      bindAndRead(connection, root);
    } catch (IOException e) {
      findings.failed(CONNECTION, FailureText.of(e), remedy(FailureText.of(e)));
      findings.skipped(ROOT, "there is no connection");
      return;
    }
    bindFeed();
  }

  private DirectoryConnection open() throws IOException {
    return DirectoryConnection.open(settings.dialer(), settings.loop(), server, settings.timeout());
  }

  /** Texts of the dialer name the remedy where it knows one. */
  private static String remedy(String text) {
    if (text.contains("; ")) {
      return "";
    }
    if (text.contains("certificate expired")) {
      return "renew the certificate of the server";
    }
    return text.equals("connection refused")
        ? "start the server, or correct its port in upstream.servers"
        : "check the server, the firewall between, and upstream.connectTimeout";
  }

  private boolean resolves() {
    if (server.scheme() == ServerAddress.Scheme.LDAPI) {
      return true;
    }
    try {
      Set<String> addresses = new LinkedHashSet<>();
      for (InetAddress one : InetAddress.getAllByName(server.host())) {
        addresses.add(one.getHostAddress());
      }
      if (!addresses.contains(server.host())) {
        findings.ok(NAME, server.host() + " is " + String.join(", ", addresses));
      }
      return true;
    } catch (UnknownHostException e) {
      findings.failed(
          NAME, "unknown host " + server.host(), "correct upstream.servers, DNS or /etc/hosts");
      return false;
    }
  }

  private void reportConnection(DirectoryConnection connection) {
    findings.ok(CONNECTION, "connected to " + connection.address());
    SSLSession session = connection.tls();
    if (session != null) {
      boolean verified = settings.upstream().transport().verifyHost();
      CertificateCheck.report(session, verified, Instant.now(), findings);
    }
  }

  private @Nullable RootDse readRoot(DirectoryConnection connection) throws IOException {
    Answer answer = connection.search(Search.entry("", RootDse.ATTRIBUTES));
    SearchEntry entry = answer.isSuccess() ? answer.entry() : null;
    byte[] octets = answer.first();
    if (entry == null || octets == null) {
      String text = "not readable anonymously: " + answer.text();
      findings.warning(
          ROOT,
          text + "; the product is unknown, so there is no change feed",
          "allow anonymous read of the entry with the empty DN");
      return null;
    }
    RootDse root = new RootDse(entry, octets);
    findings.ok("product", root.product());
    findings.ok("controls", root.supported("supportedControl"));
    findings.ok("extensions", root.supported("supportedExtension"));
    List<String> mechanisms = root.values("supportedSASLMechanisms");
    findings.ok("sasl", mechanisms.isEmpty() ? "none" : String.join(", ", mechanisms));
    return root;
  }

  private void bindAndRead(DirectoryConnection connection, @Nullable RootDse root)
      throws IOException {
    Accounts accounts = settings.accounts();
    boolean bound = true;
    ServiceAccount service = accounts.service();
    ServiceAccount probe = accounts.probe();
    if (service != null) {
      String refusal =
          root == null
              ? ProxyingSupport.refusal(null)
              : root.supports(Oids.PROXIED_AUTHZ_V2)
                  ? ""
                  : "the server does not support proxied authorization";
      if (!refusal.isEmpty()) {
        findings.failed(
            "proxied authorization",
            refusal,
            "allow it on the server, or set identity.mode to passThrough");
      }
      bound =
          bind(connection, service, SERVICE, "identity.serviceDn, identity.servicePasswordFile");
      if (bound && refusal.isEmpty()) {
        new ProxiedRight(settings, findings, this::open).check(connection, root, service.dn());
      }
    } else if (probe != null) {
      String keys = "probe.bindDn, probe.passwordFile";
      bound = bind(connection, probe, "health check account", keys);
    }
    if (bound && root != null) {
      contents = readContents(connection, root);
    }
  }

  private boolean bind(
      DirectoryConnection connection, ServiceAccount account, String check, String keys)
      throws IOException {
    String who = account.dn().isEmpty() ? "by SASL EXTERNAL" : "as " + account.dn();
    Answer answer = connection.bind(account);
    if (answer.isSuccess()) {
      findings.ok(check, "bound " + who);
    } else {
      findings.failed(check, "bind " + who + " refused: " + answer.text(), "check " + keys);
    }
    return answer.isSuccess();
  }

  private Contents readContents(DirectoryConnection connection, RootDse root) throws IOException {
    Map<String, Contents.Top> tops = new HashMap<>();
    List<String> names = new ArrayList<>();
    List<String> attributes = new ArrayList<>(Contents.IDENTIFIERS);
    attributes.add("objectClass");
    for (Map.Entry<String, byte[]> one : Contents.contexts(root.octets()).entrySet()) {
      if (names.size() < MAX_CONTEXTS) {
        String name = new String(one.getValue(), UTF_8);
        Answer top = connection.search(Search.entry(name, attributes));
        tops.put(one.getKey(), Contents.Top.of(new Found(top.code(), top.first())));
        names.add(name);
      }
    }
    if (names.isEmpty()) {
      findings.warning(
          "naming contexts",
          "none are readable, so nothing proves that the server holds the configured tree",
          "let the account read namingContexts of the root DSE");
    } else {
      findings.ok("naming contexts", String.join("; ", names));
    }
    return new Contents(tops);
  }

  /** Binds as the feed's account on a connection of its own, as a feed does. */
  private void bindFeed() {
    ServiceAccount feed = settings.accounts().feed();
    if (feed == null) {
      return;
    }
    try (DirectoryConnection connection = open()) {
      bind(connection, feed, FEED, "feed.bindDn, feed.passwordFile");
    } catch (IOException e) {
      findings.failed(FEED, FailureText.of(e), "");
    }
  }
}
