// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** Kinds of steps in the course of an operation. */
public enum TraceEvent {
  /** The operation waits: for an upstream connection, an equal search, or Stoa's own answer. */
  QUEUED,
  /** The caches took part; the detail is the outcome, with the reason of a bypass. */
  CACHE,
  /** The request was sent to a server. */
  SENT,
  /** The first part of a server's answer arrived. */
  FIRST_ANSWER,
  /** The last part of a server's answer arrived. */
  LAST_ANSWER,
  /** An attempt failed: a server refused, did not answer, or could not be reached. */
  FAILED,
  /** A second server is asked, since the first is late. */
  HEDGED,
  /** Further steps are not recorded. */
  OMITTED
}
