// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One step of a scenario: what is sent under which name, and what the answer must be. Immutable.
 *
 * @param success result codes that are right if no check judges the result
 * @param changesIdentity whether it is a bind, which changes for whom the connection is
 */
public record LdapRequest(
    Label label, RequestBody body, int[] success, boolean changesIdentity, List<LdapCheck> checks) {

  boolean readsEntries() {
    return checks.stream().anyMatch(LdapCheck::readsEntries);
  }

  Optional<String> mistake(LdapAnswer answer, Session session) {
    if (!answer.isAnswered()) {
      return Optional.of(answer.text());
    }
    boolean judged = false;
    for (LdapCheck check : checks) {
      Optional<String> mistake = check.mistake(answer, session);
      if (mistake.isPresent()) {
        return mistake;
      }
      judged |= check.judgesResult();
    }
    return judged || isSuccess(answer.resultCode())
        ? Optional.empty()
        : Optional.of("result code " + answer.resultCode() + " " + answer.text());
  }

  private boolean isSuccess(int code) {
    return IntStream.of(success).anyMatch(right -> right == code);
  }

  Session save(LdapAnswer answer, Session session) {
    Session saved = session;
    for (LdapCheck check : checks) {
      saved = check.save(answer, saved);
    }
    return saved;
  }
}
