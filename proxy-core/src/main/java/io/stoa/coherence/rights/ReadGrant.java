// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.schema.NormalDn;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether the access rules (slapd.access(5)) and limits (olcLimits of slapd-config(5)) of a
 * database let an account read every entry and every attribute except secrets. The values are those
 * that slapd shows, each with its number. A rule that is not understood completely proves nothing.
 * Immutable.
 *
 * @param account the DN as which the account binds
 * @param names normalises a DN as the directory compares it
 * @param secret true for an attribute whose values Stoa never keeps
 */
public record ReadGrant(
    byte[] account, Function<byte[], NormalDn> names, Predicate<byte[]> secret) {
  private static final Pattern NUMBERED = Pattern.compile("\\{(\\d{1,6})}(.*)", Pattern.DOTALL);

  private static final Pattern DN =
      Pattern.compile("dn\\.(exact|base|one|onelevel|sub|subtree|children)=\"([^\"]*)\"");

  private static final Pattern ATTRIBUTES =
      Pattern.compile("attrs=([A-Za-z0-9][A-Za-z0-9.;-]*(?:,[A-Za-z0-9][A-Za-z0-9.;-]*)*)");

  private static final Pattern GROUP =
      Pattern.compile("group(/[A-Za-z0-9.-]+){0,2}(\\.(exact|base))?=\"[^\"]*\"");

  /** Pseudo-attributes of slapd.access(5), which decide about entries as a whole. */
  private static final Set<String> PSEUDO = Set.of("entry", "children");

  private static final Set<String> READ = Set.of("read", "write", "manage");

  private static final Set<String> LESS = Set.of("none", "disclose", "auth", "compare", "search");

  private static final Set<String> UNLIMITED = Set.of("size=unlimited", "time=unlimited");

  /** The result of matching a clause with the account. */
  private enum Match {
    YES,
    NO,
    /** For some entries, or at some times. */
    SOMETIMES,
    /** The clause is not understood. */
    UNKNOWN
  }

  /**
   * Returns the reason why the account may not see everything.
   *
   * @param roots the values of olcRootDN of the database
   * @param limits the values of its olcLimits
   * @param rules the values of its olcAccess
   * @return null if it is proved that the account reads everything except secrets
   */
  @Nullable String gap(List<String> roots, List<String> limits, List<String> rules) {
    if (roots.stream().anyMatch(root -> named(root) == Match.YES)) {
      return null; // slapd.access(5): rules and limits do not hold for the rootdn
    }
    String limitsGap = limitsGap(limits);
    return limitsGap == null ? accessGap(rules) : limitsGap;
  }

  private @Nullable String limitsGap(List<String> limits) {
    for (int i = 0; i < limits.size(); i++) {
      List<String> tokens = numbered(limits, i);
      if (tokens.isEmpty()) {
        return unclear("olcLimits", i);
      }
      Match match = limited(tokens.get(0));
      List<String> granted = tokens.subList(1, tokens.size());
      boolean isUnlimited = Set.copyOf(granted).equals(UNLIMITED);
      if (match != Match.NO && !(isUnlimited && match != Match.UNKNOWN)) {
        return unclear("olcLimits", i);
      }
      if (match == Match.YES) {
        return null;
      }
    }
    return "its database has no olcLimits for the account. Add: dn.exact=FEED-ACCOUNT "
        + "size=unlimited time=unlimited";
  }

  private Match limited(String token) {
    return token.equals("anonymous")
        ? Match.NO
        : token.equals("self") ? Match.UNKNOWN : matchSubject(token);
  }

  private @Nullable String accessGap(List<String> rules) {
    for (int i = 0; i < rules.size(); i++) {
      List<String> tokens = numbered(rules, i);
      int by = tokens.indexOf("by");
      if (by < 2 || !tokens.get(0).equals("to")) {
        return unclear("olcAccess", i);
      }
      List<String> target = tokens.subList(1, by);
      if (!target.stream().allMatch(ReadGrant::isUnderstood)) {
        return unclear("olcAccess", i);
      }
      if (!isOfSecrets(target) && !grants(tokens.subList(by, tokens.size()))) {
        return unclear("olcAccess", i);
      }
      if (target.equals(List.of("*"))) {
        return null; // slapd.access(5): the first rule that fits decides, and this one always fits
      }
    }
    return "its database has no access rule \"to *\" that grants the account read";
  }

  private static String unclear(String type, int number) {
    return type
        + " {"
        + number
        + "} of its database does not certainly grant the account read of everything";
  }

  /** Returns the tokens of the value with that number; empty if the value is not shown. */
  private static List<String> numbered(List<String> values, int number) {
    for (String value : values) {
      Matcher parts = NUMBERED.matcher(value);
      if (parts.matches() && Integer.parseInt(parts.group(1)) == number) {
        return tokens(parts.group(2));
      }
    }
    return List.of();
  }

  /** Returns the tokens of a text; none if another parser might read it differently. */
  private static List<String> tokens(String text) {
    boolean closed = text.chars().filter(letter -> letter == '"').count() % 2 == 0;
    return closed && text.indexOf('\\') < 0 ? AccessRule.tokens(text) : List.of();
  }

  private static boolean isUnderstood(String target) {
    return target.equals("*")
        || DN.matcher(target).matches()
        || ATTRIBUTES.matcher(target).matches();
  }

  /** True if a rule concerns only attributes whose values are never kept. */
  private boolean isOfSecrets(List<String> target) {
    return target.stream()
        .map(ATTRIBUTES::matcher)
        .filter(Matcher::matches)
        .flatMap(list -> Stream.of(list.group(1)).map(names -> names.split(",")))
        .anyMatch(names -> Stream.of(names).allMatch(this::isSecret));
  }

  private boolean isSecret(String attribute) {
    return !PSEUDO.contains(attribute.toLowerCase(Locale.ROOT))
        && secret.test(attribute.getBytes(UTF_8));
  }

  /** True if the first clause that holds for the account lets it read, whichever clause that is. */
  private boolean grants(List<String> clauses) {
    int at = 0;
    while (at < clauses.size()) {
      int next = at + 1;
      while (next < clauses.size() && !clauses.get(next).equals("by")) {
        next++;
      }
      Match match = match(clauses.subList(at + 1, next));
      boolean reads = READ.contains(level(clauses.subList(at + 1, next)));
      if (match == Match.UNKNOWN || (match != Match.NO && !reads)) {
        return false;
      }
      if (match == Match.YES) {
        return true;
      }
      at = next;
    }
    return false; // slapd.access(5): "by * none" ends every rule
  }

  /** Matches a clause with the account: a subject, a level, and perhaps {@code stop}. */
  private Match match(List<String> clause) {
    boolean isWellFormed =
        clause.size() == 2 || (clause.size() == 3 && clause.get(2).equals("stop"));
    String level = isWellFormed ? level(clause) : "";
    boolean isKnownLevel = READ.contains(level) || LESS.contains(level);
    return isKnownLevel ? matchSubject(clause.get(0)) : Match.UNKNOWN;
  }

  private static String level(List<String> clause) {
    return clause.size() > 1 ? clause.get(1) : "";
  }

  private Match matchSubject(String token) {
    Matcher dn = DN.matcher(token);
    if (dn.matches()) {
      return named(dn.group(1), dn.group(2));
    }
    return switch (token) {
      case "*", "users" -> Match.YES;
      case "anonymous" -> Match.NO;
      case "self" -> Match.SOMETIMES;
      default -> GROUP.matcher(token).matches() ? Match.SOMETIMES : Match.UNKNOWN;
    };
  }

  private Match named(String dn) {
    NormalDn accountDn = names.apply(account);
    NormalDn ruleDn = names.apply(dn.getBytes(UTF_8));
    if (accountDn.isRoot() || !accountDn.isDn() || !ruleDn.isDn()) {
      return Match.UNKNOWN;
    }
    if (accountDn.depth() != ruleDn.depth() || accountDn.isSurelyElsewhere(ruleDn)) {
      return Match.NO;
    }
    return accountDn.isSurelyBelowOrEqual(ruleDn) ? Match.YES : Match.SOMETIMES;
  }

  private Match named(String style, String dn) {
    if (style.equals("exact") || style.equals("base")) {
      return named(dn);
    }
    NormalDn accountDn = names.apply(account);
    NormalDn ruleDn = names.apply(dn.getBytes(UTF_8));
    boolean whole = style.equals("sub") || style.equals("subtree");
    if (whole
        && !accountDn.isRoot()
        && accountDn.isDn()
        && accountDn.isSurelyBelowOrEqual(ruleDn)) {
      return Match.YES;
    }
    return accountDn.isSurelyElsewhere(ruleDn) ? Match.NO : Match.SOMETIMES;
  }
}
