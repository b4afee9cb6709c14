// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A real 389-ds on a free port of 127.0.0.1, in a directory of its own, loaded by ldif2db. It can
 * be stopped, killed and started again on the same port; everything is removed at close. Not
 * thread-safe.
 */
public final class Ds389 implements DirectoryServer {
  private final Ds389Files files;
  private final int port;
  private final int tlsPort;
  private final ServerProcess process;

  private Ds389(Ds389Files files, int port, int tlsPort) {
    this.files = files;
    this.port = port;
    this.tlsPort = tlsPort;
    this.process = ServerProcess.start(files.server(), files.log(), address());
  }

  public static Ds389 start(Ds389Config config) {
    int port = FreePort.next();
    int tlsPort = config.tls() == null ? 0 : FreePort.next();
    Ds389Files files = Ds389Files.create(config, port, tlsPort);
    boolean started = false;
    try {
      Ds389 server = new Ds389(files, port, tlsPort);
      started = true;
      return server;
    } finally {
      if (!started) {
        files.delete();
      }
    }
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** The socket of the file system on which it listens, if it is configured so. */
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

  /** A line for each operation, of a server that is configured so. */
  public String log() {
    return files.operations();
  }

  /** How many operations it works on now, that of this call not counted. */
  public long underWay() {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      SearchResultEntry entry = connection.getEntry("cn=monitor", "opsinitiated", "opscompleted");
      long begun = entry.getAttributeValueAsLong("opsinitiated");
      return begun - entry.getAttributeValueAsLong("opscompleted") - 1;
    } catch (LDAPException e) {
      throw new AssertionError("389-ds does not tell cn=monitor", e);
    }
  }

  /** Ends it as an administrator would. */
  public void stop() {
    process.stop();
  }

  /** Ends it with SIGKILL: its clients see their connections reset. */
  public void kill() {
    process.kill();
  }

  /** Stops it with SIGSTOP: it accepts connections, and answers nothing. */
  public void freeze() {
    Signals.freeze(process.pid());
  }

  /** Lets it go on. */
  public void thaw() {
    Signals.thaw(process.pid());
  }

  /** Starts it again on the same port, with the data that it had. */
  public void restart() {
    process.restart();
  }

  @Override
  public void close() {
    process.kill();
    files.delete();
  }
}
