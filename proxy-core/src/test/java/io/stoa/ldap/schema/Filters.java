// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.protocol.FilterNode;
import java.util.List;
import java.util.stream.Stream;

/** Filters from their string form (RFC 4515), read by the SDK. */
public final class Filters {
  private Filters() {}

  public static FilterNode parse(String text) {
    try {
      return convert(Filter.create(text));
    } catch (LDAPException e) {
      throw new AssertionError("the test's filter " + text + " cannot be read", e);
    }
  }

  private static FilterNode convert(Filter filter) {
    byte[] name =
        filter.getAttributeName() == null ? null : filter.getAttributeName().getBytes(UTF_8);
    byte[] value = filter.getAssertionValueBytes();
    return switch (filter.getFilterType()) {
      case Filter.FILTER_TYPE_AND -> new FilterNode.And(members(filter));
      case Filter.FILTER_TYPE_OR -> new FilterNode.Or(members(filter));
      case Filter.FILTER_TYPE_NOT -> new FilterNode.Not(convert(filter.getNOTComponent()));
      case Filter.FILTER_TYPE_EQUALITY -> new FilterNode.Equality(name, value);
      case Filter.FILTER_TYPE_GREATER_OR_EQUAL -> new FilterNode.GreaterOrEqual(name, value);
      case Filter.FILTER_TYPE_LESS_OR_EQUAL -> new FilterNode.LessOrEqual(name, value);
      case Filter.FILTER_TYPE_APPROXIMATE_MATCH -> new FilterNode.Approximate(name, value);
      case Filter.FILTER_TYPE_PRESENCE -> new FilterNode.Present(name);
      case Filter.FILTER_TYPE_SUBSTRING ->
          new FilterNode.Substrings(
              name,
              filter.getSubInitialBytes(),
              List.of(filter.getSubAnyBytes()),
              filter.getSubFinalBytes());
      default ->
          new FilterNode.Extensible(
              filter.getMatchingRuleID() == null
                  ? null
                  : filter.getMatchingRuleID().getBytes(UTF_8),
              name,
              value,
              filter.getDNAttributes());
    };
  }

  private static List<FilterNode> members(Filter filter) {
    return Stream.of(filter.getComponents()).map(Filters::convert).toList();
  }
}
