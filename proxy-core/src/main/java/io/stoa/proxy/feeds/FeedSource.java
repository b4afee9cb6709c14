// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.accesslog.LogOrigin;
import io.stoa.feed.changelog.ChangelogFeed;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.feed.syncrepl.FeedStatus;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.schema.ServerKind;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Source of the changes of one naming context, independent of the protocol.
 *
 * <p>Threading: thread-safe.
 */
interface FeedSource extends AutoCloseable {
  /**
   * Returns the kind of feed for servers of a kind; null if they do not offer what is configured.
   */
  static @Nullable FeedKind of(ServerKind servers, Mode wanted) {
    boolean any = wanted == Mode.AUTO;
    return switch (servers) {
      case OPENLDAP ->
          wanted == Mode.ACCESSLOG
              ? FeedKind.ACCESSLOG
              : any || wanted == Mode.SYNCREPL ? FeedKind.SYNCREPL : null;
      case DS389 -> any || wanted == Mode.CHANGELOG ? FeedKind.CHANGELOG : null;
      default -> null;
    };
  }

  /** Creates a source that has not started. */
  static FeedSource of(
      FeedKind kind, String context, DirectoryFeedContext terms, SyncContext sync, FeedSink sink) {
    return kind == FeedKind.CHANGELOG
        ? new Changelog(
            new ChangelogFeed(terms.supervision(context), sync, terms.servers()::candidates, sink),
            context,
            terms)
        : new Sync(searches(context, terms, sync, sink), context, terms, kind);
  }

  private static FeedSupervisor searches(
      String context, DirectoryFeedContext terms, SyncContext sync, FeedSink sink) {
    FeedSupervisor.Config how = terms.supervision(context);
    FeedConfig config = terms.config().feed();
    return config.mode() == Mode.SYNCREPL
        ? new FeedSupervisor(how, sync, terms.servers()::candidates, sink)
        : new FeedSupervisor(
            how, sync, terms.servers()::candidates, sink, new LogOrigin(config, sync, context));
  }

  /** Starts the source. */
  void start();

  /** Called when the servers may have changed. */
  void onServersChanged();

  /** Returns a reader with the feed's account, on the server of the feed. */
  PrivilegedReader reader();

  /** Returns the status of the feed. */
  FeedStatus status();

  /** Returns the kind of the feed. */
  FeedKind kind();

  /**
   * Asks the server of the feed for its position.
   *
   * @param told receives the position on the loop, if there is an answer
   */
  void requestPosition(Consumer<Position> told);

  @Override
  void close();

  /**
   * A source that uses sync searches.
   *
   * <p>Threading: immutable.
   *
   * @param wanted the kind until it is determined
   */
  record Sync(FeedSupervisor feed, String context, DirectoryFeedContext terms, FeedKind wanted)
      implements FeedSource {
    @Override
    public void start() {
      feed.start();
    }

    @Override
    public void onServersChanged() {
      feed.onServersChanged();
    }

    @Override
    public PrivilegedReader reader() {
      return feed.reader();
    }

    @Override
    public FeedStatus status() {
      return feed.status();
    }

    @Override
    public FeedKind kind() {
      FeedKind now = feed.kind();
      return now == null ? wanted : now;
    }

    @Override
    public void requestPosition(Consumer<Position> told) {
      Consumer<Position> proved = position -> terms.deliver(context, position, told);
      terms.requestPosition(
          feed.reader(),
          context,
          position -> {
            if (position.isEmpty() || feed.kind() == null) {
              told.accept(Position.NONE); // nothing to prove, and the requester waits
            } else {
              feed.prove(position, proved);
            }
          });
    }

    @Override
    public void close() {
      feed.close();
    }
  }

  /**
   * A source that reads a retro changelog. The position read is the position of the server.
   *
   * <p>Threading: immutable.
   */
  record Changelog(ChangelogFeed feed, String context, DirectoryFeedContext terms)
      implements FeedSource {
    @Override
    public void start() {
      feed.start();
    }

    @Override
    public void onServersChanged() {
      feed.onServersChanged();
    }

    @Override
    public PrivilegedReader reader() {
      return feed.reader();
    }

    @Override
    public FeedStatus status() {
      return feed.status();
    }

    @Override
    public FeedKind kind() {
      return FeedKind.CHANGELOG;
    }

    @Override
    public void requestPosition(Consumer<Position> told) {
      feed.requestPosition(position -> terms.deliver(context, position, told));
    }

    @Override
    public void close() {
      feed.close();
    }
  }
}
