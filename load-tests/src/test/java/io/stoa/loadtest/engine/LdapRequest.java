// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One step of a scenario: a request, its name and the checks of its answer.
 *
 * <p>Threading: immutable.
 *
 * @param success right result codes, unless a check judges the result
 * @param changesIdentity true for a bind, which changes the identity of the connection
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
