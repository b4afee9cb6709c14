// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.testing.Requests.bind;

import io.stoa.server.differential.Script;

/** Goes on in a script as somebody, on a connection of that name. Stateless. */
final class Identities {
  private Identities() {}

  static Script as(String who, Script script, Names names) {
    return script.on(who).once(bind(names.person(who), names.password(who)));
  }

  /** As one who may write. */
  static Script asManager(Script script, Names names) {
    return script.on("manager").once(bind(names.manager(), names.managerPassword()));
  }
}
