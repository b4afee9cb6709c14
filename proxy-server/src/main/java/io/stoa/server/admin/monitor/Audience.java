// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

/** Groups of clients with equal rights in {@code cn=monitor}, from the least to the most. */
public enum Audience {
  /** Any client. Sees counters of Stoa as a whole. */
  ANY_CLIENT,
  /** A client in {@code monitor.readers}. Also sees servers, feeds, sharing classes and windows. */
  READER,
  /** The administrator. Also sees clients, identities and actions. */
  ADMINISTRATOR
}
