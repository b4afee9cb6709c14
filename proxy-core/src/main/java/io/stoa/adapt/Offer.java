// SPDX-License-Identifier: Apache-2.0
package io.stoa.adapt;

import io.stoa.identity.SaslMechanism;
import io.stoa.ldap.Oids;
import io.stoa.operation.ClientSession;
import java.util.Set;

/**
 * What of a directory's root DSE works through Stoa, for one session: it may depend on how the
 * client is connected (RFC 4512, section 5.1). Immutable.
 */
public final class Offer {
  private static final Set<String> HIDDEN_EXTENSIONS = Set.of(Oids.START_TLS, Oids.TURN);

  /** Whether an extended operation works for the session. */
  boolean extension(ClientSession session, String oid) {
    return !HIDDEN_EXTENSIONS.contains(oid);
  }

  /** Whether a SASL mechanism works for the session. */
  boolean mechanism(ClientSession session, String name) {
    return SaslMechanism.isOffered(name);
  }
}
