// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

/** Form in which a log shows names of entries and assertion values. */
public enum ValueMode {
  /** As the client sent them. */
  FULL,
  /** As a keyed hash: equal values have equal hashes until Stoa is restarted. */
  HASHED,
  /** Not at all. */
  NONE
}
