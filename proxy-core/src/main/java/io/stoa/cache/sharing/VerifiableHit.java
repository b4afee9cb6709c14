// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hit that may have been read for another member of a class, and a client as which it can be
 * repeated upstream.
 *
 * <p>Threading: confined to the event loop of the client.
 */
public interface VerifiableHit {
  /** Maximum number of repeated comparisons with the feed account while they are undecided: 5. */
  int MAX_REPEATED_COMPARISONS = 5;

  /** Returns the answer that was served. */
  ComparableAnswer servedAnswer();

  /**
   * Returns the part that does not depend on the client, so that another client can be asked for
   * it.
   */
  Hit hit();

  /** Runs an action on the event loop of the client, after the current one. */
  void executeLater(Runnable action);

  /**
   * Sends the request upstream as the client.
   *
   * @param receiver called with the answer; null if there is none or the client has rebound
   */
  void askUpstream(Consumer<@Nullable ComparableAnswer> receiver);

  /** True if the request cannot be repeated any more, since limits of decoding were lowered. */
  default boolean isMalformed() {
    return false;
  }

  /**
   * Returns the members as which the parts of this hit were read that upstream now answers
   * differently. Excludes members whose part is unchanged. Excludes parts that the feed has
   * reported.
   */
  Set<ClassMember> differingReaders(ComparableAnswer answer);

  /**
   * True if a part that upstream now answers differently was a state that only the feed had
   * reported.
   */
  boolean isFeedOnly(ComparableAnswer answer);

  /**
   * Compares the differing entries with the feed account. The account reads them before and after
   * the client is asked once more, so that both see the same state.
   *
   * @param receiver called with true if both get the same of each entry, false if the account gets
   *     more of one, null if undecided
   */
  void compareWithFeed(ComparableAnswer answer, Consumer<@Nullable Boolean> receiver);

  /**
   * Compares like {@link #compareWithFeed}, but needs two negative results for false. Derived data
   * may have changed, and changed back, during one comparison.
   */
  default void compareTwiceWithFeed(ComparableAnswer answer, Consumer<@Nullable Boolean> receiver) {
    compareWithFeed(
        answer,
        first -> {
          if (Boolean.FALSE.equals(first)) {
            compareAgainWithFeed(answer, receiver, MAX_REPEATED_COMPARISONS);
          } else {
            receiver.accept(first);
          }
        });
  }

  /**
   * Repeats an undecided comparison: entries that change often need several attempts.
   *
   * @param maxAttempts maximum number of attempts
   */
  private void compareAgainWithFeed(
      ComparableAnswer answer, Consumer<@Nullable Boolean> receiver, int maxAttempts) {
    compareWithFeed(
        answer,
        next -> {
          if (next == null && maxAttempts > 1) {
            compareAgainWithFeed(answer, receiver, maxAttempts - 1);
          } else {
            receiver.accept(next);
          }
        });
  }

  /** Drops the stored answer: the next client reads it anew. */
  void dropAnswer();

  /**
   * A request and the answer that was served, without reference to a client. Threading: immutable.
   */
  interface Hit {
    /** Returns the answer that was served. */
    ComparableAnswer servedAnswer();

    /** Returns the estimated memory in octets, which is constant. */
    default long octets() {
      return servedAnswer().answers().octets();
    }
  }

  /**
   * Source of a verifiable hit while its operation still exists.
   *
   * <p>Threading: event-loop confined.
   */
  @FunctionalInterface
  interface HitSource {
    /** Copies the data that is needed to repeat the request. */
    VerifiableHit copy();
  }

  /**
   * An answer in comparable form, by all parts that carry information for a client.
   *
   * <p>Threading: immutable.
   *
   * @param answers the entries and the result code
   * @param matched the matched DN of the result
   */
  record ComparableAnswer(ResponseContents answers, Octets matched) {
    /**
     * Parses an answer.
     *
     * @param entries the SearchResultEntry messages
     * @param done the final response
     * @throws LdapProtocolException if a message is malformed
     */
    public static ComparableAnswer of(List<byte[]> entries, byte[] done)
        throws LdapProtocolException {
      ResponseContents answers = ResponseContents.of(LdapResult.codeOf(done), entries);
      return new ComparableAnswer(answers, Octets.of(LdapResult.matchedDnOf(done)));
    }

    /**
     * True if the other answer has entries of the same names and the same result, whatever the
     * attributes.
     */
    public boolean hasSameEntries(ComparableAnswer other) {
      return answers.code() == other.answers.code()
          && answers.count() == other.answers.count()
          && answers.entries().keySet().equals(other.answers.entries().keySet())
          && matched.equals(other.matched);
    }

    /** Describes the answer without names and values. */
    String summary() {
      return "result "
          + answers.code()
          + " with "
          + answers.count()
          + (answers.count() == 1 ? " entry" : " entries");
    }

    /**
     * Returns a copy with a part that is never stored, so that it differs from any stored answer.
     */
    public ComparableAnswer withUnstorablePart() {
      return new ComparableAnswer(
          new ResponseContents(answers.code(), answers.entries(), answers.count() + 1), matched);
    }
  }
}
