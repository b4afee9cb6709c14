// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.server.StoaProcess;

/** Hits as Stoa tells them under cn=monitor, over one connection. Not thread-safe. */
final class MonitorHits implements Hits, AutoCloseable {
  private static final String[] COUNTERS = {"filter_cache_hit", "compare_cache_hit"};

  private final LDAPConnection connection;

  MonitorHits(StoaProcess stoa) {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setUseSynchronousMode(true); // it is asked twice for each read, and by one thread
    try {
      connection = new LDAPConnection(options, "127.0.0.1", stoa.address().getPort());
    } catch (LDAPException e) {
      throw new AssertionError("Stoa takes no connection", e);
    }
  }

  @Override
  public long now() {
    try {
      SearchResultEntry monitor = connection.getEntry("cn=monitor", COUNTERS);
      long hits = 0;
      for (String counter : COUNTERS) {
        hits += monitor.getAttributeValueAsLong(counter);
      }
      return hits;
    } catch (LDAPException e) {
      throw new AssertionError("Stoa does not tell its hits", e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
