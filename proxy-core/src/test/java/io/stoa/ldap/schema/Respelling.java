// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Spells a search in another way: sometimes one that means the same, sometimes one that only looks
 * so. Single-threaded.
 */
final class Respelling {
  private static final List<List<String>> ALIASES =
      List.of(
          List.of("cn", "commonName", "2.5.4.3"),
          List.of("sn", "surname", "2.5.4.4"),
          List.of("givenName", "gn", "2.5.4.42"),
          List.of("uid", "userid", "0.9.2342.19200300.100.1.1"),
          List.of("mail", "rfc822Mailbox", "0.9.2342.19200300.100.1.3"),
          List.of("dc", "domainComponent", "0.9.2342.19200300.100.1.25"),
          List.of("ou", "organizationalUnitName", "2.5.4.11"),
          List.of("c", "countryName", "2.5.4.6"),
          List.of("telephoneNumber", "2.5.4.20"),
          List.of("uidNumber", "1.3.6.1.1.1.1.0"),
          List.of("homeDirectory", "1.3.6.1.1.1.1.3"),
          List.of("stoaFlag", "stoaBool", "1.3.6.1.4.1.99999.1"),
          List.of("stoaExactName", "1.3.6.1.4.1.99999.2"),
          List.of("description", "2.5.4.13"),
          List.of("name", "2.5.4.41"),
          List.of("member", "2.5.4.31"),
          List.of("entryDN", "1.3.6.1.1.20"),
          List.of("objectClass", "2.5.4.0"),
          List.of("person", "2.5.6.6"),
          List.of("stoaThing", "stoaObject", "1.3.6.1.4.1.99999.100"),
          List.of("groupOfNames", "2.5.6.9"),
          List.of("top", "2.5.6.0"));
  private static final Pattern UNESCAPED_COMMA = Pattern.compile("(?<!\\\\),");

  private final Random random;

  Respelling(Random random) {
    this.random = random;
  }

  SearchOp of(SearchOp op) {
    byte[] base = oneIn(3) ? dn(text(op.base())).getBytes(UTF_8) : op.base();
    return new SearchOp(
        base,
        op.scope(),
        op.derefAliases(),
        op.sizeLimit(),
        op.timeLimit(),
        op.typesOnly(),
        filter(op.filter()),
        op.attributes());
  }

  FilterNode filter(FilterNode filter) {
    if (oneIn(9)) {
      return wrapped(filter);
    }
    if (filter instanceof FilterNode.And node) {
      return new FilterNode.And(members(node.members(), true));
    } else if (filter instanceof FilterNode.Or node) {
      return new FilterNode.Or(members(node.members(), false));
    } else if (filter instanceof FilterNode.Not node) {
      return new FilterNode.Not(filter(node.member()));
    }
    return leaf(filter);
  }

  private FilterNode wrapped(FilterNode filter) {
    return switch (random.nextInt(4)) {
      case 0 -> new FilterNode.Not(new FilterNode.Not(filter(filter)));
      case 1, 2 -> new FilterNode.And(List.of(filter(filter)));
      default -> new FilterNode.Or(List.of(filter(filter)));
    };
  }

  private List<FilterNode> members(List<FilterNode> members, boolean and) {
    List<FilterNode> respelled =
        members.stream().map(this::filter).collect(Collectors.toCollection(ArrayList::new));
    if (!members.isEmpty() && oneIn(3)) {
      respelled.add(filter(members.get(0)));
    }
    Collections.shuffle(respelled, random);
    if (respelled.size() > 2 && oneIn(3)) {
      List<FilterNode> inner = List.copyOf(respelled.subList(1, respelled.size()));
      FilterNode nested = and ? new FilterNode.And(inner) : new FilterNode.Or(inner);
      return List.of(respelled.get(0), nested);
    }
    return respelled;
  }

  private FilterNode leaf(FilterNode filter) {
    if (filter instanceof FilterNode.Equality node) {
      return new FilterNode.Equality(name(node.attribute()), assertion(node));
    } else if (filter instanceof FilterNode.Substrings node) {
      return new FilterNode.Substrings(
          name(node.attribute()),
          node.initial() == null ? null : value(node.initial()),
          node.any().stream().map(this::value).toList(),
          node.last() == null ? null : value(node.last()));
    } else if (filter instanceof FilterNode.GreaterOrEqual node) {
      return new FilterNode.GreaterOrEqual(name(node.attribute()), value(node.value()));
    } else if (filter instanceof FilterNode.LessOrEqual node) {
      return new FilterNode.LessOrEqual(name(node.attribute()), value(node.value()));
    } else if (filter instanceof FilterNode.Approximate node) {
      return new FilterNode.Approximate(name(node.attribute()), value(node.value()));
    } else if (filter instanceof FilterNode.Present node) {
      return new FilterNode.Present(name(node.attribute()));
    }
    return filter;
  }

  private byte[] assertion(FilterNode.Equality node) {
    String value = text(node.value());
    if (value.endsWith(SpelledTree.SUFFIX)) {
      return dn(value).getBytes(UTF_8);
    }
    boolean objectClass = text(node.attribute()).equalsIgnoreCase("objectClass");
    return objectClass && !oneIn(9) ? name(node.value()) : value(node.value());
  }

  /** Another name of the same attribute or class; options in any order and case. */
  byte[] name(byte[] description) {
    List<String> parts = new ArrayList<>(List.of(text(description).split(";")));
    String type = parts.remove(0);
    Collections.shuffle(parts, random);
    if (!parts.isEmpty() && oneIn(9)) {
      parts.add(parts.get(0));
    }
    String spelled =
        Stream.concat(Stream.of(alias(type)), parts.stream()).collect(Collectors.joining(";"));
    return flipped(spelled).getBytes(UTF_8);
  }

  private String alias(String name) {
    for (List<String> aliases : ALIASES) {
      if (aliases.stream().anyMatch(name::equalsIgnoreCase)) {
        return aliases.get(random.nextInt(aliases.size()));
      }
    }
    return name;
  }

  private byte[] value(byte[] value) {
    return spelled(text(value)).getBytes(UTF_8);
  }

  private String spelled(String text) {
    return switch (random.nextInt(8)) {
      case 0 -> flipped(text);
      case 1 -> " " + text;
      case 2 -> text + "  ";
      case 3 -> flipped(text.replace(" ", "   "));
      case 4 -> text.toUpperCase(Locale.ROOT);
      case 5 -> text.replaceAll(" +", " ");
      case 6 -> oneIn(3) ? "0" + text : text;
      default -> text;
    };
  }

  /** Aliases, case, spaces, escapes and the order of multi-valued RDNs. */
  String dn(String dn) {
    if (dn.isEmpty()) {
      return dn;
    }
    return Stream.of(UNESCAPED_COMMA.split(dn))
        .map(this::rdn)
        .collect(Collectors.joining(oneIn(3) ? " , " : ","));
  }

  private String rdn(String rdn) {
    List<String> avas = new ArrayList<>(List.of(rdn.split("(?<!\\\\)\\+")));
    Collections.shuffle(avas, random);
    if (oneIn(20)) {
      avas.add(avas.get(0));
    }
    return avas.stream().map(this::ava).collect(Collectors.joining("+"));
  }

  private String ava(String ava) {
    int equals = ava.indexOf('=');
    String type = flipped(alias(ava.substring(0, equals)));
    String value = ava.substring(equals + 1);
    return switch (random.nextInt(8)) {
      case 0 -> type + " = " + value;
      case 1 -> type + "=\\20" + value;
      case 2 -> type + "=" + value.replace("a", "\\61").replace("\\,", "\\2C");
      case 3 -> type + "=" + value.replaceAll("(?<!\\\\) ", "   ");
      case 4 -> type + "=" + value + "  ";
      case 5 -> type + "=\"" + value + "\"";
      default -> type + "=" + flipped(value);
    };
  }

  private String flipped(String text) {
    if (!oneIn(3)) {
      return text;
    }
    return text.chars()
        .map(c -> random.nextBoolean() && c < 0x80 ? flip(c) : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static int flip(int c) {
    return Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c);
  }

  private boolean oneIn(int chances) {
    return random.nextInt(chances) == 0;
  }

  private static String text(byte[] octets) {
    return new String(octets, UTF_8);
  }
}
