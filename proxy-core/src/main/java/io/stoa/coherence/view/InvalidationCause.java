// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/** Reason why a view is invalid. */
public enum InvalidationCause {
  /** An entry that it shows, or would show now, has changed. */
  CHANGE(
      "an entry of the result changed, or an entry now matches the search",
      "none: this is the normal cause"),
  /** An entry that it shows, its base, or an entry above is gone. */
  DELETE("an entry of the result, its base or an entry above was deleted", "none"),
  /** An entry above or below has another name now, or may have. */
  RENAME("an entry above or below was renamed, or may have been", "none"),
  /** A read has shown a newer state of an entry that it shows. */
  NEWER_STATE_SHOWN(
      "a read showed a newer state of an entry before the feed reported it",
      "if frequent, look at the lag of the server of the feed"),
  /** The feed has reported a change that never took effect. */
  ABORTED(
      "the feed reported a change that never took effect",
      "run `stoactl audit`, since replicas may show the change"),
  /** The feed's account does not see, perhaps not yet, what the feed has reported. */
  UNCONFIRMED(
      "the account of the feed does not see, perhaps not yet, what the feed reported",
      "if frequent, let the account of the feed read every entry and attribute"),
  /** The view shows something that the feed does not report. */
  HIDDEN(
      "the result shows something that the feed does not report, since its account cannot read it",
      "let the account of the feed read every entry and attribute"),
  /** Anything in a part of the directory may have changed. */
  ANYTHING(
      "the feed reported a change without its entry, so anything in a part of the directory may"
          + " have changed",
      "let the account of the feed read every entry and attribute"),
  /** The view differed from the directory, and no change was reported that explains it. */
  MISMATCH(
      "the audit or `stoactl audit` found a difference that no reported change explains",
      "see the incoherent line in [troubleshooting](../guides/troubleshooting.md#change-feeds)");

  private final String meaning;
  private final String remedy;

  InvalidationCause(String meaning, String remedy) {
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
