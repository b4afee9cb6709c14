// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The domain that every {@link SambaDirectory} is a copy of: provisioned once per JVM (seconds),
 * filled over LDAP, and removed when the JVM ends. Identifiers and time stamps are made up once, so
 * that they are the same in every copy. Thread-safe.
 */
final class SambaTemplate {
  private static final int PORT = 389;
  private static final int STAFF = 30;
  private static final int GROUPS = 5;
  private static final int NORMAL_ACCOUNT = 512;

  private static ScratchDirectory template;

  private SambaTemplate() {}

  static synchronized ScratchDirectory copy() {
    if (template == null) {
      template = provision();
    }
    ScratchDirectory copy = ScratchDirectory.create("stoa-samba");
    copy.fill(template);
    return copy;
  }

  private static ScratchDirectory provision() {
    ScratchDirectory scratch = ScratchDirectory.create("stoa-samba-template");
    InetSocketAddress address = LoopbackAddress.next(PORT);
    ServerProcess.run(provisioning(scratch), scratch.file("provision.log"));
    ServerProcess server = SambaDirectory.launch(scratch, address);
    try {
      fill(address);
    } finally {
      server.stop();
    }
    return scratch;
  }

  private static List<String> provisioning(ScratchDirectory scratch) {
    String empty = scratch.write("provision.conf", "").toString();
    List<String> command = new ArrayList<>();
    command.add(Installation.program("samba-tool").toString());
    command.addAll(List.of("domain", "provision", "-s", empty));
    command.addAll(List.of("--realm=EXAMPLE.COM", "--domain=EXAMPLE", "--server-role=dc"));
    command.addAll(List.of("--host-name=dc1", "--host-ip=127.0.0.1", "--dns-backend=NONE"));
    command.addAll(List.of("--adminpass=" + SambaDirectory.ROOT_PASSWORD));
    command.addAll(List.of("--targetdir=" + scratch.path()));
    command.addAll(List.of("--option=log file=" + scratch.file("log")));
    return command;
  }

  /**
   * One that keeps all its files in its directory, and offers plain LDAP and Kerberos on one
   * address only.
   */
  static String configuration(ScratchDirectory scratch, String address) {
    return """
    [global]
      netbios name = DC1
      workgroup = EXAMPLE
      realm = EXAMPLE.COM
      server role = active directory domain controller
      server services = ldap, kdc
      kpasswd port = 0
      dcerpc endpoint servers =
      private dir = %1$s/private
      state directory = %1$s/state
      cache directory = %1$s/cache
      lock directory = %1$s
      pid directory = %1$s
      ncalrpc dir = %1$s/ncalrpc
      winbindd socket directory = %1$s/winbindd
      binddns dir = %1$s/bind-dns
      log file = %1$s/log
      bind interfaces only = yes
      interfaces = %2$s/8
      ldap server require strong auth = no
      tls enabled = no
    """
        .formatted(scratch.path(), address);
  }

  private static void fill(InetSocketAddress address) {
    try (LDAPConnection admin = new LDAPConnection()) {
      admin.connect(address.getAddress().getHostAddress(), PORT);
      admin.bind(SambaDirectory.ROOT, SambaDirectory.ROOT_PASSWORD);
      anyPassword(admin);
      unit(admin, SambaDirectory.PEOPLE);
      unit(admin, SambaDirectory.GROUPS);
      unit(admin, SambaDirectory.WORK);
      person(admin, "alice");
      person(admin, "bob");
      for (int i = 0; i < STAFF; i++) {
        person(admin, "staff" + i);
      }
      group(admin, 0, STAFF);
      for (int i = 1; i < GROUPS; i++) {
        group(admin, i, 2);
      }
    } catch (LDAPException e) {
      throw new AssertionError("Samba does not take the test's entries", e);
    }
  }

  private static void anyPassword(LDAPConnection admin) throws LDAPException {
    admin.modify(
        SambaDirectory.SUFFIX,
        replace("pwdProperties"),
        replace("minPwdLength"),
        replace("minPwdAge"));
  }

  private static Modification replace(String attribute) {
    return new Modification(ModificationType.REPLACE, attribute, "0");
  }

  private static void unit(LDAPConnection admin, String dn) throws LDAPException {
    admin.add(dn, new Attribute("objectClass", "organizationalUnit"));
  }

  private static void person(LDAPConnection admin, String name) throws LDAPException {
    Entry entry = new Entry(SambaDirectory.person(name));
    entry.addAttribute("objectClass", "user");
    entry.addAttribute("sAMAccountName", name);
    entry.addAttribute("userPrincipalName", name + "@example.com");
    entry.addAttribute("displayName", "Person " + name);
    entry.addAttribute("mail", name + "@example.org");
    entry.addAttribute("description", "described " + name);
    entry.addAttribute("otherTelephone", "+1 555 1", "+1 555 2");
    entry.addAttribute("userAccountControl", Integer.toString(NORMAL_ACCOUNT));
    entry.addAttribute("unicodePwd", quoted("pw-" + name));
    admin.add(entry);
  }

  /** As Active Directory wants passwords written. */
  private static byte[] quoted(String password) {
    return ('"' + password + '"').getBytes(StandardCharsets.UTF_16LE);
  }

  /** A group of alice and some of the staff. */
  private static void group(LDAPConnection admin, int number, int staff) throws LDAPException {
    String name = "group" + number;
    Entry entry = new Entry("CN=" + name + "," + SambaDirectory.GROUPS);
    entry.addAttribute("objectClass", "group");
    entry.addAttribute("sAMAccountName", name);
    entry.addAttribute("member", SambaDirectory.person("alice"));
    for (int i = 0; i < staff; i++) {
      entry.addAttribute("member", SambaDirectory.person("staff" + (number + i) % STAFF));
    }
    admin.add(entry);
  }
}
