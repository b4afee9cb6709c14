// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.saslBind;

import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Script;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tries everything that the root DSE lists through Stoa, without a value: what is not for the
 * operation, or must have a value, is refused alike (a new password would be made up, and differ).
 * Stateless.
 */
final class RootDseItems {
  static final String SPECIFICATION = "RFC 4512, 5.1";
  static final String SUBJECT = "root DSE: each control, extension and mechanism that it lists";

  /** Searches with these do not end by themselves; their rows try them, as that of StartTLS. */
  private static final Set<String> ENDLESS =
      Set.of(Oids.PERSISTENT_SEARCH, Oids.SYNC_REQUEST, Oids.AD_NOTIFICATION);

  private RootDseItems() {}

  static Script script(RootDse shown, Names names) {
    Script script = new Script().group(SUBJECT);
    Set<String> controls = new TreeSet<>(shown.controls());
    controls.removeAll(ENDLESS);
    for (String oid : controls) {
      control(script, names, new Control(oid, true));
      control(script, names, new Control(oid, false));
    }
    Set<String> extensions = new TreeSet<>(shown.extensions());
    extensions.remove(Oids.START_TLS);
    for (String oid : extensions) {
      extension(script.on("anonymous for " + oid), oid);
      if (!oid.equals(Oids.PASSWORD_MODIFY)) {
        script.on("alice for " + oid).once(bind(names.person("alice"), "pw-alice"));
        extension(script, oid);
      }
    }
    for (String mechanism : shown.mechanisms()) {
      script.on(mechanism).move(talk -> talk.attempt(saslBind(mechanism)));
    }
    return script;
  }

  /** 389-ds closes the connection on one of its own. */
  private static void extension(Script script, String oid) {
    script.move(talk -> talk.attempt(extended(oid)));
    script.move(talk -> talk.attempt(extended(oid, new byte[] {0x30, 0x7f})));
  }

  private static void control(Script script, Names names, Control control) {
    as("alice", script, names);
    script.either(names.find("staff3").request().with(control));
    script.either(compare(names.person("staff3"), "cn", "x").with(control));
    script.once(delete(names.entry("nothing")).with(control));
    script.once(extended(Oids.WHO_AM_I).with(control));
    script.once(bind(names.person("alice"), "wrong").with(control));
  }
}
