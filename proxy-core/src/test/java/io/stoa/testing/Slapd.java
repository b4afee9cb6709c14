// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real slapd on a free port of 127.0.0.1 and on ldapi, loaded by slapadd, with {@code
 * cn=Monitor}. It can be stopped, killed and started again on the same port; everything is removed
 * at close. Not thread-safe.
 */
public final class Slapd implements DirectoryServer {
  private static final int SECONDS_TO_STOP = 20;
  private static final int SECONDS_TO_DIE = 1;

  private final SlapdFiles files;
  private final int port;
  private final int tlsPort;
  private String debug = "0";
  private boolean proxied;
  private volatile Process process;

  private Slapd(SlapdFiles files, int port, int tlsPort) {
    this.files = files;
    this.port = port;
    this.tlsPort = tlsPort;
    this.process = launch();
  }

  public static Slapd start(SlapdConfig config) {
    return start(config, FreePort.next());
  }

  /** On a port that others had to know before. */
  static Slapd start(SlapdConfig config, int port) {
    int tlsPort = config.tls() ? FreePort.next() : 0;
    Slapd slapd = new Slapd(SlapdFiles.create(config), port, tlsPort);
    boolean started = false;
    try {
      slapd.awaitListening();
      config.databases().forEach(slapd::countOn);
      started = true;
      return slapd;
    } finally {
      if (!started) {
        slapd.close();
      }
    }
  }

  private Process launch() {
    try {
      return files.launch("slapd", List.of("-d", debug, "-h", listeners()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void countOn(SlapdConfig.Database database) {
    String settings = database.settings();
    if (settings.contains("overlay syncprov") && !settings.contains("syncrepl")) {
      countOn(database.suffix());
    }
  }

  /**
   * Has it count a change that alters nothing. A provider that begins says that it has counted
   * something that no entry shows, as if a transaction were under way: who knows of these waits. Of
   * one that takes no such bind nothing is changed.
   */
  void countOn(String suffix) {
    try (LDAPConnection root =
        new LDAPConnection(
            "127.0.0.1", port, SlapdConfig.ROOT_RDN + "," + suffix, SlapdConfig.ROOT_PASSWORD)) {
      SearchResultEntry entry = root.getEntry(suffix, "objectClass");
      if (entry != null) {
        String[] same = entry.getObjectClassValues();
        root.modify(suffix, new Modification(ModificationType.REPLACE, "objectClass", same));
      }
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.CONFIDENTIALITY_REQUIRED)) {
        throw new AssertionError("the root of " + suffix + " cannot write", e);
      }
    }
  }

  private String listeners() {
    String tcp = tlsPort == 0 ? url() + "/" : url() + "/ " + ldapsUrl() + "/";
    return ldapiUrl() + " " + (proxied ? tcp.replace("ldap", "pldap") : tcp);
  }

  private void awaitListening() {
    Await.until("slapd listens on " + url(), () -> !process.isAlive() || listens());
    if (!process.isAlive()) {
      throw new AssertionError("slapd ended at once: " + files.log());
    }
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(address(), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public int port() {
    return port;
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** The socket of the file system on which it listens too. */
  public String ldapiUrl() {
    return "ldapi://" + files.socket().toString().replace("/", "%2F");
  }

  /** The port for TLS, of a server that is configured so. */
  public int tlsPort() {
    return tlsPort;
  }

  public String ldapsUrl() {
    return "ldaps://127.0.0.1:" + tlsPort;
  }

  public long pid() {
    return process.pid();
  }

  /** From its next start on connections over TCP must begin with a PROXY protocol header. */
  public void expectProxyProtocol() {
    proxied = true;
  }

  /** Starts slapd again, with a line of its log for each operation. */
  public void logOperations() {
    debug = "stats";
    restart();
  }

  /** What it has written. */
  public String log() {
    return files.log();
  }

  /** Ends slapd as an administrator would. */
  public void stop() {
    process.destroy();
    awaitEnd();
  }

  /** Ends slapd with SIGKILL: its clients see their connections reset. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Stops slapd with SIGSTOP: it accepts connections, and answers nothing. */
  public void freeze() {
    Signals.freeze(pid());
  }

  /** Lets it go on. */
  public void thaw() {
    Signals.thaw(pid());
  }

  /** Starts slapd again on the same port, with the data that it had. */
  public void restart() {
    if (process.isAlive()) {
      stop();
    }
    process = launch();
    awaitListening();
  }

  /**
   * Edits the first database while slapd is stopped.
   *
   * @param program slapadd or slapmodify
   * @param options before the file
   */
  public void editOffline(String program, String ldif, String... options) {
    files.edit(program, ldif, List.of(options));
  }

  /** Makes all indexes anew while slapd is stopped: slapmodify of 2.5 loses that of entryUUID. */
  public void reindex() {
    files.reindex();
  }

  /** The seconds since the server process was started, by its own clock. */
  public long uptime() {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      SearchResultEntry entry =
          connection.getEntry("cn=Uptime,cn=Time,cn=Monitor", "monitoredInfo");
      return entry.getAttributeValueAsLong("monitoredInfo");
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not tell its uptime", e);
    }
  }

  /** Whether it has not ended. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** Whether it has ended by itself, or is just about to: its connections end a moment before. */
  public boolean hasEnded() {
    try {
      return process.waitFor(SECONDS_TO_DIE, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** How many operations of a kind (Bind, Search, Modify …) slapd has completed. */
  public long completed(String operation) {
    return counter("cn=" + operation + ",cn=Operations,cn=Monitor", "monitorOpCompleted");
  }

  /** How many operations of a kind slapd works on now, that of this call not counted. */
  public long underWay(String operation) {
    String dn = "cn=" + operation + ",cn=Operations,cn=Monitor";
    long completed = counter(dn, "monitorOpCompleted");
    return counter(dn, "monitorOpInitiated") - completed - 2;
  }

  /** How many client connections slapd has now, the one that asks not counted. */
  public long connections() {
    return counter("cn=Current,cn=Connections,cn=Monitor", "monitorCounter") - 1;
  }

  /** How many connections slapd has accepted since it was started, that of this call included. */
  public long totalConnections() {
    return counter("cn=Total,cn=Connections,cn=Monitor", "monitorCounter");
  }

  private long counter(String dn, String attribute) {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      SearchResultEntry entry = connection.getEntry(dn, attribute);
      return entry.getAttributeValueAsLong(attribute);
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not tell " + dn, e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitEnd();
    files.delete();
  }
}
