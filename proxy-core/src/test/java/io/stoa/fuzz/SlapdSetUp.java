// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * A slapd with a database without overlays, which has everybody who asks, and one for each of some
 * overlays. Immutable.
 */
record SlapdSetUp(String name, List<Overlay> overlays, List<Stoas.Kind> ways) implements SetUp {
  static final String FEED = "cn=feed," + People.SUFFIX;
  static final String PLAIN = "dc=plain,dc=test";
  static final int ROOT = 3;

  /** The configuration is readable by the feed, so that Stoa knows which overlays there are. */
  private static final String CONFIGURATION =
      """
      authz-policy to
      database config
      access to * by dn.exact="%s" read by * none
      """
          .formatted(FEED);

  private static final String ACCESS =
      """
      limits dn.exact="%1$s" size=unlimited time=unlimited
      access to attrs=userPassword
        by anonymous auth by dn.exact="%1$s" read by dn.exact="%2$s" =w by * none
      access to attrs=description by dn.exact="%2$s" write by dn.exact="%1$s" read by * none
      access to attrs=telephoneNumber by users read by * none
      access to dn.subtree="%3$s" by dn.exact="%2$s" write by * read
      access to * by * read
      """;

  /** The log, as {@code docs/guides/feeds.md} has it; clients read it, too. */
  private static final String LOG =
      """
      index objectClass,reqResult,entryCSN eq
      limits dn.exact="%1$s" size=unlimited time=unlimited
      access to * by dn.exact="%1$s" read by users read by * none
      overlay syncprov
      syncprov-nopresent TRUE
      syncprov-reloadhint TRUE
      """
          .formatted(FEED);

  @Override
  public List<Identity> identities() {
    return List.of(
        Identity.ANONYMOUS,
        new Identity(People.dn(1), People.PASSWORD),
        new Identity(People.dn(2), People.PASSWORD),
        new Identity(People.dn(3), People.PASSWORD),
        Identity.ANONYMOUS);
  }

  /** The plain database is asked, too, unless one overlay is tried alone. */
  @Override
  public List<Vocabulary> vocabularies() {
    List<Vocabulary> words = new ArrayList<>();
    if (overlays.size() != 1) {
      words.add(Tree.vocabulary(PLAIN, ROOT));
    }
    overlays.forEach(overlay -> words.add(overlay.vocabulary(ROOT)));
    return words;
  }

  /** The same without overlays in whose databases nothing is asked. */
  @Override
  public SetUp about(List<ScriptStep> script) {
    String text = script.toString().toLowerCase(Locale.ROOT).replace(" ", "");
    List<Overlay> asked = overlays.stream().filter(it -> it.isIn(text)).toList();
    return new SlapdSetUp(name, asked, ways);
  }

  /** A feed tells of each database but the log, and of that one alone which its log tells of. */
  private boolean isFollowed(String context) {
    return !context.equals(Overlays.LOG)
        && (!ways.contains(Stoas.Kind.LOGGED) || context.equals(Overlays.logged().suffix()));
  }

  static Ldif accounts() {
    Ldif ldif = People.tree(4);
    for (String dn : List.of(FEED, ServiceWatch.DN)) {
      boolean feed = dn.equals(FEED);
      ldif.entry(
          dn,
          "objectClass: inetOrgPerson",
          "cn: " + (feed ? "feed" : "stoa"),
          "sn: Stoa" + (feed ? "" : "\nauthzTo: dn.regex:."),
          "userPassword: " + (feed ? Stoas.FEED_PASSWORD : ServiceWatch.PASSWORD));
    }
    return ldif;
  }

  static Ldif tree(String suffix) {
    Ldif ldif = new Ldif();
    Tree.fill(ldif, suffix);
    Tree.odd(ldif, suffix);
    return ldif;
  }

  /** One with the accounts, and with databases that are described by lines of slapd.conf. */
  static SlapdConfig config(String databases) {
    return SlapdConfig.stock()
        .module("syncprov")
        .global(CONFIGURATION)
        .database(PLAIN, local(PLAIN, ""), tree(PLAIN))
        .database(People.SUFFIX, local(People.SUFFIX, "") + databases, accounts());
  }

  private SlapdConfig config() {
    SlapdConfig config = config("");
    if (overlays.stream().anyMatch(it -> it.settings().contains("overlay accesslog"))) {
      config = config.database(Overlays.LOG, LOG, new Ldif());
    }
    for (Overlay overlay : overlays) {
      for (String module : overlay.modules()) {
        config = config.modules().contains(module) ? config : config.module(module);
      }
      Ldif ldif = tree(overlay.suffix());
      overlay.fill(ldif);
      config = config.database(overlay.suffix(), local(overlay.suffix(), overlay.lines()), ldif);
    }
    return config;
  }

  /** The rules of access of a database. */
  static String access(String suffix) {
    return ACCESS.formatted(FEED, People.dn(ROOT), suffix);
  }

  /** The lines of a local database. */
  static String local(String suffix, String overlay) {
    return "index objectClass,uid,entryUUID,entryCSN eq\n"
        + access(suffix)
        + overlay
        + "\noverlay syncprov\nsyncprov-sessionlog 1000\n";
  }

  @Override
  public World start(List<Stoas.Kind> kinds) {
    Slapd slapd = Slapd.start(config());
    if (ways.contains(Stoas.Kind.LOGGED)) {
      begin(slapd);
    }
    return World.before(slapd, List.of(slapd), identities(), stoas(slapd, this::isFollowed), kinds);
  }

  /** Makes a first change: the feed of a log begins with its last record. */
  private static void begin(Slapd slapd) {
    String suffix = Overlays.logged().suffix();
    try (RawLdapClient root = RawLdapClient.connect(slapd.address())) {
      root.bind("cn=admin," + suffix, SlapdConfig.ROOT_PASSWORD);
      if (root.code(Requests.replace(suffix, "description", "begun")) != 0) {
        throw new AssertionError("the first change was refused");
      }
    }
  }

  /**
   * The Stoas before a slapd.
   *
   * @param followed judges a naming context: true if a feed tells of it
   */
  static Stoas stoas(Slapd slapd, Predicate<String> followed) {
    return new Stoas(
        slapd.address(),
        FEED,
        Stoas.people("*," + People.PEOPLE, PLAIN, "description", "userPassword"),
        followed);
  }

  @Override
  public String toString() {
    return name;
  }
}
