// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.DomainConfig;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Carries over from the last start how many reported changes prove the coverage of a feed. Valid
 * only with the same account, servers and access rules: changes reported under other rules prove
 * nothing.
 *
 * <p>Threading: thread-safe.
 */
final class CoverageMemory {
  private final CoverageFile file;
  private final String feed;
  private final CoherenceDomain domain;

  /** The digest of the current rules; null before they have been read. */
  private @Nullable String rules;

  /** True once the coherence domain has taken the number for these rules. */
  private volatile boolean applied;

  private int stored;

  /**
   * Creates a memory.
   *
   * @param feed the identity of the feed, such as its account and its servers
   */
  CoverageMemory(CoverageFile file, String feed, CoherenceDomain domain) {
    this.file = file;
    this.feed = digest(feed);
    this.domain = domain;
  }

  /**
   * Carries over the number when the rules are known, and stores each later number.
   *
   * @param current the access rules as far as they can be read; null before they have been read
   */
  synchronized void update(@Nullable String current) {
    String next = current == null ? rules : digest(current);
    if (next == null) {
      return;
    }
    if (next.equals(rules)) {
      store(next);
      return;
    }
    boolean first = rules == null;
    rules = next;
    applied = false;
    stored = first ? file.changes(feed, next) : 0;
    file.store(feed, next, stored);
    domain.onAccessRules(stored, !first, () -> applied = true);
  }

  private void store(String now) {
    int confirmedChanges = Math.min(domain.confirmedChanges(), DomainConfig.REQUIRED_CONFIRMATIONS);
    if (applied && confirmedChanges != stored) {
      stored = confirmedChanges;
      file.store(feed, now, confirmedChanges);
    }
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JVM has SHA-256
    }
  }
}
