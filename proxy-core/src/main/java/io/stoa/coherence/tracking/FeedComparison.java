// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.tracking.BracketingRead.Sight;
import io.stoa.ldap.filter.Answers;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether a client is given what the account of the feed sees, as far as the client may see it, of
 * the entries in which two answers to the client differ. Immutable.
 *
 * @param names the entries
 * @param query what the client asks for
 * @param shown what is shown to the client of an entry that it finds; null if that is not known
 */
public record FeedComparison(
    List<Octets> names,
    Query query,
    Function<SearchEntry, @Nullable Map<Octets, Set<Octets>>> shown) {
  private static final int NO_SUCH_OBJECT = 32;

  /** Result codes of searches that have found all there is. */
  private static final Set<Integer> WHOLE = Set.of(0, NO_SUCH_OBJECT);

  /**
   * False if the account is given more of one entry, true if nothing but what is alike tells the
   * answers apart; null if neither can be said.
   *
   * @param sights what the account sees, of which it is known that this was so all the time
   * @param between what the client was told meanwhile; null if nothing
   * @param given what the client was given at first
   * @param told what it was told then, which is not the same
   */
  public @Nullable Boolean alike(
      Map<Octets, Sight> sights, @Nullable Answers between, Answers given, Answers told) {
    Boolean all = Boolean.TRUE;
    for (Octets name : names) {
      Boolean one = alike(name, sights.get(name), between);
      if (Boolean.FALSE.equals(one)) {
        return one; // one of which more is seen is enough
      }
      all = one == null ? null : all;
    }
    return (all != null && isAll(given, told, sights)) ? all : null;
  }

  /**
   * Whether nothing differs but the entries that are compared: what clears them clears all. Where
   * they are gone, there may be no such object either.
   */
  private boolean isAll(Answers given, Answers told, Map<Octets, Sight> sights) {
    boolean gone = names.stream().allMatch(name -> isGone(sights.get(name)));
    return (given.code() == told.code() || (gone && told.code() == NO_SUCH_OBJECT))
        && told.count() == told.entries().size();
  }

  private static boolean isGone(@Nullable Sight sight) {
    return sight != null && sight.image() == null;
  }

  /**
   * Null also where the client's answer is an error or not whole. The client and the account are
   * told the same spelling of a name, which may be another one than before.
   */
  private @Nullable Boolean alike(Octets name, @Nullable Sight sight, @Nullable Answers between) {
    if (sight == null || between == null || !WHOLE.contains(between.code())) {
      return null;
    }
    Image image = sight.image();
    Octets spelled = image == null ? name : Octets.of(image.entry().dn());
    Map<Octets, Set<Octets>> own = between.entries().get(spelled);
    if (image == null) {
      return own == null ? Boolean.TRUE : null;
    }
    return switch (query.matches(image)) {
      case TRUE -> {
        Map<Octets, Set<Octets>> seen = shown.apply(image.entry());
        yield seen == null ? null : seen.equals(own);
      }
      case FALSE, UNDEFINED, NO_MATCH -> own == null ? Boolean.TRUE : null;
      case UNKNOWN -> null;
    };
  }
}
