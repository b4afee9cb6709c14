// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a run of the script found. Not thread-safe. */
public final class Report {
  private final List<String> differences = new ArrayList<>();
  private final List<String> wrongHits = new ArrayList<>();
  private final List<String> notRefused = new ArrayList<>();
  private final Set<String> documented = new TreeSet<>();
  private final Set<String> requestKeys = new HashSet<>();
  private int requests;
  private int refused;
  private int cacheable;
  private int hits;
  private int masked;

  void request() {
    requests++;
  }

  /** Notes what was asked on a connection. */
  void addRequest(String what) {
    requestKeys.add(what);
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

  /** Notes a difference; one that is documented by its name only. */
  void difference(String name, String what) {
    if (name.isEmpty()) {
      differences.add(what);
    } else {
      documented.add(name);
    }
  }

  void masked(int values) {
    masked = values;
  }

  public List<String> differences() {
    return differences;
  }

  /** The names of the documented differences that there were. */
  public Set<String> documented() {
    return documented;
  }

  /** Repeated reads that were not answered from memory and should be, or were and should not. */
  List<String> wrongHits() {
    return wrongHits;
  }

  /** Steps that were to be refused and were not: the script is wrong. */
  List<String> notRefused() {
    return notRefused;
  }

  public int requests() {
    return requests;
  }

  /** Requests of which no two are the same on the same connection. */
  int distinctRequests() {
    return requestKeys.size();
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
        + ", distinct "
        + requestKeys.size()
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
