// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import java.util.List;

/**
 * One change that would lessen load, with its evidence.
 *
 * <p>Threading: immutable.
 *
 * @param topic the cause of load
 * @param subject the attribute, setting, naming context, parent of identities, network or pattern
 *     that it concerns
 * @param evidence numbers that speak for the change
 * @param change the change to make, in lines
 */
public record Advice(Topic topic, String subject, String evidence, List<String> change) {
  /** Causes of load, those that directories feel most first. */
  public enum Topic {
    /** A search seems to read all entries, since an attribute has no index. */
    INDEX("index"),
    /** The caches are too small. */
    CACHE_SIZE("cache-size"),
    /** Repeated answers are too large to be stored. */
    BYPASS_LIMIT("bypass-limit"),
    /** Results expire that a change feed would keep. */
    FEED("feed"),
    /** Identities that get equal answers do not share them. */
    SHARING("sharing"),
    /** Clients connect for each search. */
    CONNECTIONS("connections"),
    /** Clients repeat failed binds. */
    FAILED_BINDS("failed-binds"),
    /** Clients repeat searches that fail. */
    FAILED_SEARCHES("failed-searches"),
    /** Clients repeat searches that find nothing. */
    EMPTY_SEARCHES("empty-searches"),
    /** A client repeats one search at intervals. */
    POLLING("polling"),
    /** Searches ask for all attributes. */
    ATTRIBUTES("attributes"),
    /** Searches dereference aliases. */
    ALIASES("aliases");

    private final String word;

    Topic(String word) {
      this.word = word;
    }

    /** Returns the word for administrators. */
    public String word() {
      return word;
    }
  }

  public Advice {
    change = List.copyOf(change);
  }
}
