// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;

/**
 * What slapd logs of what is written. Immutable.
 *
 * @param mode which feed is taken
 * @param logged lines of overlay accesslog of the database of people; empty if it has none
 * @param other whether another database is logged in the same log
 */
public record Accesslog(Mode mode, String logged, boolean other) {
  static final Accesslog NONE = new Accesslog(Mode.AUTO, "", false);

  public static final String LOG = "cn=log";
  public static final String OTHER = "dc=other";

  /** As {@code docs/guides/feeds.md} has it. */
  public static final String OVERLAY =
      """
      overlay accesslog
      logdb cn=log
      logsuccess TRUE
      logops %s
      """;

  /** The same. */
  public static final String DATABASE =
      """
      index objectClass,reqResult,entryCSN eq
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to * by dn.exact="cn=feed,dc=example,dc=com" read by * none
      overlay syncprov
      syncprov-nopresent TRUE
      syncprov-reloadhint TRUE
      """;

  /** Everything that is written to people. */
  public static Accesslog ofPeople() {
    return of("writes");
  }

  /** These operations on people alone. */
  public static Accesslog of(String operations) {
    return new Accesslog(Mode.ACCESSLOG, OVERLAY.formatted(operations), true);
  }

  /** People are not logged, while others are. */
  public static Accesslog ofOthers() {
    return new Accesslog(Mode.ACCESSLOG, "", true);
  }

  /** A server with the log. */
  public SlapdConfig beside(SlapdConfig stock) {
    return equals(NONE) ? stock : stock.module("accesslog").database(LOG, DATABASE, new Ldif());
  }

  /** The same with other databases. */
  public SlapdConfig before(SlapdConfig people) {
    Ldif others =
        new Ldif()
            .entry(
                OTHER, "objectClass: organization", "objectClass: dcObject", "dc: other", "o: x");
    return other
        ? people.database(OTHER, "overlay syncprov\n" + OVERLAY.formatted("writes"), others)
        : people;
  }

  /** For the database of people. */
  public String lines() {
    return logged;
  }

  /** A feed begins with what was written last. */
  public void begin(Slapd slapd) {
    if (!equals(NONE)) {
      try (LDAPConnection root = bound(slapd, People.SUFFIX)) {
        root.modify(
            SlapdWithFeed.FEED, new Modification(ModificationType.REPLACE, "description", "begun"));
        root.add("cn=begun," + People.SUFFIX, people("begun"));
        if (other) {
          try (LDAPConnection others = bound(slapd, OTHER)) {
            others.modify(OTHER, new Modification(ModificationType.REPLACE, "o", "begun"));
          }
        }
      } catch (LDAPException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Whoever may do anything in a database. */
  public static LDAPConnection bound(Slapd slapd, String suffix) {
    return SlapdWithFeed.connect(slapd.address(), "cn=admin," + suffix, SlapdConfig.ROOT_PASSWORD);
  }

  private static Attribute[] people(String name) {
    return new Attribute[] {
      new Attribute("objectClass", "person"), new Attribute("cn", name), new Attribute("sn", name)
    };
  }
}
