// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.testing.People;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Groups of many members and entries of many megabytes, in a slapd with people. Stateless. */
final class LargeDirectory {
  private static final int MEGABYTE = 1 << 20;

  /** Otherwise it takes requests of 4 MB at most, and a thread waits for each slow client. */
  private static final String SETTINGS = "sockbuf_max_incoming_auth 134217728\nthreads 64";

  private static final String LARGE = "ou=large," + People.SUFFIX;
  private static final String GROUP = "ou=groups," + People.SUFFIX;

  private LargeDirectory() {}

  static Slapd start(int people) {
    return Slapd.start(People.slapd(people).global(SETTINGS));
  }

  /** Adds entries of so many megabytes, most of it one value. */
  static void addEntries(Slapd slapd, int count, int megabytes) {
    try (LDAPConnection admin = admin(slapd)) {
      admin.add(LARGE, unit("large"));
      for (int i = 0; i < count; i++) {
        byte[] photo = new byte[megabytes * MEGABYTE];
        new Random(i).nextBytes(photo);
        admin.add("cn=large" + i + "," + LARGE, person(i, photo));
      }
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not take a large entry", e);
    }
  }

  /** Adds a group of so many members, which need not exist. */
  static void addGroup(Slapd slapd, int members) {
    String[] names = IntStream.range(0, members).mapToObj(People::dn).toArray(String[]::new);
    try (LDAPConnection admin = admin(slapd)) {
      admin.add(GROUP, unit("groups"));
      admin.add(
          "cn=all," + GROUP,
          List.of(
              new Attribute("objectClass", "groupOfNames"),
              new Attribute("cn", "all"),
              new Attribute("member", names)));
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not take a large group", e);
    }
  }

  private static LDAPConnection admin(Slapd slapd) throws LDAPException {
    return new LDAPConnection("127.0.0.1", slapd.port(), People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  private static List<Attribute> unit(String name) {
    return List.of(new Attribute("objectClass", "organizationalUnit"), new Attribute("ou", name));
  }

  private static List<Attribute> person(int number, byte[] photo) {
    return List.of(
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("cn", "large" + number),
        new Attribute("sn", "large"),
        new Attribute("jpegPhoto", photo));
  }

  /** The search for one of the large entries. */
  static RawRequest entry(int number) {
    return Requests.search(LARGE).filter("(cn=large" + number + ")").request();
  }

  /** The search for all of them. */
  static RawRequest allEntries() {
    return Requests.search(LARGE).filter("(sn=large)").request();
  }

  /** The search for the group. */
  static RawRequest group() {
    return Requests.search(GROUP).filter("(cn=all)").request();
  }
}
