// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.feed.FeedConfig;
import io.stoa.realm.RealmState;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A slapd of people that tells of changes, and a Stoa that hears of them. Not thread-safe. */
final class FedPeople implements AutoCloseable {
  static final String FEED = "cn=feed," + People.SUFFIX;
  private static final String PASSWORD = "feed-Secret";

  private static final String SETTINGS =
      """
      index objectClass,uid,entryUUID,entryCSN eq
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by self write by * none
      access to attrs=description by self read by dn.exact="cn=feed,dc=example,dc=com" read by * none
      access to * by self write by * read
      overlay syncprov
      syncprov-sessionlog 1000
      """;

  private final Path directory = Leftovers.directory("stoa-fed");
  private final Slapd slapd;
  private final LDAPConnection root;
  private RunningProxy proxy;

  private FedPeople(int people, Duration maxAge, Duration rights) {
    slapd =
        Slapd.start(
            SlapdConfig.stock()
                .module("syncprov")
                .database(
                    People.SUFFIX,
                    SETTINGS,
                    People.tree(people)
                        .entry(
                            FEED,
                            "objectClass: organizationalRole",
                            "objectClass: simpleSecurityObject",
                            "cn: feed",
                            "userPassword: " + PASSWORD)));
    root = connect(slapd.address(), People.ROOT, SlapdConfig.ROOT_PASSWORD);
    proxy = setup(maxAge, rights).start();
  }

  static FedPeople start(int people, Duration maxAge) {
    return new FedPeople(people, maxAge, Duration.ofHours(1));
  }

  /**
   * Starts it.
   *
   * @param rights for how long those of a client are taken for what they were
   */
  static FedPeople start(int people, Duration maxAge, Duration rights) {
    return new FedPeople(people, maxAge, rights);
  }

  private ProxySetup setup(Duration maxAge, Duration rights) {
    Path file = directory.resolve("password");
    try {
      Files.writeString(file, PASSWORD + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FeedConfig feed = new FeedConfig(FeedConfig.Mode.AUTO, FEED, file, Duration.ofSeconds(1), 1000);
    return ProxySetup.before(slapd.port())
        .maxAge(maxAge)
        .coherence(new CoherenceConfig(feed, Duration.ofSeconds(1), rights, true));
  }

  static LDAPConnection connect(InetSocketAddress address, String dn, String password) {
    try {
      return new LDAPConnection("127.0.0.1", address.getPort(), dn, password);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Somebody who asks Stoa. */
  LDAPConnection client(String dn, String password) {
    return connect(proxy.address(), dn, password);
  }

  Slapd slapd() {
    return slapd;
  }

  /** Whoever may do anything, by a connection to slapd. */
  LDAPConnection root() {
    return root;
  }

  RunningProxy proxy() {
    return proxy;
  }

  /** What has become of its one naming context. */
  RealmReport report() {
    return proxy.status().feeds().get(0);
  }

  /** Whether what is read from now on may rest on the feed. */
  boolean isLive() {
    List<RealmReport> feeds = proxy.status().feeds();
    return !feeds.isEmpty()
        && feeds.get(0).realm().state() == RealmState.LIVE
        && feeds.get(0).leaseAgeNanos() >= 0;
  }

  static SearchResult find(LDAPConnection who, String filter, String... attributes) {
    try {
      return who.search(People.PEOPLE, SearchScope.SUB, filter, attributes);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    proxy.close();
    root.close();
    slapd.close();
    Leftovers.delete(directory);
  }
}
