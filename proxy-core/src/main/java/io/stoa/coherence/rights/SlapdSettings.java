// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a slapd as read from cn=config: the sources of rights, and the derived
 * attributes. Immutable.
 *
 * @param allValues all values that were read, to compare configurations
 * @param rightsValues the values that decide about rights; servers with equal ones show the same
 *     entries
 * @param derived the attributes that overlays derive
 * @param groups DNs of groups whose members have other rights
 * @param patterns patterns from which slapd makes the DNs of further such groups
 * @param reason the reason why changes of rights may go unnoticed; null if all are noticed
 * @param gap the reason why the account of the feed may not see everything; null if the access
 *     rules grant that
 * @param foreign the reason why entries may not be shown as databases of this server hold them;
 *     null if it is proved that they are
 * @param proxying the reason why an account may lose the right to act for others unnoticed; null if
 *     only its own entry decides
 */
record SlapdSettings(
    Set<Octets> allValues,
    Set<String> rightsValues,
    DerivedConfig derived,
    List<String> groups,
    List<String> patterns,
    @Nullable String reason,
    @Nullable String gap,
    @Nullable String foreign,
    @Nullable String proxying) {
  /** Attributes that are read of each entry; passwords are not among them. */
  static final List<String> ATTRIBUTES =
      List.of(
          "objectClass",
          "entryCSN",
          "olcDatabase",
          "olcSuffix",
          "olcSubordinate",
          "olcAccess",
          "olcLimits",
          "olcSizeLimit",
          "olcTimeLimit",
          "olcDefaultSearchBase",
          "olcRootDN",
          "olcSecurity",
          "olcLocalSSF",
          "olcRequires",
          "olcDisallows",
          "olcAllows",
          "olcRestrict",
          "olcReadOnly",
          "olcHidden",
          "olcDisabled",
          "olcAuthIDRewrite",
          "olcAuthzPolicy",
          "olcAuthzRegexp",
          "olcOverlay",
          "olcPlugin",
          "olcRefintAttribute",
          "olcMemberOfGroupOC",
          "olcMemberOfMemberAD",
          "olcMemberOfMemberOfAD",
          "olcMemberOfRefInt",
          "olcDynListAttrSet");

  private static final Set<String> RULING =
      Set.of(
          "olcaccess",
          "olclimits",
          "olcsizelimit",
          "olctimelimit",
          "olcdefaultsearchbase",
          "olcrootdn",
          "olcsecurity",
          "olclocalssf",
          "olcrequires",
          "olcdisallows",
          "olcallows",
          "olcrestrict",
          "olchidden",
          "olcdisabled",
          "olcauthidrewrite",
          "olcauthzpolicy",
          "olcauthzregexp");

  private static final Set<String> STORES = Set.of("mdb", "hdb", "bdb", "wt");

  /** Overlays that change no rights, and change entries only in ways that are examined here. */
  private static final Set<String> OVERLAYS =
      Set.of(
          "syncprov",
          "accesslog",
          "auditlog",
          "memberof",
          "refint",
          "dynlist",
          "dyngroup",
          "ppolicy",
          "lastbind",
          "unique",
          "constraint",
          "sssvlv",
          "deref",
          "valsort",
          "homedir",
          "otp");

  /** Databases of each slapd that hold no entries of users. */
  private static final Set<String> OWN = Set.of("frontend", "config", "monitor");

  /**
   * Overlays that leave entries as the database holds them, whatever a search names. Some write
   * (syncprov, memberof, refint, ppolicy, lastbind, otp), log (accesslog, auditlog) or check writes
   * (unique, constraint). Others act on the file system (homedir), answer compares (dyngroup), or
   * answer controls that the caches do not take (sssvlv, deref). All others may compute attributes,
   * sort values, map names or ask another server.
   */
  private static final Set<String> PLAIN =
      Set.of(
          "syncprov",
          "memberof",
          "refint",
          "ppolicy",
          "lastbind",
          "otp",
          "accesslog",
          "auditlog",
          "unique",
          "constraint",
          "homedir",
          "dyngroup",
          "sssvlv",
          "deref");

  /**
   * Evaluates a reading of cn=config.
   *
   * @param entries the entries of databases and overlays
   * @param isContext true if a DN is the naming context of the feed
   * @param isIn true if a DN is at or below that naming context
   * @param mayFeed true if a feed may come from this server, which then has an overlay for it
   * @param grant judges whether the account of the feed sees everything
   */
  static SlapdSettings of(
      List<SearchEntry> entries,
      Predicate<String> isContext,
      Predicate<String> isIn,
      boolean mayFeed,
      ReadGrant grant) {
    return new Parser(entries, isContext, isIn).setup(mayFeed, grant);
  }

  /** One evaluation. Confined to one thread. */
  private static final class Parser {
    private static final String FRONTEND = "frontend";
    private static final Set<String> URLS = Set.of("memberurl", "labeleduri");

    private final List<SearchEntry> entries;
    private final Set<String> concerned = new HashSet<>();
    private final Predicate<String> isContext;
    private final Predicate<String> isIn;
    private final List<String> linked = new ArrayList<>();
    private final List<String> memberOf = new ArrayList<>();
    private final List<String> composed = new ArrayList<>();
    private final List<String> groups = new ArrayList<>();
    private final List<String> patterns = new ArrayList<>();
    private boolean rules;
    private boolean overlays;
    private @Nullable String reason;

    Parser(List<SearchEntry> entries, Predicate<String> isContext, Predicate<String> isIn) {
      this.entries = entries;
      this.isIn = isIn;
      this.isContext = isContext;
    }

    SlapdSettings setup(boolean tells, ReadGrant grant) {
      Set<Octets> everything = new TreeSet<>();
      entries.forEach(entry -> digest(entry, everything));
      entries.stream().filter(this::decidesRights).forEach(entry -> concerned.add(name(entry)));
      entries.forEach(this::read);
      boolean all =
          hasEntry(this::isOfContext) && hasEntry(Parser::isFrontend) && hasEntry(Parser::isGlobal);
      boolean shown = overlays || !tells;
      addReason(all && rules && shown ? null : "the account cannot read all of cn=config");
      boolean grouped = !groups.isEmpty() || !patterns.isEmpty();
      addReason(
          grouped && hasDatabaseBelow()
              ? "groups may be in a subordinate database, which this feed does not cover"
              : null);
      DerivedConfig derived = new DerivedConfig(memberOf, linked, composed);
      return new SlapdSettings(
          Set.copyOf(everything),
          ruling(),
          derived,
          groups,
          patterns,
          reason,
          gap(grant),
          foreign(),
          proxying());
    }

    /**
     * Returns why the account may not see everything. Exactly one database must have the naming
     * context: with two it is not known which one answers.
     */
    private @Nullable String gap(ReadGrant grant) {
      List<SearchEntry> contextEntries = entries.stream().filter(this::isOfContext).toList();
      if (contextEntries.size() != 1) {
        return "the account cannot read which database holds the naming context";
      }
      SearchEntry database = contextEntries.get(0);
      return grant.gap(
          values(database, "olcRootDN"),
          values(database, "olcLimits"),
          values(database, "olcAccess"));
    }

    /**
     * Returns why entries may be shown otherwise than held. Every database counts, since a search
     * may begin above several of them.
     */
    private @Nullable String foreign() {
      boolean all =
          hasEntry(this::isOfContext) && hasEntry(Parser::isFrontend) && hasEntry(Parser::isGlobal);
      if (!all) {
        return "the account cannot read all of cn=config";
      }
      String computing = other("olcOverlay", PLAIN::contains);
      String elsewhere = other("olcDatabase", type -> OWN.contains(type) || STORES.contains(type));
      if (elsewhere != null || computing != null) {
        return elsewhere == null
            ? "unsupported overlay " + computing
            : "unsupported database type " + elsewhere;
      }
      boolean glued = values("olcSubordinate").anyMatch(value -> !value.equals("FALSE"));
      boolean plugins = values("olcPlugin").findAny().isPresent();
      return glued
          ? "databases are glued (olcSubordinate)"
          : plugins ? "plugins are loaded (olcPlugin)" : null;
    }

    /** Returns the first type that is not known; null if all are. */
    private @Nullable String other(String attribute, Predicate<String> isKnown) {
      return values(attribute)
          .map(Parser::plain)
          .filter(Predicate.not(isKnown))
          .findFirst()
          .orElse(null);
    }

    /**
     * Returns the values that decide about rights, labelled by the role of their entry, since its
     * name may differ between servers.
     */
    private Set<String> ruling() {
      Set<String> ruling = new TreeSet<>();
      for (SearchEntry entry : entries) {
        String what =
            isGlobal(entry)
                ? "all"
                : isOfContext(entry) ? "own" : isFrontend(entry) ? FRONTEND : "";
        for (AttributeOctets attribute : entry.attributes()) {
          String type = new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
          if (!what.isEmpty() && RULING.contains(type)) {
            attribute.values().forEach(value -> ruling.add(line(what, type, value)));
          }
        }
      }
      return Set.copyOf(ruling);
    }

    private static String line(String what, String type, byte[] value) {
      return what + " " + type + " " + new String(value, UTF_8);
    }

    /**
     * Returns why changes of proxy rights may go unnoticed. Slapd may search for the identity of a
     * name, or the entries of clients may say which account acts for them.
     */
    private @Nullable String proxying() {
      if (values("olcAuthzRegexp").anyMatch(rule -> rule.toLowerCase(Locale.ROOT).contains("ldap"))
          || values("olcAuthIDRewrite").findAny().isPresent()) {
        return "slapd maps client names by searches or rewriting (olcAuthzRegexp, "
            + "olcAuthIDRewrite)";
      }
      if (hasDatabaseBelow()) {
        return "the service account may be in a subordinate database, which this feed does "
            + "not cover";
      }
      boolean own = values("olcAuthzPolicy").allMatch("to"::equalsIgnoreCase);
      return own
          ? null
          : "entries of clients grant proxied authorization (olcAuthzPolicy is not \"to\")";
    }

    private Stream<String> values(String type) {
      return entries.stream().flatMap(entry -> values(entry, type).stream());
    }

    /**
     * True if a database is below that of the naming context: the feed does not report its changes.
     */
    private boolean hasDatabaseBelow() {
      return entries.stream()
          .flatMap(entry -> values(entry, "olcSuffix").stream())
          .anyMatch(suffix -> isIn.test(suffix) && !isContext.test(suffix));
    }

    private static void digest(SearchEntry entry, Set<Octets> everything) {
      for (AttributeOctets attribute : entry.attributes()) {
        everything.add(Octets.of(SearchEntry.encode(entry.dn(), List.of(attribute.encoded()))));
      }
    }

    private void addReason(@Nullable String why) {
      reason = reason == null ? why : reason;
    }

    private boolean hasEntry(Predicate<SearchEntry> condition) {
      return entries.stream().anyMatch(condition);
    }

    /**
     * True for the database of the naming context, and for the frontend, whose rules follow those
     * of each database.
     */
    private boolean decidesRights(SearchEntry entry) {
      return isOfContext(entry) || isFrontend(entry);
    }

    private boolean isOfContext(SearchEntry entry) {
      return values(entry, "olcSuffix").stream().anyMatch(isContext);
    }

    private static boolean isFrontend(SearchEntry entry) {
      return values(entry, "olcDatabase").stream().anyMatch(name -> plain(name).equals(FRONTEND));
    }

    /** True for the global configuration of the server. */
    private static boolean isGlobal(SearchEntry entry) {
      return name(entry).equals("cn=config");
    }

    private static String name(SearchEntry entry) {
      return new String(entry.dn(), UTF_8).toLowerCase(Locale.ROOT);
    }

    private void read(SearchEntry entry) {
      values(entry, "olcDatabase").forEach(type -> database(entry, plain(type)));
      String name = name(entry);
      if (concerned.contains(name)) {
        values(entry, "olcAccess").stream().map(AccessRule::parse).forEach(this::rule);
        values(entry, "olcLimits").stream().map(AccessRule::limits).forEach(this::decides);
      } else if (concerned.stream().anyMatch(above -> name.endsWith("," + above))) {
        values(entry, "olcOverlay").forEach(type -> parseOverlay(entry, plain(type)));
      }
    }

    private void rule(AccessRule rule) {
      rules = true;
      decides(rule);
    }

    private void decides(AccessRule rule) {
      groups.addAll(rule.groups());
      patterns.addAll(rule.patterns());
      addReason(rule.reason() == null ? null : "rights depend on " + rule.reason());
    }

    private void database(SearchEntry entry, String type) {
      boolean holdsContext = values(entry, "olcSuffix").stream().anyMatch(isContext);
      addReason(
          holdsContext && !STORES.contains(type) ? "unsupported database type " + type : null);
      boolean glued =
          values(entry, "olcSubordinate").stream().anyMatch(value -> !value.equals("FALSE"));
      addReason(glued ? "databases are glued (olcSubordinate)" : null);
    }

    private void parseOverlay(SearchEntry entry, String type) {
      overlays = true;
      addReason(OVERLAYS.contains(type) ? null : "unsupported overlay " + type);
      linked.addAll(values(entry, "olcRefintAttribute"));
      if (type.equals("memberof")) {
        boolean usual =
            values(entry, "olcMemberOfGroupOC").stream().allMatch(AccessRule::isGroup)
                && values(entry, "olcMemberOfMemberAD").stream().allMatch(AccessRule::isMember);
        addReason(
            usual
                ? null
                : "overlay memberof is configured for other group classes or member attributes");
        memberOf.addAll(orElse(values(entry, "olcMemberOfMemberOfAD"), "memberOf"));
        boolean repairs = values(entry, "olcMemberOfRefInt").contains("TRUE");
        linked.addAll(repairs ? orElse(values(entry, "olcMemberOfMemberAD"), "member") : List.of());
      }
      values(entry, "olcDynListAttrSet").forEach(this::dynamic);
    }

    private static List<String> orElse(List<String> values, String usual) {
      return values.isEmpty() ? List.of(usual) : values;
    }

    /** {@code CLASS URL-ATTRIBUTE [[MAPPED:]MEMBER-ATTRIBUTE[+MEMBER-OF-ATTRIBUTE[@CLASS]]...]}. */
    private void dynamic(String set) {
      String[] parts = set.split("\\s+");
      boolean usual = parts.length > 1 && URLS.contains(parts[1].toLowerCase(Locale.ROOT));
      addReason(usual ? null : "overlay dynlist has an unsupported olcDynListAttrSet");
      for (int i = 2; i < parts.length; i++) {
        mapping(parts[i]);
      }
    }

    private void mapping(String part) {
      int mapped = part.indexOf(':');
      String[] names = part.substring(mapped + 1).split("[+@*]");
      if (mapped > 0) {
        composed.add(part.substring(0, mapped));
      }
      composed.add(names[0]);
      if (part.contains("+") && names.length > 1) {
        memberOf.add(names[1]);
      }
    }

    /** Returns a value without the number that orders values and entries. */
    private static String plain(String value) {
      return value.replaceFirst("^\\{-?\\d+}", "").strip().toLowerCase(Locale.ROOT);
    }

    private static List<String> values(SearchEntry entry, String type) {
      return entry.attributes().stream()
          .filter(attribute -> type.equalsIgnoreCase(new String(attribute.type(), UTF_8)))
          .flatMap(attribute -> attribute.values().stream())
          .map(value -> new String(value, UTF_8))
          .collect(Collectors.toList());
    }
  }
}
