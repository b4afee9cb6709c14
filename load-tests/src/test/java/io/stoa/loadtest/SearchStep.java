// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import io.gatling.javaapi.core.Session;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapRequest;
import io.stoa.loadtest.engine.Text;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** A search. Threading: immutable. */
public final class SearchStep extends LdapStep {
  private static final int SEARCH = 0x63;

  private final Label label;
  private final Text base;
  private final SearchScope scope;
  private final Text filter;

  SearchStep(Label label, Text base, SearchScope scope, Text filter, String... attributes) {
    super(
        new LdapRequest(
            label,
            (out, session) ->
                write(
                    out,
                    base.octets(session),
                    scope.intValue(),
                    encoded(filter.of(session)),
                    attributes),
            new int[] {0},
            false,
            List.of()));
    this.label = label;
    this.base = base;
    this.scope = scope;
    this.filter = filter;
  }

  public SearchStep scope(SearchScope other) {
    return new SearchStep(label, base, other, filter);
  }

  /** Sets the filter, as text. */
  public SearchStep filter(String text) {
    return new SearchStep(label, base, scope, Text.el(text));
  }

  /** Sets a filter that depends on the user. */
  public SearchStep filter(Function<Session, String> text) {
    return new SearchStep(label, base, scope, Text.of(text));
  }

  /** Sets the requested attributes. This is the last call of a search before its checks. */
  public LdapStep attributes(String... names) {
    return new SearchStep(label, base, scope, filter, names);
  }

  private static byte[] encoded(String text) {
    try {
      return Filter.create(text).encode().encode();
    } catch (LDAPException e) {
      throw new IllegalArgumentException("no filter: " + text, e);
    }
  }

  private static void write(
      BerWriter out, byte[] base, int scope, byte[] filter, String[] attributes) {
    int op = out.begin(SEARCH);
    out.octets(0x04, base)
        .integer(0x0A, scope)
        .integer(0x0A, 0)
        .integer(0x02, 0)
        .integer(0x02, 0)
        .bool(0x01, false)
        .raw(filter);
    int list = out.begin(0x30);
    for (String attribute : attributes) {
      out.octets(0x04, attribute.getBytes(StandardCharsets.UTF_8));
    }
    out.end(list).end(op);
  }
}
