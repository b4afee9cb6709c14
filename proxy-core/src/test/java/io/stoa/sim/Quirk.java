// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.List;
import java.util.stream.Stream;

/** What directory servers do that one would not expect of them (seen of OpenLDAP, or allowed). */
enum Quirk {
  /** A transaction is announced some time before it is committed, and read. */
  EARLY_NOTICE,
  /** Transactions that are aborted were announced before, and replicas keep what they were told. */
  PHANTOM,
  /** Groups are put right without a word when a member goes, or gets another name. */
  HIDDEN_REFINT,
  /** While a lower CSN is still pending, contextCSN does not tell of what was answered already. */
  PENDING_CSN,
  /** Some changes are told without a cookie, which follows later. */
  NO_COOKIE,
  /** Cookies that come with changes name only who has made these. */
  ONE_CSN,
  /** A delete names the UUID only. */
  DELETE_WITHOUT_DN,
  /** Deletes are told as sets of UUIDs. */
  SYNC_ID_SET,
  /** Some changes are told twice. */
  DUPLICATE,
  /** Of a subtree that is renamed each entry is told, and not just its top. */
  SUBTREE_RENAME_REPORTS_ALL,
  /** At the end of a refresh those that are still there are not named, as if there were none. */
  PRESENT_WITHOUT_LIST,
  /** Nothing is told of one of the subtrees. */
  HIDDEN_SUBTREE;

  /** What matters where there is no feed. */
  static final List<Quirk> WITHOUT_FEED =
      List.of(EARLY_NOTICE, PHANTOM, HIDDEN_REFINT, PENDING_CSN);

  /** What matters where there is a feed, but for what has to be declared, which comes by itself. */
  static final List<Quirk> WITH_FEED =
      Stream.of(values()).filter(one -> one != HIDDEN_REFINT).toList();
}
