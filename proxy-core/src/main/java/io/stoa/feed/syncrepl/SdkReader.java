// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

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
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads with the account of a feed, on a connection of its own to the server of the feed. Every
 * answer has a deadline.
 *
 * <p>Threading: thread-safe. The connection is confined to a thread of the reader.
 */
public final class SdkReader implements PrivilegedReader {
  /**
   * Maximum number of searches in flight: 50; further ones wait. A slapd closes the connection of
   * an account with too many pending operations (conn_max_pending_auth).
   */
  static final int MAX_IN_FLIGHT = 50;

  /** Pause in ns before another attempt to connect: 1 s. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final ReadFailure ENDED = ReadFailure.withoutResult("the feed is closed");
  private static final ReadFailure LATE =
      ReadFailure.withoutResult("timeout before the search could be sent");

  private final SdkLink link;
  private final EntryConverter rules;
  private final EventExecutor executor;
  private final Deque<Collector> collectors = new ArrayDeque<>();
  private final Set<Collector> inFlight = new HashSet<>();
  private @Nullable FeedServer server;
  private @Nullable LDAPConnection connection;
  private long triedAt = System.nanoTime() - PAUSE_NANOS;
  private ReadFailure failure = ReadFailure.withoutResult("the feed is not connected");

  /**
   * Creates a reader without a server.
   *
   * @param thread the name of its thread; connecting may block that thread
   */
  public SdkReader(SdkLink link, EntryConverter rules, String thread) {
    this.link = link;
    this.rules = rules;
    this.executor = new DefaultEventExecutor(new DefaultThreadFactory(thread, true));
  }

  /** Sets the server to read from. */
  public void useServer(FeedServer now) {
    execute(
        () -> {
          if (!now.equals(server)) {
            disconnect();
          }
          setServer(now);
        });
  }

  /**
   * Sets the server and discards the connection. The feed was cut off, and the reader's connection
   * may be dead without notice.
   */
  public void reconnect(FeedServer now) {
    execute(
        () -> {
          disconnect();
          setServer(now);
        });
  }

  private void setServer(FeedServer now) {
    server = now;
    triedAt = System.nanoTime() - PAUSE_NANOS; // the feed has just reached the server
  }

  private boolean execute(Runnable task) {
    try {
      executor.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void search(
      Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> onFailure) {
    Collector collector = new Collector(search, found, onFailure);
    if (!execute(() -> take(collector))) {
      onFailure.accept(ENDED);
    }
  }

  private void take(Collector next) {
    collectors.add(next);
    sendWaiting();
  }

  private void sendWaiting() {
    if (connection != null && !connection.isConnected()) {
      disconnect(); // a dead connection must not hold permits
    }
    while (inFlight.size() < MAX_IN_FLIGHT && !collectors.isEmpty()) {
      begin(collectors.remove());
    }
  }

  private void begin(Collector next) {
    LDAPConnection usable = next.millis() > 0 ? connected() : null; // connecting may take long
    long millis = next.millis();
    if (usable == null || millis <= 0) {
      next.fail(millis <= 0 ? LATE : failure);
      return;
    }
    inFlight.add(next);
    try {
      usable.asyncSearch(request(next, millis));
    } catch (LDAPException e) {
      next.fail(new ReadFailure(e.getResultCode().intValue(), SdkLink.text(e)));
    }
  }

  private void onEnded(Collector one) {
    inFlight.remove(one);
    sendWaiting();
  }

  private static SearchRequest request(Collector collector, long millis) throws LDAPException {
    Search search = collector.search;
    SearchRequest request =
        new SearchRequest(
            collector,
            new Control[] {new ManageDsaITRequestControl(true)},
            new String(search.base(), StandardCharsets.UTF_8),
            SearchScope.valueOf(search.scope()),
            DereferencePolicy.NEVER,
            search.sizeLimit(),
            0,
            false,
            Filter.create(new String(search.filter(), StandardCharsets.UTF_8)),
            search.attributes().toArray(String[]::new));
    request.setResponseTimeoutMillis(millis);
    return request;
  }

  private @Nullable LDAPConnection connected() {
    LDAPConnection present = connection;
    FeedServer from = server;
    if (present != null && present.isConnected()) {
      return present;
    }
    if (from == null || System.nanoTime() - triedAt < PAUSE_NANOS) {
      return null;
    }
    try {
      disconnect();
      connection = link.open(from);
    } catch (IOException e) {
      failure = ReadFailure.withoutResult(FailureText.of(e));
    }
    triedAt = System.nanoTime(); // connecting may have taken longer than the pause
    return connection;
  }

  private void disconnect() {
    LDAPConnection present = connection;
    connection = null;
    if (present != null) {
      present.close();
    }
    ReadFailure ended = ReadFailure.withoutResult("the connection has ended");
    List.copyOf(inFlight).forEach(one -> one.fail(ended));
    inFlight.clear();
  }

  /** Closes the connection and ends the thread. Pending searches fail. */
  public void close() {
    execute(
        () -> {
          server = null;
          failure = ENDED;
          disconnect();
          collectors.forEach(one -> one.fail(ENDED));
          collectors.clear();
        });
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Collects the entries of one answer on the reading thread. Calls back once, on any thread. */
  private final class Collector implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient Search search;
    private final transient Consumer<List<SearchEntry>> found;
    private final transient Consumer<ReadFailure> onFailure;
    private final transient List<SearchEntry> entries = new ArrayList<>();
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final long deadline = System.nanoTime() + link.timeout().toNanos();
    private boolean whole = true;

    Collector(Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> onFailure) {
      this.search = search;
      this.found = found;
      this.onFailure = onFailure;
    }

    /** Returns the time until the deadline, in ms. */
    long millis() {
      return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      SearchEntry read = rules.withoutSecrets(EntryConverter.encode(entry));
      if (read == null) {
        whole = false;
      } else {
        entries.add(read);
      }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // references to other directories are ignored
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      ResultCode code = result.getResultCode();
      boolean full = search.sizeLimit() > 0 && entries.size() == search.sizeLimit();
      boolean ended = full && code.equals(ResultCode.SIZE_LIMIT_EXCEEDED);
      if ((code.equals(ResultCode.SUCCESS) || ended) && whole) {
        succeed(entries);
      } else if (code.equals(ResultCode.NO_SUCH_OBJECT)) {
        succeed(List.of());
      } else {
        fail(new ReadFailure(code.intValue(), code + ": " + result.getDiagnosticMessage()));
      }
    }

    private void succeed(List<SearchEntry> all) {
      if (end()) {
        found.accept(all);
      }
    }

    void fail(ReadFailure reason) {
      if (end()) {
        onFailure.accept(reason);
      }
    }

    private boolean end() {
      boolean first = open.compareAndSet(true, false);
      if (first) {
        execute(() -> onEnded(this));
      }
      return first;
    }
  }
}
