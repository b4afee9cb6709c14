// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapRequest;
import io.stoa.loadtest.engine.Text;
import java.util.ArrayList;
import java.util.List;

/** An add operation. Threading: immutable. */
public final class AddStep extends LdapStep {
  private static final int ADD = 0x68;

  private final Label label;
  private final Text dn;
  private final List<Values> attributes;

  AddStep(Label label, Text dn, Values... attributes) {
    super(
        new LdapRequest(
            label,
            (out, session) -> write(out, session, dn, attributes),
            new int[] {0},
            false,
            List.of()));
    this.label = label;
    this.dn = dn;
    this.attributes = List.of(attributes);
  }

  /** Adds an attribute of the new entry. */
  public AddStep attribute(String type, String... values) {
    List<Values> more = new ArrayList<>(attributes);
    more.add(Values.of(type, values));
    return new AddStep(label, dn, more.toArray(Values[]::new));
  }

  private static void write(BerWriter out, Session session, Text dn, Values[] attributes) {
    int op = out.begin(ADD);
    out.octets(0x04, dn.octets(session));
    int list = out.begin(0x30);
    for (Values attribute : attributes) {
      attribute.write(out, session);
    }
    out.end(list).end(op);
  }
}
