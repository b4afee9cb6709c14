// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapRequest;
import io.stoa.loadtest.engine.Text;
import java.util.ArrayList;
import java.util.List;

/** A modify operation. Its changes are made in the order of the calls. Threading: immutable. */
public final class ModifyStep extends LdapStep {
  private static final int MODIFY = 0x66;
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  private record Change(int kind, Values values) {}

  private final Label label;
  private final Text dn;
  private final List<Change> changes;

  ModifyStep(Label label, Text dn) {
    this(label, dn, List.of());
  }

  private ModifyStep(Label label, Text dn, List<Change> changes) {
    super(
        new LdapRequest(
            label,
            (out, session) -> write(out, session, dn, changes),
            new int[] {0},
            false,
            List.of()));
    this.label = label;
    this.dn = dn;
    this.changes = changes;
  }

  public ModifyStep add(String type, String... values) {
    return with(new Change(ADD, Values.of(type, values)));
  }

  public ModifyStep delete(String type, String... values) {
    return with(new Change(DELETE, Values.of(type, values)));
  }

  public ModifyStep replace(String type, String... values) {
    return with(new Change(REPLACE, Values.of(type, values)));
  }

  private ModifyStep with(Change change) {
    List<Change> more = new ArrayList<>(changes);
    more.add(change);
    return new ModifyStep(label, dn, List.copyOf(more));
  }

  private static void write(BerWriter out, Session session, Text dn, List<Change> changes) {
    int op = out.begin(MODIFY);
    out.octets(0x04, dn.octets(session));
    int list = out.begin(0x30);
    for (Change change : changes) {
      int one = out.begin(0x30);
      out.integer(0x0A, change.kind());
      change.values().write(out, session);
      out.end(one);
    }
    out.end(list).end(op);
  }
}
