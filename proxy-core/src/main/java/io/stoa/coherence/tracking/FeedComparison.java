// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.tracking.BracketingRead.SeenEntry;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares entries as a client receives them with the same entries as the feed's account sees them.
 * Only entries in which two answers to the client differ, and only what the client may see, are
 * compared.
 *
 * <p>Threading: immutable.
 *
 * @param names the entries
 * @param query the query of the client
 * @param shown returns what the client is shown of an entry that it finds; null if that is not
 *     known
 */
public record FeedComparison(
    List<Octets> names,
    Query query,
    Function<SearchEntry, @Nullable Map<Octets, Set<Octets>>> shown) {
  private static final int NO_SUCH_OBJECT = 32;

  /** Result codes of searches that have found everything there is. */
  private static final Set<Integer> WHOLE = Set.of(0, NO_SUCH_OBJECT);

  /**
   * Returns false if the account sees an entry otherwise than the client. Returns true if the
   * client sees all entries as the account does, and nothing else tells the answers apart. Returns
   * null if neither is certain.
   *
   * @param seenEntries the entries as the account sees them, unchanged during the comparison
   * @param between the answer to the client during the comparison; null if there was none
   * @param firstAnswer the answer that the client received at first
   * @param laterAnswer the later answer, which differs
   */
  public @Nullable Boolean isEqual(
      Map<Octets, SeenEntry> seenEntries,
      @Nullable ResponseContents between,
      ResponseContents firstAnswer,
      ResponseContents laterAnswer) {
    Boolean all = Boolean.TRUE;
    for (Octets name : names) {
      Boolean one = isEqual(name, seenEntries.get(name), between);
      if (Boolean.FALSE.equals(one)) {
        return one; // one different entry is enough
      }
      all = one == null ? null : all;
    }
    return (all != null && isOnlyDifference(firstAnswer, laterAnswer, seenEntries)) ? all : null;
  }

  /**
   * True if nothing differs except the compared entries, so that the comparison settles the answers
   * as a whole. If these entries are gone, the later answer may also be noSuchObject.
   */
  private boolean isOnlyDifference(
      ResponseContents firstAnswer,
      ResponseContents laterAnswer,
      Map<Octets, SeenEntry> seenEntries) {
    boolean gone = names.stream().allMatch(name -> isGone(seenEntries.get(name)));
    return (firstAnswer.code() == laterAnswer.code()
            || (gone && laterAnswer.code() == NO_SUCH_OBJECT))
        && laterAnswer.count() == laterAnswer.entries().size();
  }

  private static boolean isGone(@Nullable SeenEntry seenEntry) {
    return seenEntry != null && seenEntry.image() == null;
  }

  /**
   * Compares one entry. Returns null also where the client's answer is an error or not complete.
   * The client and the account receive the same spelling of a name, which may differ from an
   * earlier one.
   */
  private @Nullable Boolean isEqual(
      Octets name, @Nullable SeenEntry seenEntry, @Nullable ResponseContents between) {
    if (seenEntry == null || between == null || !WHOLE.contains(between.code())) {
      return null;
    }
    Image image = seenEntry.image();
    Octets spelled = image == null ? name : Octets.of(image.entry().dn());
    Map<Octets, Set<Octets>> clientAttributes = between.entries().get(spelled);
    if (image == null) {
      return clientAttributes == null ? Boolean.TRUE : null;
    }
    return switch (query.matches(image)) {
      case TRUE -> {
        Map<Octets, Set<Octets>> seen = shown.apply(image.entry());
        yield seen == null ? null : seen.equals(clientAttributes);
      }
      case FALSE, UNDEFINED, NO_MATCH -> clientAttributes == null ? Boolean.TRUE : null;
      case UNKNOWN -> null;
    };
  }
}
