// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

/** The clients to which {@code cn=monitor} shows the same, from the least to the most. */
public enum Audience {
  /** Any client: counters of Stoa as a whole. */
  EVERYBODY,
  /** A client among {@code monitor.readers}: servers, feeds, classes and windows, too. */
  READER,
  /** The administrator: clients and identities, and the actions, too. */
  ADMINISTRATOR
}
