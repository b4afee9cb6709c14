// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.testing.Ldif;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A slapd that offers sync searches, with an account for feeds that cannot see {@code ou=hidden},
 * and an administrator's connection. Not thread-safe.
 */
final class FeedDirectory implements AutoCloseable {
  static final String SUFFIX = "dc=x";
  static final String ACCOUNT = "cn=feed,dc=x";
  static final String PASSWORD = "feed-Secret";

  private static final String SETTINGS =
      """
      limits dn.exact="cn=feed,dc=x" size=unlimited time=unlimited
      access to attrs=userPassword by dn.exact="cn=feed,dc=x" read by * auth
      access to dn.subtree="ou=hidden,dc=x" by dn.exact="cn=feed,dc=x" none by * read
      access to * by * read
      overlay syncprov
      """;

  private final Slapd slapd;
  private final Path passwordFile;
  private LDAPConnection admin;

  private FeedDirectory(Slapd slapd) {
    this.slapd = slapd;
    try {
      passwordFile = Files.createTempFile("stoa-feed", ".password");
      Files.writeString(passwordFile, PASSWORD + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    connect();
  }

  /**
   * Starts it.
   *
   * @param more lines for the database, behind those of overlay syncprov
   */
  static FeedDirectory start(String... more) {
    return start(config(more));
  }

  static FeedDirectory start(SlapdConfig config) {
    return new FeedDirectory(Slapd.start(config));
  }

  /** The same directory without sync searches. */
  static SlapdConfig plain() {
    return SlapdConfig.stock().database(SUFFIX, "access to * by * read", tree());
  }

  static SlapdConfig config(String... more) {
    return SlapdConfig.stock()
        .module("syncprov")
        .module("memberof")
        .database(SUFFIX, SETTINGS + String.join("\n", more) + "\n", tree());
  }

  private static Ldif tree() {
    return new Ldif()
        .entry("dc=x", "objectClass: organization", "objectClass: dcObject", "dc: x", "o: x")
        .entry("ou=p,dc=x", "objectClass: organizationalUnit", "ou: p")
        .entry("ou=hidden,dc=x", "objectClass: organizationalUnit", "ou: hidden")
        .entry(
            ACCOUNT,
            "objectClass: organizationalRole",
            "objectClass: simpleSecurityObject",
            "cn: feed",
            "userPassword: " + PASSWORD)
        .entry(
            "cn=a,ou=p,dc=x", "objectClass: person", "cn: a", "sn: old", "userPassword: a-Secret")
        .entry("cn=h,ou=hidden,dc=x", "objectClass: person", "cn: h", "sn: old");
  }

  private void connect() {
    try {
      admin =
          new LDAPConnection("127.0.0.1", slapd.port(), "cn=admin,dc=x", SlapdConfig.ROOT_PASSWORD);
    } catch (LDAPException e) {
      throw new AssertionError("slapd cannot be bound to", e);
    }
  }

  Slapd slapd() {
    return slapd;
  }

  LDAPConnection admin() {
    return admin;
  }

  /** Starts slapd again, and binds again. */
  void restart() {
    admin.close();
    slapd.restart();
    connect();
  }

  FeedServer server() {
    return FeedServer.tcp("slapd", "127.0.0.1", slapd.port(), null);
  }

  FeedCredentials account() {
    return new FeedCredentials(ACCOUNT, passwordFile);
  }

  SdkLink link() {
    return new SdkLink(account(), Duration.ofSeconds(5), 10_000_000);
  }

  /** How far it has got. */
  Cookie position() {
    try {
      SearchResultEntry entry = admin.getEntry(SUFFIX, "contextCSN");
      String[] csns = entry.getAttributeValues("contextCSN");
      return csns == null ? Cookie.NONE : Cookie.of(Arrays.asList(csns));
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not tell its position", e);
    }
  }

  /** Changes an entry: a DN and lines of LDIF. */
  void modify(String dn, String... lines) throws Exception {
    admin.modify(ldif(dn, lines));
  }

  void add(String dn, String... lines) throws Exception {
    admin.add(ldif(dn, lines));
  }

  private static String[] ldif(String dn, String... lines) {
    List<String> all = new ArrayList<>(List.of("dn: " + dn));
    all.addAll(Arrays.asList(lines));
    return all.toArray(String[]::new);
  }

  void person(String dn, String name) throws Exception {
    add(dn, "objectClass: person", "cn: " + name, "sn: " + name);
  }

  void sn(String dn, String value) throws Exception {
    modify(dn, "changetype: modify", "replace: sn", "sn: " + value);
  }

  @Override
  public void close() {
    admin.close();
    slapd.close();
    try {
      Files.delete(passwordFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
