// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.sim.check.Read;
import io.stoa.testing.People;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Somebody who asks Stoa again and again, and writes down what he is told. Thread-confined. */
final class OracleReader implements AutoCloseable {
  private static final long PATIENCE_MILLIS = 30_000;

  private final String identity;
  private final boolean one;
  private final Random random;
  private final LDAPConnection connection;
  private List<Read> reads = new ArrayList<>();

  /**
   * Begins.
   *
   * @param one whether there is one server: he also asks for what follows from other entries, and
   *     may be told that there is no answer now
   */
  OracleReader(SlapdWithFeed people, String identity, boolean one, long seed) {
    this.identity = identity;
    this.one = one;
    this.random = new Random(seed);
    this.connection =
        identity.isEmpty() ? people.anonymous() : people.client(identity, People.PASSWORD);
    connection.getConnectionOptions().setResponseTimeoutMillis(PATIENCE_MILLIS);
  }

  void read() {
    OracleSearch drawn = OracleWorld.question(random, identity);
    OracleSearch search = one && random.nextBoolean() ? drawn.derived() : drawn;
    long asked = System.nanoTime();
    SearchResult result = ask(search);
    long told = System.nanoTime();
    if (one && result.getResultCode().equals(ResultCode.UNAVAILABLE)) {
      return;
    }
    reads.add(
        new Read(
            reads.size(),
            identity,
            search,
            search.base(),
            false,
            asked,
            asked,
            told,
            Read.MEMORY,
            result.getResultCode().intValue(),
            shown(result),
            null));
  }

  private SearchResult ask(OracleSearch search) {
    try {
      return connection.search(
          new SearchRequest(
              search.base(),
              SearchScope.valueOf(search.scope()),
              search.filter(),
              search.shown().toArray(String[]::new)));
    } catch (LDAPSearchException e) {
      boolean refused = one && e.getResultCode().equals(ResultCode.UNAVAILABLE);
      if (refused || e.getResultCode().isConnectionUsable()) {
        return e.getSearchResult();
      }
      throw new AssertionError("no answer to " + search, e);
    } catch (LDAPException e) {
      throw new AssertionError(search + " cannot be asked", e);
    }
  }

  private static Map<String, String> shown(SearchResult result) {
    return result.getSearchEntries().stream()
        .collect(Collectors.toMap(SearchResultEntry::getDN, OracleReader::shown));
  }

  private static String shown(SearchResultEntry entry) {
    SortedMap<String, String> shown = new TreeMap<>();
    for (Attribute attribute : entry.getAttributes()) {
      String[] values = attribute.getValues();
      Arrays.sort(values);
      shown.put(attribute.getName(), String.join("|", values));
    }
    return shown.toString();
  }

  /** What it was told since this was asked last. */
  List<Read> takeReads() {
    List<Read> told = reads;
    reads = new ArrayList<>();
    return told;
  }

  @Override
  public void close() {
    connection.close();
  }
}
