// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.testing.Ldif;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A real slapd with people: {@code uid=user.N,ou=people,dc=example,dc=com}, password {@code
 * password}, ten for each department, with indices for the searches of the experiments.
 *
 * <p>Threading: not thread-safe.
 */
public final class Directory implements AutoCloseable {
  public static final String SUFFIX = "dc=example,dc=com";
  public static final String PEOPLE = "ou=people," + SUFFIX;
  public static final String ROOT = SlapdConfig.ROOT_RDN + "," + SUFFIX;
  public static final String ROOT_PASSWORD = SlapdConfig.ROOT_PASSWORD;
  public static final String PASSWORD = "password";

  /** Number of people of each department: 10. */
  public static final int DEPARTMENT = 10;

  /**
   * Number of people of each set: 100. A set has the people whose numbers are equal modulo the
   * number of sets.
   */
  public static final int SET = 100;

  /** Account of an application. May write, and reads as any client does. */
  public static final String SERVICE = "cn=service," + SUFFIX;

  /** Accounts with equal rights; N is below {@link #READERS}. */
  public static final String READER = "cn=reader.N,ou=services," + SUFFIX;

  public static final int READERS = 4;

  private static final String FEED = "cn=feed," + SUFFIX;
  private static final String FEED_PASSWORD = "feed-Secret";

  private static final int CITIES = 300;

  private static final String SETTINGS =
      """
      index objectClass,uid,mail,employeeNumber,departmentNumber,employeeType,entryUUID,entryCSN eq
      index cn,sn eq,sub
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by self write by * none
      access to * by self write by dn.exact="cn=service,dc=example,dc=com" write by * read
      """;

  private static final String SYNCPROV = "overlay syncprov\nsyncprov-sessionlog 100000\n";

  /**
   * Access rule that lets the feed's account read cn=config. Otherwise Stoa assumes every few
   * seconds that rights may have changed.
   */
  private static final String READABLE =
      "database config\naccess to * by dn.exact=\"" + FEED + "\" read by * none\n";

  private final Slapd slapd;
  private final int people;
  private final Path files = Leftovers.directory("stoa-load");

  private Directory(Slapd slapd, int people) {
    this.slapd = slapd;
    this.people = people;
  }

  static Directory start(int people) {
    return start(SlapdConfig.stock(), people, "", "");
  }

  /** Starts a directory with a change feed, whose account may read cn=config. */
  static Directory startWithFeed(int people) {
    return start(SlapdConfig.stock().module("syncprov"), people, READABLE, SYNCPROV);
  }

  private static Directory start(
      SlapdConfig stock, int people, String configuration, String overlay) {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    ldif.entry(FEED, account("feed", FEED_PASSWORD));
    ldif.entry(SERVICE, account("service", PASSWORD));
    ldif.entry("ou=services," + SUFFIX, "objectClass: organizationalUnit", "ou: services");
    for (int i = 0; i < READERS; i++) {
      ldif.entry(READER.replace("N", "" + i), account("reader." + i, PASSWORD));
    }
    for (int i = 0; i < people; i++) {
      ldif.entry(dn(i), lines(i, Math.max(1, people / SET)));
    }
    SlapdConfig config =
        stock
            .global("sizelimit unlimited")
            .global(configuration)
            .database(SUFFIX, SETTINGS + overlay, ldif);
    return new Directory(Slapd.start(config), people);
  }

  private static String[] account(String name, String password) {
    return new String[] {
      "objectClass: organizationalRole",
      "objectClass: simpleSecurityObject",
      "cn: " + name,
      "userPassword: " + password
    };
  }

  private static String[] lines(int number, int sets) {
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
      "employeeType: set." + number % sets,
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

  /**
   * Returns the lines of a configuration that enable the change feed. The lines declare that
   * nothing is hidden from its account, which is true here.
   */
  public String feed() {
    try {
      Path password = Files.writeString(files.resolve("feed-password"), FEED_PASSWORD + "\n");
      return "feed:\n  bindDn: "
          + FEED
          + "\n  passwordFile: "
          + password
          + "\n  assumeCoverage: true\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the configuration file of slapd, which does not sync its writes in any experiment. */
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
    Leftovers.delete(files);
  }
}
