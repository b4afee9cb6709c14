// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.DigestStatus.Sender;
import io.stoa.proxy.advice.Advice.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Advice about what applications search for, by the patterns of their searches.
 *
 * <p>Threading: stateless.
 */
final class SearchRules {
  /** Minimum number of searches of a pattern. */
  private static final long MIN_SEARCHES = 1000;

  /** Minimum number of searches of a client that polls. */
  private static final long MIN_POLLS = 30;

  /** Minimum time from the first to the last poll. */
  private static final Duration MIN_SEEN = Duration.ofMinutes(10);

  /** Maximum time between two polls. */
  private static final Duration MAX_INTERVAL = Duration.ofMinutes(1);

  /** Minimum share of failed or empty answers: nine tenths. */
  private static final double MOST = 0.9;

  /** Minimum octets of the entries of a pattern that asks for all attributes: 1 MiB. */
  private static final long MIN_OCTETS = 1 << 20;

  private static final int BASE_SCOPE = 0;

  private SearchRules() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    return traffic.digests().stream()
        .flatMap(
            digest -> {
              SearchPattern pattern = digest.pattern();
              return pattern == null ? Stream.empty() : advise(digest, pattern);
            });
  }

  private static Stream<Advice> advise(DigestStatus digest, SearchPattern pattern) {
    return Stream.of(
            failing(digest, pattern),
            empty(digest, pattern),
            polling(digest, pattern),
            allAttributes(digest, pattern),
            aliases(digest, pattern))
        .flatMap(Stream::ofNullable);
  }

  private static @Nullable Advice failing(DigestStatus digest, SearchPattern pattern) {
    if (digest.searches() < MIN_SEARCHES || digest.mistaken() < MOST * digest.searches()) {
      return null;
    }
    return new Advice(
        Topic.FAILED_SEARCHES,
        pattern.id(),
        digest.mistaken()
            + " of "
            + digest.searches()
            + " searches "
            + pattern.text()
            + " failed: no such object, missing rights, or a mistake of the request; most came from "
            + senders(digest),
        List.of("correct base, filter or rights of this search in the application"));
  }

  private static @Nullable Advice empty(DigestStatus digest, SearchPattern pattern) {
    long empty = digest.empty() - digest.mistaken();
    if (digest.searches() < MIN_SEARCHES || empty < MOST * digest.searches()) {
      return null;
    }
    return new Advice(
        Topic.EMPTY_SEARCHES,
        pattern.id(),
        empty
            + " of "
            + digest.searches()
            + " searches "
            + pattern.text()
            + " found nothing, with "
            + digest.values()
            + " different values; most came from "
            + senders(digest),
        List.of("correct base or filter of this search in the application, or omit it"));
  }

  private static @Nullable Advice polling(DigestStatus digest, SearchPattern pattern) {
    Duration seen = Duration.between(digest.first(), digest.last());
    Sender sender = digest.networks().isEmpty() ? null : digest.networks().get(0);
    if (sender == null
        || digest.searches() < MIN_POLLS
        || digest.values() != 1
        || seen.compareTo(MIN_SEEN) < 0
        || pattern.scope() == BASE_SCOPE
        || sender.count() - sender.excess() < MOST * digest.searches()
        || seen.dividedBy(digest.searches()).compareTo(MAX_INTERVAL) > 0) {
      return null;
    }
    return new Advice(
        Topic.POLLING,
        pattern.id(),
        "the same search "
            + pattern.text()
            + " was sent "
            + digest.searches()
            + " times, once in "
            + NumberFormats.seconds(seen.dividedBy(digest.searches()))
            + ", nearly always from "
            + senders(digest),
        List.of(
            "let the application ask less often, or use a persistent search or syncrepl "
                + "(RFC 4533), which Stoa passes through"));
  }

  private static @Nullable Advice allAttributes(DigestStatus digest, SearchPattern pattern) {
    boolean all = List.of(pattern.attributes().split(" ")).contains("*");
    if (!all || digest.entries() < MIN_SEARCHES || digest.octets() < MIN_OCTETS) {
      return null;
    }
    return new Advice(
        Topic.ATTRIBUTES,
        pattern.id(),
        digest.searches()
            + " searches "
            + pattern.text()
            + " asked for all attributes and received "
            + NumberFormats.mebibytes(digest.octets())
            + ", "
            + NumberFormats.mean(digest.octets(), digest.entries())
            + " octets for each entry; most came from "
            + senders(digest),
        List.of("let the application name the attributes that it needs"));
  }

  private static @Nullable Advice aliases(DigestStatus digest, SearchPattern pattern) {
    if (pattern.derefAliases() == 0 || digest.searches() < MIN_SEARCHES) {
      return null;
    }
    return new Advice(
        Topic.ALIASES,
        pattern.id(),
        digest.searches()
            + " searches "
            + pattern.text()
            + " dereference aliases ("
            + pattern.derefWord()
            + "). Sharing classes do not serve them, and a feed must invalidate their results at "
            + "each change; most came from "
            + senders(digest),
        List.of(
            "see if there are aliases: ldapsearch -b BASE '(objectClass=alias)' 1.1",
            "if there are none, set derefAliases to never in the application (ldap.conf: DEREF "
                + "never; JNDI: java.naming.ldap.derefAliases=never)"));
  }

  /** Returns the network and the identity with most searches. */
  private static String senders(DigestStatus digest) {
    String network =
        digest.networks().isEmpty()
            ? "an unknown network"
            : FailedBindCounters.nameOf(digest.networks().get(0).name());
    if (digest.identities().isEmpty()) {
      return network;
    }
    byte[] name = digest.identities().get(0).name().array();
    String identity = new String(name, StandardCharsets.UTF_8);
    return network + (identity.isEmpty() ? ", anonymous" : ", " + identity);
  }
}
