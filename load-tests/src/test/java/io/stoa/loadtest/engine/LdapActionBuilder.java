// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.action.Action;
import io.gatling.core.action.builder.ActionBuilder;
import io.gatling.core.structure.ScenarioContext;

/** Creates the action of one request when a scenario is built. Threading: immutable. */
public final class LdapActionBuilder implements ActionBuilder {
  private final LdapRequest request;

  public LdapActionBuilder(LdapRequest request) {
    this.request = request;
  }

  @Override
  public Action build(ScenarioContext context, Action next) {
    LdapComponents components =
        context.protocolComponentsRegistry().components(LdapProtocolKey.INSTANCE);
    if (request.changesIdentity()
        && request.label().isDefaultLine()
        && components.settings().shared() > 0) {
      throw new IllegalStateException("a bind on a connection that users share");
    }
    return new LdapAction(request, components, next);
  }
}
