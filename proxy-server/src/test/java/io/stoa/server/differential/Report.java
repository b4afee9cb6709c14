// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import java.util.ArrayList;
import java.util.List;

/** What a run of the script found. Not thread-safe. */
final class Report {
  private final List<String> differences = new ArrayList<>();
  private final List<String> wrongHits = new ArrayList<>();
  private final List<String> notRefused = new ArrayList<>();
  private int requests;
  private int refused;
  private int cacheable;
  private int hits;
  private int masked;

  void request() {
    requests++;
  }

  void refused() {
    refused++;
  }

  void notRefused(String what) {
    notRefused.add(what);
  }

  void cacheable() {
    cacheable++;
  }

  void hit() {
    hits++;
  }

  void wrongHit(String what) {
    wrongHits.add(what);
  }

  void difference(String what) {
    differences.add(what);
  }

  void masked(int values) {
    masked = values;
  }

  List<String> differences() {
    return differences;
  }

  /** Repeated reads that were not answered from memory and should be, or were and should not. */
  List<String> wrongHits() {
    return wrongHits;
  }

  /** Steps that were to be refused and were not: the script is wrong. */
  List<String> notRefused() {
    return notRefused;
  }

  int requests() {
    return requests;
  }

  int refusedRequests() {
    return refused;
  }

  int cacheableReads() {
    return cacheable;
  }

  int hitsOnRepetition() {
    return hits;
  }

  @Override
  public String toString() {
    return "requests "
        + requests
        + ", refused by the directory "
        + refused
        + ", cacheable "
        + cacheable
        + ", hits on the second time "
        + hits
        + ", masked values "
        + masked
        + ", differences "
        + differences.size();
  }
}
