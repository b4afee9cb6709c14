// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.change.PrivilegedReader;
import io.stoa.ldap.SearchEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads as the account of a feed, on a connection of its own to the server from which the feed
 * comes. Every answer has a deadline. Thread-safe; its connection is confined to its thread.
 */
public final class SdkReader implements PrivilegedReader {
  /** Whoever could not be reached is not tried again at once. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SdkLink link;
  private final Entries rules;
  private final EventExecutor own;
  private @Nullable FeedServer server;
  private @Nullable LDAPConnection connection;
  private long triedAt = System.nanoTime() - PAUSE_NANOS;
  private volatile String why = "the feed has no server";

  /**
   * Makes it.
   *
   * @param thread the name of that on which it connects, which may take its time
   */
  public SdkReader(SdkLink link, Entries rules, String thread) {
    this.link = link;
    this.rules = rules;
    this.own = new DefaultEventExecutor(new DefaultThreadFactory(thread, true));
  }

  /** From now on this is the server that is read. */
  public void from(FeedServer now) {
    execute(
        () -> {
          if (!now.equals(server)) {
            disconnect();
          }
          reached(now);
        });
  }

  /** The same by a new connection: the feed was cut off, and who reads may not know of it yet. */
  public void anew(FeedServer now) {
    execute(
        () -> {
          disconnect();
          reached(now);
        });
  }

  private void reached(FeedServer now) {
    server = now;
    triedAt = System.nanoTime() - PAUSE_NANOS; // the feed has just reached it
  }

  private boolean execute(Runnable task) {
    try {
      own.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void search(Search search, Consumer<List<SearchEntry>> found, Consumer<String> failed) {
    Collector collector = new Collector(found, failed);
    if (!execute(() -> begin(search, collector))) {
      failed.accept("the feed has ended");
    }
  }

  private void begin(Search search, Collector collector) {
    LDAPConnection usable = connected();
    if (usable == null) {
      collector.failed.accept(why);
      return;
    }
    try {
      usable.asyncSearch(request(search, collector));
    } catch (LDAPException e) {
      collector.failed.accept(SdkLink.text(e));
    }
  }

  private SearchRequest request(Search search, Collector collector) throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            collector,
            new Control[] {new ManageDsaITRequestControl(true)},
            new String(search.base(), StandardCharsets.UTF_8),
            SearchScope.valueOf(search.scope()),
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.create(new String(search.filter(), StandardCharsets.UTF_8)),
            search.attributes().toArray(String[]::new));
    request.setResponseTimeoutMillis(link.timeout().toMillis());
    return request;
  }

  private @Nullable LDAPConnection connected() {
    LDAPConnection present = connection;
    FeedServer from = server;
    if (present != null && present.isConnected()) {
      return present;
    }
    long now = System.nanoTime();
    if (from == null || now - triedAt < PAUSE_NANOS) {
      return null;
    }
    triedAt = now;
    try {
      disconnect();
      connection = link.open(from);
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    }
    return connection;
  }

  private void disconnect() {
    LDAPConnection present = connection;
    connection = null;
    if (present != null) {
      present.close();
    }
  }

  /** Gives the connection back, and ends its thread; what is under way fails. */
  public void close() {
    execute(this::disconnect);
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Collects the entries of one answer, on the thread that reads (confined to it). */
  private final class Collector implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Consumer<List<SearchEntry>> found;
    private final transient Consumer<String> failed;
    private final transient List<SearchEntry> entries = new ArrayList<>();
    private boolean whole = true;

    Collector(Consumer<List<SearchEntry>> found, Consumer<String> failed) {
      this.found = found;
      this.failed = failed;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      SearchEntry read = rules.without(Entries.octets(entry));
      if (read == null) {
        whole = false;
      } else {
        entries.add(read);
      }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // of another directory
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      ResultCode code = result.getResultCode();
      if (code.equals(ResultCode.SUCCESS) && whole) {
        found.accept(entries);
      } else if (code.equals(ResultCode.NO_SUCH_OBJECT)) {
        found.accept(List.of());
      } else {
        failed.accept(code + ": " + result.getDiagnosticMessage());
      }
    }
  }
}
