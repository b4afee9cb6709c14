// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A real key distribution centre (MIT Kerberos) of the realm STOA.TEST on a free port of 127.0.0.1,
 * with a service {@code ldap/localhost}, which has the name {@link #OTHER_HOST} too, and the people
 * that a test names, whose tickets it holds. Everything lives in a temporary directory. Not
 * thread-safe.
 */
public final class Kerberos implements AutoCloseable {
  /** Another name of localhost, such as that of a proxy before the service. */
  public static final String OTHER_HOST = "127.0.0.1";

  private static final String REALM = "STOA.TEST";
  private static final String SERVICE = "ldap/localhost";

  private final ScratchDirectory files = ScratchDirectory.create("stoa-kdc");
  private final int port = FreePort.next();
  private final ServerProcess process;

  private Kerberos(String... people) {
    configure();
    run("kdb5_util", "create", "-s", "-r", REALM, "-P", "master");
    addKey(SERVICE, "service.keytab");
    addKey("ldap/" + OTHER_HOST, "service.keytab");
    Arrays.stream(people).forEach(person -> addKey(person, person + ".keytab"));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    List<String> daemon = command("krb5kdc", "-n", "-P", files.file("pid").toString());
    this.process = ServerProcess.start(daemon, log(), address);
    for (String person : people) {
      run("kinit", "-k", "-t", file(person + ".keytab"), "-c", ticket(person), person);
    }
  }

  /** Starts it, and gets a ticket for each of the people. */
  public static Kerberos start(String... people) {
    return new Kerberos(people);
  }

  private void configure() {
    files.write(
        "krb5.conf",
        """
        [libdefaults]
        default_realm = STOA.TEST
        dns_lookup_kdc = false
        dns_lookup_realm = false
        dns_canonicalize_hostname = false
        rdns = false
        udp_preference_limit = 1
        [realms]
        STOA.TEST = {
          kdc = 127.0.0.1:%d
        }
        [domain_realm]
        localhost = STOA.TEST
        """
            .formatted(port));
    files.write("any.conf", "[libdefaults]\nignore_acceptor_hostname = true\n");
    files.write(
        "kdc.conf",
        """
        [kdcdefaults]
        kdc_listen = 127.0.0.1:%d
        kdc_tcp_listen = 127.0.0.1:%d
        [realms]
        STOA.TEST = {
          database_name = %s
          key_stash_file = %s
          supported_enctypes = aes256-cts-hmac-sha1-96:normal
        }
        """
            .formatted(port, port, file("principal"), file("stash")));
  }

  private void addKey(String principal, String keytab) {
    run("kadmin.local", "-r", REALM, "-q", "addprinc -randkey " + principal);
    run("kadmin.local", "-r", REALM, "-q", "ktadd -k " + file(keytab) + " " + principal);
  }

  private void run(String program, String... arguments) {
    ServerProcess.run(command(program, arguments), log());
  }

  private List<String> command(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
    command.add("KRB5_CONFIG=" + file("krb5.conf"));
    command.add("KRB5_KDC_PROFILE=" + file("kdc.conf"));
    command.add(Installation.program(program).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private String file(String name) {
    return files.file(name).toString();
  }

  private Path log() {
    return files.file("log");
  }

  private String ticket(String person) {
    return "FILE:" + file(person + ".ticket");
  }

  /** The environment of a program that is to act as one of the people. */
  public Map<String, String> client(String person) {
    return Map.of("KRB5_CONFIG", file("krb5.conf"), "KRB5CCNAME", ticket(person));
  }

  /** The environment of the directory server. */
  public Map<String, String> service() {
    return Map.of(
        "KRB5_CONFIG",
        file("krb5.conf"),
        "KRB5_KTNAME",
        "FILE:" + file("service.keytab"),
        "KRB5RCACHEDIR",
        files.path().toString());
  }

  /** The same for one that takes tickets for every name in its keytab. */
  public Map<String, String> serviceOfAnyName() {
    Map<String, String> all = new HashMap<>(service());
    all.put("KRB5_CONFIG", file("any.conf") + ":" + file("krb5.conf"));
    return all;
  }

  @Override
  public void close() {
    process.kill();
    files.delete();
  }
}
