// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.util.Optional;

/** A check of an answer, which may also store a part of it in the session. */
public interface LdapCheck {
  /** Returns what is wrong with an answer; empty if it is right. */
  Optional<String> mistake(LdapAnswer answer, Session session);

  /** Returns the session with the stored part of a right answer. */
  default Session save(LdapAnswer answer, Session session) {
    return session;
  }

  /** True if entries must be decoded for the check, instead of only counted. */
  default boolean readsEntries() {
    return false;
  }

  /** True if the check determines the right result codes. Otherwise success is right. */
  default boolean judgesResult() {
    return false;
  }
}
