// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * A slapd with a database without overlays, which has everybody who asks, and one for each of some
 * overlays. Immutable.
 */
record SlapdSetUp(String name, List<Overlay> overlays, List<Stoas.Kind> ways) implements SetUp {
  private static final String FEED = "cn=feed," + People.SUFFIX;
  private static final int ROOT = 3;

  private static final String ACCESS =
      """
      index objectClass,uid,entryUUID,entryCSN eq
      limits dn.exact="%1$s" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by dn.exact="%1$s" read by * none
      access to attrs=description by dn.exact="%2$s" read by dn.exact="%1$s" read by * none
      access to attrs=telephoneNumber by users read by * none
      access to dn.subtree="%3$s" by dn.exact="%2$s" write by * read
      access to * by * read
      """;

  @Override
  public List<Identity> identities() {
    return List.of(
        Identity.ANONYMOUS,
        new Identity(People.dn(1), People.PASSWORD),
        new Identity(People.dn(2), People.PASSWORD),
        new Identity(People.dn(3), People.PASSWORD),
        Identity.ANONYMOUS);
  }

  @Override
  public List<Vocabulary> words() {
    List<Vocabulary> words = new ArrayList<>();
    words.add(Tree.words("dc=plain,dc=test", ROOT));
    overlays.forEach(overlay -> words.add(overlay.words(ROOT)));
    return words;
  }

  private static Ldif accounts() {
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

  private static Ldif tree(String suffix) {
    Ldif ldif = new Ldif();
    Tree.fill(ldif, suffix);
    Tree.odd(ldif, suffix);
    return ldif;
  }

  private SlapdConfig config() {
    SlapdConfig config =
        SlapdConfig.stock()
            .module("syncprov")
            .global("authz-policy to")
            .database(People.SUFFIX, lines(People.SUFFIX, ""), accounts())
            .database("dc=plain,dc=test", lines("dc=plain,dc=test", ""), tree("dc=plain,dc=test"));
    for (Overlay overlay : overlays) {
      for (String module : overlay.modules()) {
        config = config.module(module);
      }
      Ldif ldif = tree(overlay.suffix());
      overlay.fill(ldif);
      config = config.database(overlay.suffix(), lines(overlay.suffix(), overlay.lines()), ldif);
    }
    return config;
  }

  private static String lines(String suffix, String overlay) {
    String access = ACCESS.formatted(FEED, People.dn(3), suffix);
    return access + overlay + "\noverlay syncprov\nsyncprov-sessionlog 1000\n";
  }

  @Override
  public World start(List<Stoas.Kind> kinds) {
    Slapd slapd = Slapd.start(config());
    Stoas stoas =
        new Stoas(
            slapd.address(),
            identities(),
            FEED,
            Stoas.people("*," + People.PEOPLE, "dc=plain,dc=test", "description", "userPassword"));
    boolean started = false;
    try {
      World world =
          new World(
              new Clients(slapd.address(), identities()),
              stoas.start(kinds),
              List.of(slapd, (AutoCloseable) stoas::close));
      started = true;
      return world;
    } finally {
      if (!started) {
        slapd.close();
        stoas.close();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
