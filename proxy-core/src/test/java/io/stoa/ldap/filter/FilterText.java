// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Filters and entries as text, for whoever has to find out what went wrong. Stateless. */
final class FilterText {
  private FilterText() {}

  static String filter(FilterNode filter) {
    if (filter instanceof FilterNode.And node) {
      return "(&" + members(node.members()) + ")";
    } else if (filter instanceof FilterNode.Or node) {
      return "(|" + members(node.members()) + ")";
    } else if (filter instanceof FilterNode.Not node) {
      return "(!" + filter(node.member()) + ")";
    } else if (filter instanceof FilterNode.Equality node) {
      return "(" + text(node.attribute()) + "=" + text(node.value()) + ")";
    } else if (filter instanceof FilterNode.GreaterOrEqual node) {
      return "(" + text(node.attribute()) + ">=" + text(node.value()) + ")";
    } else if (filter instanceof FilterNode.LessOrEqual node) {
      return "(" + text(node.attribute()) + "<=" + text(node.value()) + ")";
    } else if (filter instanceof FilterNode.Present node) {
      return "(" + text(node.attribute()) + "=*)";
    } else if (filter instanceof FilterNode.Substrings node) {
      String any =
          node.any().stream().map(FilterText::text).collect(Collectors.joining("*", "*", "*"));
      return "("
          + text(node.attribute())
          + "="
          + text(node.initial())
          + any
          + text(node.last())
          + ")";
    } else if (filter instanceof FilterNode.Approximate node) {
      return "(" + text(node.attribute()) + "~=" + text(node.value()) + ")";
    } else if (filter instanceof FilterNode.Extensible node) {
      return "(" + text(node.attribute()) + ":=" + text(node.value()) + ")";
    }
    return filter.getClass().getSimpleName();
  }

  private static String members(List<FilterNode> members) {
    return members.stream().map(FilterText::filter).collect(Collectors.joining());
  }

  static String entry(Image image) {
    StringBuilder text = new StringBuilder(text(image.entry().dn()));
    for (AttributeOctets attribute : image.entry().attributes()) {
      String name = text(attribute.type());
      if (name.startsWith("stoa") || name.equalsIgnoreCase("objectClass")) {
        text.append(' ').append(name).append(values(attribute));
      }
    }
    return text.toString();
  }

  private static List<String> values(AttributeOctets attribute) {
    return attribute.values().stream().map(FilterText::text).toList();
  }

  /** What is not ASCII as its code point, since it may be hard to tell apart. */
  private static String text(byte @Nullable [] octets) {
    return octets == null
        ? ""
        : new String(octets, UTF_8)
            .codePoints()
            .mapToObj(c -> c < 0x7f ? Character.toString(c) : "<%04x>".formatted(c))
            .collect(Collectors.joining());
  }
}
