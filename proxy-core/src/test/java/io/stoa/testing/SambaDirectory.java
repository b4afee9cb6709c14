// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A real Samba domain controller of Active Directory, of which only LDAP and Kerberos run. Its
 * ports are 389 and 88, so it listens on a loopback address of its own: it needs root. Each is a
 * copy of the one that {@link SambaTemplate} has provisioned: all are octet for octet the same
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

  /** The host names, of the controller or of a proxy, for which it takes tickets. */
  public void knownAs(String... hosts) {
    Stream<String> principals = Arrays.stream(hosts).map(host -> "ldap/" + host);
    try (LDAPConnection admin = new LDAPConnection(host(), PORT, ROOT, ROOT_PASSWORD)) {
      admin.modify(
          "CN=DC1,OU=Domain Controllers," + SUFFIX,
          new Modification(
              ModificationType.ADD, "servicePrincipalName", principals.toArray(String[]::new)));
    } catch (LDAPException e) {
      throw new AssertionError("Samba does not take the names", e);
    }
  }

  /** Gets a ticket for a person; the environment of a program that is to act as that person. */
  public Map<String, String> ticket(String name) {
    String configuration = scratch.write("krb5.conf", kerberos()).toString();
    String cache = "FILE:" + scratch.file(name + ".ticket");
    String password = scratch.write(name + ".password", "pw-" + name + "\n").toString();
    String login = "kinit " + name + " < " + password;
    List<String> command =
        List.of("/usr/bin/env", "KRB5_CONFIG=" + configuration, "KRB5CCNAME=" + cache);
    ServerProcess.run(
        Stream.concat(command.stream(), Stream.of("/bin/sh", "-c", login)).toList(),
        scratch.file("kinit.log"));
    return Map.of("KRB5_CONFIG", configuration, "KRB5CCNAME", cache);
  }

  private String kerberos() {
    return """
    [libdefaults]
      default_realm = EXAMPLE.COM
      dns_lookup_kdc = false
      dns_lookup_realm = false
      dns_canonicalize_hostname = false
      rdns = false
      udp_preference_limit = 1
    [realms]
      EXAMPLE.COM = {
        kdc = %s
      }
    [domain_realm]
      localhost = EXAMPLE.COM
    """
        .formatted(host());
  }

  /** The address by itself. */
  public String host() {
    return address.getAddress().getHostAddress();
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
