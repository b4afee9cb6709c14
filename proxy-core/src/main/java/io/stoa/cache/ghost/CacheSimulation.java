// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import io.stoa.cache.memory.KeySample;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Estimates the hit ratios that the caches would have with other sizes.
 *
 * <p><b>Problem.</b> The right size of a cache is found by trial runs, each with a restart.
 *
 * <p><b>Design.</b> Ghost caches of five sizes receive a sample of all lookups: one in 80 with the
 * default sizes, one in 16 at most from 9,600 results on, and all of them below 600. Two curves
 * have one bound each: the results, and the entries of all results.
 *
 * <p><b>Octets</b>: at most 5 MiB, with {@link LargeAnswers}.
 *
 * <p><b>Limits.</b>
 *
 * <ol>
 *   <li>A change that a feed reports invalidates a result in ghost caches only if the cache itself
 *       holds the result. A larger cache then seems to serve it for longer.
 *   <li>A result that does not fit the size limit or the attribute list of a search counts as a
 *       hit.
 *   <li>Keys with equal hashes count as one.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class CacheSimulation {
  private final LongSupplier lookups;
  private volatile Curves curves;

  /**
   * The curves of the present sizes. Threading: thread-safe.
   *
   * @param threshold keys with a lower place are in the sample of a curve
   */
  private record Curves(
      int results, int entries, SizeCurve ofResults, SizeCurve ofEntries, int threshold) {}

  /**
   * Creates a simulation without lookups.
   *
   * @param results maximum number of results
   * @param entries maximum number of entries of all results
   * @param lookups number of counted lookups since the start
   */
  public CacheSimulation(int results, int entries, LongSupplier lookups) {
    this.lookups = lookups;
    this.curves = curves(results, entries);
  }

  private Curves curves(int results, int entries) {
    SizeCurve ofResults = new SizeCurve(results, lookups, false);
    SizeCurve ofEntries = new SizeCurve(entries, lookups, true);
    int threshold = Math.max(ofResults.threshold(), ofEntries.threshold());
    return new Curves(results, entries, ofResults, ofEntries, threshold);
  }

  /** Begins anew, if a size has changed. */
  public synchronized void setSizes(int results, int entries) {
    if (curves.results != results || curves.entries != entries) {
      curves = curves(results, entries);
    }
  }

  /** True if a key is in the sample. */
  public boolean isSampled(int hash) {
    return KeySample.place(hash) < curves.threshold;
  }

  /** Called when the caches have answered a lookup of the sample. */
  public void onHit(GhostLookup lookup, GhostResult served) {
    forEach(lookup.hash(), curve -> curve.onHit(lookup, served));
  }

  /** Called when the caches have not answered a lookup of the sample. */
  public void onMiss(GhostLookup lookup) {
    forEach(lookup.hash(), curve -> curve.onMiss(lookup));
  }

  /** Called when the result of a lookup of the sample has been read, before it is stored. */
  public void onRead(GhostLookup lookup, GhostResult read) {
    forEach(lookup.hash(), curve -> curve.onRead(lookup, read));
  }

  /** Called when a change has invalidated the result of a key. */
  public void onInvalidated(int hash) {
    if (isSampled(hash)) {
      forEach(hash, curve -> curve.onInvalidated(hash));
    }
  }

  private void forEach(int hash, Consumer<SizeCurve> action) {
    Curves now = curves;
    int place = KeySample.place(hash);
    if (place < now.ofResults.threshold()) {
      action.accept(now.ofResults);
    }
    if (place < now.ofEntries.threshold()) {
      action.accept(now.ofEntries);
    }
  }

  /** Removes all results, as a flush of the caches does. */
  public void clear() {
    curves.ofResults.clear();
    curves.ofEntries.clear();
  }

  /** Sets all counts to 0, and keeps the results. */
  public void reset() {
    curves.ofResults.reset();
    curves.ofEntries.reset();
  }

  /** Returns the hit ratios by the maximum number of results. */
  public CurveStatus byResults() {
    return curves.ofResults.status();
  }

  /** Returns the hit ratios by the maximum number of entries of all results. */
  public CurveStatus byEntries() {
    return curves.ofEntries.status();
  }
}
