// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * A real Samba domain controller of Active Directory, of which only the LDAP service runs. Its port
 * is 389 and cannot be changed, so it listens on a loopback address of its own: it needs root. Each
 * is a copy of the one that {@link SambaTemplate} has provisioned: all are octet for octet the same
 * directory at first. Everything is removed at close. Not thread-safe.
 */
public final class SambaDirectory implements DirectoryServer {
  public static final String SUFFIX = "DC=example,DC=com";
  public static final String PEOPLE = "OU=people," + SUFFIX;
  public static final String GROUPS = "OU=groups," + SUFFIX;
  public static final String WORK = "OU=work," + SUFFIX;
  public static final String ROOT = "CN=Administrator,CN=Users," + SUFFIX;
  public static final String ROOT_PASSWORD = "Passw0rd-admin";

  private static final int PORT = 389;

  private final ScratchDirectory scratch;
  private final InetSocketAddress address;
  private final ServerProcess process;

  private SambaDirectory(ScratchDirectory scratch, InetSocketAddress address) {
    this.scratch = scratch;
    this.address = address;
    this.process = launch(scratch, address);
  }

  /** Starts a copy of the template, which is provisioned first if it has not been. */
  public static SambaDirectory start() {
    return of(SambaTemplate.copy());
  }

  /** Starts what is in this directory, which is removed at close. */
  static SambaDirectory of(ScratchDirectory scratch) {
    boolean started = false;
    try {
      SambaDirectory server = new SambaDirectory(scratch, LoopbackAddress.next(PORT));
      started = true;
      return server;
    } finally {
      if (!started) {
        scratch.delete();
      }
    }
  }

  static ServerProcess launch(ScratchDirectory scratch, InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    String configuration = SambaTemplate.configuration(scratch, host);
    String file = scratch.write("smb.conf", configuration).toString();
    String program = Installation.program("samba").toString();
    List<String> command = List.of(program, "-F", "-M", "single", "-s", file, "--debug-stdout");
    return ServerProcess.start(command, scratch.file("out"), address);
  }

  /** The name of a person: alice, bob, and staff0 to staff29; the password is {@code pw-NAME}. */
  public static String person(String name) {
    return "CN=" + name + "," + PEOPLE;
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public void close() {
    process.kill();
    scratch.delete();
  }
}
