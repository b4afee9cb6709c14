// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An access rule of slapd (slapd.access(5)), as far as it tells when the outcome of the rule may
 * change. Immutable.
 *
 * @param groups DNs of groups whose members the rule names
 * @param patterns patterns from which slapd makes the DNs of further groups
 * @param reason a part of the rule whose outcome may change without a reported change; null if
 *     there is none
 */
record AccessRule(List<String> groups, List<String> patterns, @Nullable String reason) {
  /** Token between spaces; a quoted part is one. Possessive quantifiers avoid deep recursion. */
  private static final Pattern TOKEN = Pattern.compile("(?:[^\\s\"]++|\"[^\"]*+\")++");

  private static final Pattern WHAT =
      Pattern.compile("\\*|dn(\\.[a-z]+)?=.*|attrs?=.*|val(/[^=]*)?=.*|val\\..*");

  private static final Pattern WHO =
      Pattern.compile(
          "\\*|(real)?(anonymous|users|self(\\..*)?|dn(\\..*)?=.*)"
              + "|(real)?self(none|disclose|auth|compare|search|read|write)");

  private static final Pattern ACCESS =
      Pattern.compile(
          "none|disclose|auth|compare|search|read|write|add|delete|manage"
              + "|[=+-][0mwazrscxd]*|stop|continue|break");

  private static final Pattern GROUP =
      Pattern.compile("group(/[^/=.]*)?(/[^=.]*)?(\\.[a-z]+)?=(.*)", Pattern.CASE_INSENSITIVE);

  /**
   * Object classes of groups whose changes a feed reports. Members of other groups may be derived
   * from other entries.
   */
  private static final Set<String> GROUPS =
      Set.of("/groupofnames", "/groupofuniquenames", "/group", "/groupofmembers");

  private static final List<String> MEMBERS = List.of("member", "uniqueMember");

  AccessRule {
    groups = List.copyOf(groups);
    patterns = List.copyOf(patterns);
  }

  /** True if entries of an object class are known as groups. */
  static boolean isGroup(String objectClass) {
    return GROUPS.contains("/" + objectClass.toLowerCase(Locale.ROOT));
  }

  /** True if an attribute is known to hold members of groups. */
  static boolean isMember(String attribute) {
    return MEMBERS.stream().anyMatch(attribute::equalsIgnoreCase);
  }

  /** Returns the attributes that hold members of groups. */
  static List<String> membersOfGroups() {
    return MEMBERS;
  }

  /** Parses a value of olcAccess as slapd shows it. */
  static AccessRule parse(String text) {
    RuleParser reader = new RuleParser();
    tokens(unnumbered(text)).forEach(reader::take);
    return reader.rule();
  }

  /**
   * Parses a value of olcLimits (slapd.conf(5)) as slapd shows it. The subject comes first; only a
   * group can change its members.
   */
  static AccessRule limits(String text) {
    RuleParser reader = new RuleParser();
    List<String> tokens = tokens(unnumbered(text));
    Matcher group = GROUP.matcher(tokens.isEmpty() ? "" : tokens.get(0));
    if (group.matches()) {
      reader.group(group);
    }
    return reader.rule();
  }

  private static String unnumbered(String text) {
    return text.replaceFirst("^\\{\\d+}", "");
  }

  /** Splits a text at spaces; a quoted part may contain spaces. */
  static List<String> tokens(String text) {
    return TOKEN.matcher(text).results().map(MatchResult::group).toList();
  }

  /** Reads the tokens of a rule in order. Confined to one thread. */
  private static final class RuleParser {
    private final List<String> groups = new ArrayList<>();
    private final List<String> patterns = new ArrayList<>();
    private boolean inTarget;
    private @Nullable String reason;

    void take(String token) {
      String lower = token.toLowerCase(Locale.ROOT);
      if (lower.equals("to")) {
        inTarget = true;
      } else if (lower.equals("by")) {
        inTarget = false;
      } else if (inTarget) {
        expect(WHAT.matcher(lower).matches(), lower);
      } else {
        parseSubject(token, lower);
      }
    }

    private void parseSubject(String token, String lower) {
      Matcher group = GROUP.matcher(token);
      if (group.matches()) {
        group(group);
      } else {
        expect(WHO.matcher(lower).matches() || ACCESS.matcher(lower).matches(), lower);
      }
    }

    private void group(Matcher group) {
      String kind = lower(group.group(1));
      String members = lower(group.group(2));
      boolean seen = members.isEmpty() || isMember(members.substring(1));
      if (!(kind.isEmpty() || GROUPS.contains(kind)) || !seen) {
        expect(false, "group" + kind + members);
        return;
      }
      String style = group.group(3);
      boolean exact = style == null || style.equals(".exact") || style.equals(".base");
      (exact ? groups : patterns).add(group.group(4).replace("\"", ""));
    }

    private static String lower(@Nullable String part) {
      return part == null ? "" : part.toLowerCase(Locale.ROOT);
    }

    private void expect(boolean condition, String token) {
      if (!condition && reason == null) {
        int end = token.indexOf('=');
        reason = end <= 0 ? token : token.substring(0, end);
      }
    }

    AccessRule rule() {
      return new AccessRule(groups, patterns, reason);
    }
  }
}
