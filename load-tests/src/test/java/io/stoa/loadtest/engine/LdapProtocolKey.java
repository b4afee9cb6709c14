// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.CoreComponents;
import io.gatling.core.config.GatlingConfiguration;
import io.gatling.core.protocol.Protocol;
import io.gatling.core.protocol.ProtocolKey;
import scala.Function1;

/** Gatling's key for the components of this protocol. Threading: stateless. */
final class LdapProtocolKey implements ProtocolKey<LdapProtocol, LdapComponents> {
  static final LdapProtocolKey INSTANCE = new LdapProtocolKey();

  private LdapProtocolKey() {}

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Class<Protocol> protocolClass() {
    return (Class) LdapProtocol.class;
  }

  @Override
  public LdapProtocol defaultProtocolValue(GatlingConfiguration configuration) {
    throw new IllegalStateException("the scenario has no protocols(LdapProtocol.to(…))");
  }

  @Override
  public Function1<LdapProtocol, LdapComponents> newComponents(CoreComponents core) {
    return protocol -> new LdapComponents(core, protocol.settings());
  }
}
