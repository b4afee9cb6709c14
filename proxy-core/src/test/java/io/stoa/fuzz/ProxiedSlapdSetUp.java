// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A slapd whose databases are at another slapd (back-ldap, also with overlay pcache, back-meta,
 * overlay translucent), or are another view of its own (back-relay, overlay rwm). Immutable.
 */
record ProxiedSlapdSetUp(List<Stoas.Kind> ways) implements SetUp {
  private static final String LDAP = "dc=ldap,dc=test";
  private static final String META = "dc=meta,dc=test";
  private static final String RELAY = "dc=relay,dc=test";
  private static final String MAPPED = "dc=rwm,dc=test";
  private static final String LUCENT = "dc=translucent,dc=test";
  private static final String CACHED = "dc=pcache,dc=test";
  private static final List<String> FAR = List.of(LDAP, META, LUCENT, CACHED);

  /**
   * back-meta ignores paging, overlay translucent refuses its own cookies, and back-ldap may send
   * the second page over another connection.
   */
  private static final Set<String> UNPAGED = Set.of(LDAP, META, LUCENT, CACHED);

  /** Index of the only identity that overlay translucent lets write. */
  private static final int LUCENT_ROOT = SlapdSetUp.ROOT + 1;

  /** All but those whose entries are at the other server. */
  private static final Set<String> FOLLOWED = Set.of(People.SUFFIX, SlapdSetUp.PLAIN);

  private static final String REMOTE =
      """
      idassert-bind bindmethod=simple binddn="cn=admin,%1$s" credentials=secret mode=none
      idassert-authzFrom "*"
      chase-referrals no
      """;

  /**
   * Answers to filters by a name are kept for an hour. Attributes are named: slapd 2.5 crashes with
   * a set of {@code *}.
   */
  private static final String CACHE =
      """
      overlay pcache
      pcache mdb 1000 2 100 3600
      pcacheAttrset 0 cn l
      pcacheAttrset 1 l
      pcacheTemplate (uid=) 0 3600
      pcacheTemplate (uid=) 1 3600
      directory %s
      maxsize 10485760
      index objectClass,pcacheQueryID eq
      """
          .formatted(SlapdConfig.DIRECTORY);

  @Override
  public String name() {
    return "proxies";
  }

  @Override
  public List<Identity> identities() {
    List<Identity> all = new ArrayList<>(new SlapdSetUp(name(), List.of(), ways).identities());
    all.add(LUCENT_ROOT, new Identity("cn=admin," + LUCENT, SlapdConfig.ROOT_PASSWORD));
    return all;
  }

  @Override
  public List<Vocabulary> vocabularies() {
    List<Vocabulary> words = new ArrayList<>();
    for (String suffix : List.of(LDAP, META, RELAY, MAPPED, LUCENT, CACHED, SlapdSetUp.PLAIN)) {
      int writer = suffix.equals(LUCENT) ? LUCENT_ROOT : SlapdSetUp.ROOT;
      Vocabulary here = Tree.vocabulary(suffix, writer);
      Vocabulary own = UNPAGED.contains(suffix) ? here.unpaged() : here;
      Vocabulary kept = suffix.equals(CACHED) ? cached(own) : own;
      words.add(suffix.equals(RELAY) ? own.place(SlapdSetUp.PLAIN) : kept);
    }
    return words;
  }

  /**
   * The same of a server that keeps answers to filters and attribute lists that are drawn often.
   */
  private static Vocabulary cached(Vocabulary words) {
    List<String> filters = List.of("(uid=u0)", "(uid=u1)", "(uid=u2)", "(uid=u3)", "(uid=u5)");
    return words.and(List.of(), filters, List.of("cn", "l")).delay(Delay.CACHED);
  }

  @Override
  public World start(List<Stoas.Kind> kinds) {
    Slapd far = Slapd.start(far());
    boolean started = false;
    try {
      Slapd near = Slapd.start(near(far.url()));
      started = true;
      Stoas stoas = SlapdSetUp.stoas(near, FOLLOWED::contains);
      return World.before(near, List.of(near, far), identities(), stoas, kinds);
    } finally {
      if (!started) {
        far.close();
      }
    }
  }

  private static SlapdConfig far() {
    SlapdConfig config = SlapdConfig.stock();
    for (String suffix : FAR) {
      String lines = "access to attrs=userPassword by anonymous auth by * none\n";
      config = config.database(suffix, lines + "access to * by * read\n", SlapdSetUp.tree(suffix));
    }
    return config;
  }

  private static SlapdConfig near(String url) {
    String relay =
        database("relay", RELAY, "relay \"" + SlapdSetUp.PLAIN + "\"")
            + "overlay rwm\nrwm-suffixmassage \""
            + SlapdSetUp.PLAIN
            + "\"\n";
    String databases =
        database("ldap", LDAP, "uri " + url)
            + REMOTE.formatted(LDAP)
            + database("meta", META, "uri " + url + "/" + META)
            + REMOTE.formatted(META)
            + relay
            + database("ldap", CACHED, "rootdn \"cn=admin," + CACHED + "\"\nuri " + url)
            + REMOTE.formatted(CACHED)
            + CACHE;
    SlapdConfig config = SlapdSetUp.config(databases);
    for (String module : List.of("back_ldap", "back_meta", "back_relay", "pcache")) {
      config = config.module(module);
    }
    String mapped = SlapdSetUp.access(MAPPED) + "overlay rwm\nrwm-map attribute st l\n";
    String lucent =
        SlapdSetUp.access(LUCENT)
            + "overlay translucent\ntranslucent_no_glue\nuri "
            + url
            + "\nchase-referrals no\nlastmod off\nacl-bind binddn=\"cn=admin,"
            + LUCENT
            + "\" credentials=secret\n";
    return config
        .module("rwm")
        .module("translucent")
        .database(MAPPED, mapped, SlapdSetUp.tree(MAPPED))
        .database(LUCENT, lucent, new Ldif());
  }

  private static String database(String kind, String suffix, String line) {
    return "database "
        + kind
        + "\nsuffix \""
        + suffix
        + "\"\n"
        + line
        + "\n"
        + SlapdSetUp.access(suffix);
  }

  @Override
  public String toString() {
    return name();
  }
}
