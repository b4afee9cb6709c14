// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

/** Reason why the feed cannot hold an answer. */
public enum Refusal {
  /**
   * No feed reports the changes of such a request: it follows aliases, is a compare, or the like.
   */
  NOT_REPORTED(
      "no feed reports all changes of such a request: a compare, a search that follows aliases or"
          + " asks for attribute names only, or for attributes that the server computes",
      "none: such results expire by age"),
  /** The feed has not begun, or has begun anew since the search was sent. */
  NO_FEED(
      "the feed had not begun, or began anew after the search was sent",
      "look in the log for GAP and DOWN of the feed"),
  /** The answer does not show the state of an entry. */
  NO_STATE(
      "an entry of the answer showed no entryUUID or entryCSN (in 389-ds, none of the attributes"
          + " that stand for them)",
      "let clients read the operational attributes of entries"),
  /** The server may lack changes that the ring has forgotten. */
  OUT_OF_RANGE(
      "the answer took long or came from a server that lags, and the change ring no longer reaches"
          + " back",
      "look at the lag and the latency of the servers"),
  /** The answer is older than an applied change. */
  STALE(
      "the answer was older than a change that the feed had reported",
      "none: the next search stores the result; look at the lag of the replicas"),
  /** The answer cannot be compared with an applied change. */
  NOT_COMPARABLE(
      "Stoa cannot tell whether the answer has a change that the feed reported, such as one of a"
          + " server whose clock was set back",
      "look in the log for a clock that was set back, and for servers that report no position"),
  /** An entry of the answer has changed while it was compared. */
  CHANGED(
      "an entry of the answer changed during the comparison",
      "none: the next search stores the result");

  private final String meaning;
  private final String remedy;

  Refusal(String meaning, String remedy) {
    this.meaning = meaning;
    this.remedy = remedy;
  }

  /** Returns what has happened, for administrators. */
  public String meaning() {
    return meaning;
  }

  /** Returns what administrators can do if the cause is frequent. */
  public String remedy() {
    return remedy;
  }
}
