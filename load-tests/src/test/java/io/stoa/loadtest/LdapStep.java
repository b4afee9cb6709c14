// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import io.gatling.core.action.builder.ActionBuilder;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapActionBuilder;
import io.stoa.loadtest.engine.LdapCheck;
import io.stoa.loadtest.engine.LdapRequest;
import io.stoa.loadtest.engine.RequestBody;
import java.util.List;
import java.util.stream.Stream;

/** One operation of a scenario, for {@code exec}. Threading: immutable. */
public class LdapStep implements io.gatling.javaapi.core.ActionBuilder {
  private final LdapRequest request;

  LdapStep(LdapRequest request) {
    this.request = request;
  }

  static LdapStep of(Label label, RequestBody body, int... success) {
    return new LdapStep(new LdapRequest(label, body, success, false, List.of()));
  }

  static LdapStep bind(Label label, RequestBody body) {
    return new LdapStep(new LdapRequest(label, body, new int[] {0}, true, List.of()));
  }

  /** Adds checks. Without a check that judges the result, the result must be success. */
  public LdapStep check(LdapCheck... more) {
    List<LdapCheck> checks = Stream.concat(request.checks().stream(), Stream.of(more)).toList();
    return new LdapStep(
        new LdapRequest(
            request.label(), request.body(), request.success(), request.changesIdentity(), checks));
  }

  @Override
  public ActionBuilder asScala() {
    return new LdapActionBuilder(request);
  }
}
