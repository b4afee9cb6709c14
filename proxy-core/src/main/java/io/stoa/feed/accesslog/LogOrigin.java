// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.feed.accesslog.LogFeed.Anchor;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.FeedCapabilities;
import io.stoa.feed.syncrepl.FeedCapabilities.ChangeSearch;
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.feed.syncrepl.FeedCapabilities.Origin;
import io.stoa.feed.syncrepl.FeedCapabilities.Target;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes a feed search the accesslog of a database, or the database itself if that is offered and
 * configured. A log that has left out changes is refused for a growing time.
 *
 * <p>Threading: thread of the feed.
 */
public final class LogOrigin implements Origin {
  private static final long MIN_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long MAX_NANOS = TimeUnit.DAYS.toNanos(1);

  private final FeedConfig config;
  private final SyncContext syncContext;
  private final String context;
  private @Nullable LogCoverage coverage;
  private @Nullable Long refusedSince;
  private long pauseNanos = MIN_NANOS;

  /**
   * Creates an origin.
   *
   * @param context the naming context, as the servers know it
   */
  public LogOrigin(FeedConfig config, SyncContext syncContext, String context) {
    this.config = config;
    this.syncContext = syncContext;
    this.context = context;
  }

  @Override
  public ChangeSearch begin(LDAPConnection connection, FeedContext context) throws IOException {
    refuse();
    try {
      LogSearch search = new LogSearch(connection, this.context, syncContext);
      return config.mode() == Mode.AUTO && search.supportsSync()
          ? FeedCapabilities.contextSearch(connection, this.context, context.sink())
          : log(search, context);
    } catch (LDAPException e) {
      throw new DescribedException(SdkLink.text(e), e);
    }
  }

  /**
   * Refuses a log that has left out a change. One missing record may have another cause, so the log
   * is tried again later.
   */
  private void refuse() throws IOException {
    String why = coverage == null ? null : coverage.leftOut();
    if (why == null) {
      return;
    }
    long now = syncContext.clock().getAsLong();
    Long since = refusedSince;
    if (since != null && now - since >= pauseNanos) {
      pauseNanos = Math.min(4 * pauseNanos, MAX_NANOS);
      refusedSince = null;
      coverage = null;
      return;
    }
    refusedSince = since == null ? now : since;
    throw new DescribedException(
        why
            + " ("
            + context
            + "): configure overlay accesslog with logops writes and without logbase. "
            + "Next attempt after "
            + TimeUnit.NANOSECONDS.toMinutes(pauseNanos)
            + " min");
  }

  private ChangeSearch log(LogSearch search, FeedContext context)
      throws IOException, LDAPException {
    Cookie databasePosition = search.databasePosition();
    if (databasePosition.isEmpty() || search.isAccesslog()) {
      throw new DescribedException(search.refusal());
    }
    LogSearch.Found found = search.find(config.accesslog());
    LogCoverage now =
        new LogCoverage(syncContext.context(), syncContext.clock(), context.restart());
    now.begin(found.counted().position(syncContext.context()));
    coverage = now;
    byte[] base = this.context.getBytes(UTF_8);
    Anchor last = found.last();
    LogReader reader = new LogReader(context.reader(), syncContext, base);
    LogFeed feed =
        new LogFeed(context, now, new LogChanges(syncContext, search.scope()), reader, last);
    Target target = new Target(found.log(), LogSearch.SUCCESSFUL_WRITES, LogRecord.ATTRIBUTES);
    return new ChangeSearch(
        FeedKind.ACCESSLOG,
        "accesslog " + found.log(),
        target,
        found.from(),
        feed,
        (position, receiver) ->
            reader.readPosition(found.log(), log -> now.onPosition(position, log, receiver)));
  }
}
