// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.testing.Ldif;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A real slapd with people whom every experiment knows: {@code
 * uid=user.N,ou=people,dc=example,dc=com}, password {@code password}, ten to a department, with
 * indices for what is asked. Not thread-safe.
 */
public final class Directory implements AutoCloseable {
  public static final String SUFFIX = "dc=example,dc=com";
  public static final String PEOPLE = "ou=people," + SUFFIX;
  public static final String ROOT = SlapdConfig.ROOT_RDN + "," + SUFFIX;
  public static final String ROOT_PASSWORD = SlapdConfig.ROOT_PASSWORD;
  public static final String PASSWORD = "password";

  /** People of each department. */
  public static final int DEPARTMENT = 10;

  private static final int CITIES = 300;

  private static final String SETTINGS =
      """
      index objectClass,uid,mail,employeeNumber,departmentNumber,entryUUID,entryCSN eq
      index cn,sn eq,sub
      access to attrs=userPassword by anonymous auth by self write by * none
      access to * by self write by * read
      """;

  private final Slapd slapd;
  private final int people;

  private Directory(Slapd slapd, int people) {
    this.slapd = slapd;
    this.people = people;
  }

  static Directory start(int people) {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int i = 0; i < people; i++) {
      ldif.entry(dn(i), lines(i));
    }
    SlapdConfig config =
        SlapdConfig.stock().global("sizelimit unlimited").database(SUFFIX, SETTINGS, ldif);
    return new Directory(Slapd.start(config), people);
  }

  private static String[] lines(int number) {
    String five = String.format(Locale.ROOT, "%05d", number);
    return new String[] {
      "objectClass: inetOrgPerson",
      "uid: user." + number,
      "cn: User " + five,
      "givenName: User",
      "sn: Number" + five,
      "mail: user." + number + "@example.com",
      "telephoneNumber: +1 555 " + five,
      "employeeNumber: " + number,
      "departmentNumber: " + number / DEPARTMENT,
      "l: City " + number % CITIES,
      "description: Description of user " + number + ".",
      "userPassword: " + PASSWORD
    };
  }

  public static String dn(int number) {
    return "uid=user." + number + "," + PEOPLE;
  }

  public int people() {
    return people;
  }

  public Target target() {
    return new Target("slapd", slapd.address());
  }

  /** The file that it runs with: in none of the experiments does it sync what it writes. */
  String configuration() {
    try {
      String command = Files.readString(Path.of("/proc/" + slapd.pid() + "/cmdline"));
      List<String> words = List.of(command.split("\0"));
      return Files.readString(Path.of(words.get(words.indexOf("-f") + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    slapd.close();
  }
}
