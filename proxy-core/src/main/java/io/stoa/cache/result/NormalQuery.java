// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.ldap.filter.QueryTemplate;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.SiblingNames;
import org.jspecify.annotations.Nullable;

/**
 * A normalized request without its values. Many keys share one object, since applications repeat
 * few requests with many values.
 *
 * <p>Octets: 32, 24 for the reach, and those of the normalized request.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Queries of different generations are never equal, so a key of old rules finds no result of
 *       new ones.
 *   <li>If the order of the values in a key depends on the values, all of them are part of the
 *       octets, and the object belongs to one request.
 * </ol>
 *
 * <p>Threading: immutable.
 */
final class NormalQuery {
  /** Stands for requests that bypass the caches. */
  static final NormalQuery NONE = of(0, Octets.EMPTY, Reach.ANYWHERE);

  private final int generation;
  private final Octets octets;
  private final Reach reach;
  private final @Nullable SiblingNames names;
  private final int values;

  private NormalQuery(
      int generation, Octets octets, Reach reach, @Nullable SiblingNames names, int values) {
    this.generation = generation;
    this.octets = octets;
    this.reach = reach;
    this.names = names;
    this.values = values;
  }

  /**
   * Returns the part of all requests of a template.
   *
   * @param generation number of the rules by which the request was normalized
   * @param reach part of the tree that they reach; not used if the template has names
   */
  static NormalQuery of(int generation, QueryTemplate template, Reach reach) {
    return new NormalQuery(
        generation, template.octets(), reach, template.names(), template.count());
  }

  /** Returns the form of one request, values included. */
  static NormalQuery of(int generation, Octets key, Reach reach) {
    return new NormalQuery(generation, key, reach, null, 0);
  }

  /** Returns the number of values, which are not part of it. */
  int values() {
    return values;
  }

  /** Returns the part of the tree that a request with these folded values can reach. */
  Reach reach(byte[] folded) {
    SiblingNames siblings = names;
    return siblings == null
        ? reach
        : Reach.of(siblings, values == 1 ? folded : KeyWriter.strings(folded, 1)[0]);
  }

  /** Returns the whole key of a request with these folded values. */
  Octets with(byte[] folded) {
    return values == 0
        ? octets
        : Octets.of(
            new KeyWriter(octets.length() + folded.length + 4)
                .string(octets.array())
                .raw(folded)
                .toByteArray());
  }

  /** Returns its size in octets. */
  int size() {
    Octets place = reach.place();
    return octets.length() + (place == null ? 0 : place.length());
  }

  /** Two are equal if they lead to equal keys. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof NormalQuery that
            && generation == that.generation
            && octets.equals(that.octets));
  }

  @Override
  public int hashCode() {
    return generation * 31 + octets.hashCode();
  }
}
