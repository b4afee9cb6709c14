// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.filter.Answers;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that was answered with what may have been read for another member of a class, and a
 * client as whom it can be asked upstream. Confined to the event loop of that client.
 */
public interface VerifiableHit {
  /** So often at the most the account of the feed is asked again whether it sees the same. */
  int MOST_AGAIN = 5;

  /** What was given. */
  Said given();

  /** The same without the client, as another client can be asked for it. */
  Hit hit();

  /** Runs something on that event loop, after what is under way there. */
  void later(Runnable action);

  /** Asks upstream as the client; hears null if there is no answer, or the client is another. */
  void ask(Consumer<@Nullable Said> told);

  /**
   * Hears whether a feed tells of a change of what was given, as soon as it does, or when the time
   * is over; at once if no feed vouches for it.
   */
  void awaitChange(long nanos, Consumer<Boolean> told);

  /**
   * As which members that had been read of what was given which the client is not told now. Those
   * whose part of it says the same are not among them, nor those of whose part a feed has told.
   */
  Set<ClassMember> readAs(Said told);

  /**
   * Whether anything of what was given which the client is not told now is what a feed had told.
   */
  boolean isOfFeed(Said told);

  /**
   * Asks the client once more for what was given and it is not told now, between two looks of the
   * feed's account at the same entries: false if that account is given more of one of them in one
   * state of it, true if both are given the same of each, and null if that cannot be said.
   */
  void compareWithFeed(Said told, Consumer<@Nullable Boolean> alike);

  /**
   * The same; but what follows from other entries may have changed, and changed back, while both
   * were asked, so that it must be denied twice.
   */
  default void compareTwiceWithFeed(Said told, Consumer<@Nullable Boolean> alike) {
    compareWithFeed(
        told,
        first -> {
          if (Boolean.FALSE.equals(first)) {
            compareAgainWithFeed(told, alike, MOST_AGAIN);
          } else {
            alike.accept(first);
          }
        });
  }

  /**
   * What changes all the time need not be the same long enough each time.
   *
   * @param most it is asked no more often whether it can be said
   */
  private void compareAgainWithFeed(Said told, Consumer<@Nullable Boolean> alike, int most) {
    compareWithFeed(
        told,
        next -> {
          if (next == null && most > 1) {
            compareAgainWithFeed(told, alike, most - 1);
          } else {
            alike.accept(next);
          }
        });
  }

  /** Nobody is given again what was given: whoever asks next reads it anew. */
  void forget();

  /** A request and what it was answered with. Holds on to no client. Immutable. */
  interface Hit {
    /** What was given. */
    Said given();

    /** Memory that it takes, estimated in octets; always the same. */
    default long octets() {
      return given().answers().octets();
    }
  }

  /** Keeps what is needed to ask again, while the request is still there. Event-loop confined. */
  @FunctionalInterface
  interface Source {
    /**
     * Keeps it.
     *
     * @throws LdapProtocolException if the request is malformed
     */
    VerifiableHit take() throws LdapProtocolException;
  }

  /**
   * An answer, by all that tells a client anything. Immutable.
   *
   * @param answers its entries, and the result code
   * @param matched the matched DN of the result
   */
  record Said(Answers answers, Octets matched) {
    /**
     * Reads one.
     *
     * @param entries each a whole SearchResultEntry
     * @param done the final response
     * @throws LdapProtocolException if one is none
     */
    public static Said of(List<byte[]> entries, byte[] done) throws LdapProtocolException {
      Answers answers = Answers.of(LdapResult.codeOf(done), entries);
      return new Said(answers, Octets.of(LdapResult.matchedDnOf(done)));
    }

    /** Whether the other has the same entries, whatever they look like, and the same result. */
    public boolean hasTheSame(Said other) {
      return answers.code() == other.answers.code()
          && answers.count() == other.answers.count()
          && answers.entries().keySet().equals(other.answers.entries().keySet())
          && matched.equals(other.matched);
    }

    /** The same with something that is never remembered. */
    public Said withMore() {
      return new Said(new Answers(answers.code(), answers.entries(), answers.count() + 1), matched);
    }
  }
}
