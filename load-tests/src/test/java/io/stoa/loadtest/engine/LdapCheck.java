// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.util.Optional;

/** What an answer must be, or what of it the session keeps. */
public interface LdapCheck {
  /** Says what is wrong with an answer, or nothing. */
  Optional<String> mistake(LdapAnswer answer, Session session);

  /** The session with what the check keeps of an answer without mistakes. */
  default Session save(LdapAnswer answer, Session session) {
    return session;
  }

  /** Whether entries must be read for it, and not only counted. */
  default boolean readsEntries() {
    return false;
  }

  /** Whether it says which result codes are right: otherwise success is. */
  default boolean judgesResult() {
    return false;
  }
}
