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
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.schema.ServerKind;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** From where the changes of a naming context come, by whatever means. Thread-safe. */
interface FeedSource extends AutoCloseable {
  /**
   * What is to be taken from servers of a kind; null if there is nothing that they offer and that
   * is wanted.
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

  /** Makes one of that kind, which has not begun. */
  static FeedSource of(
      FeedKind kind, String context, FeedTerms terms, SyncTerms sync, FeedSink sink) {
    return kind == FeedKind.CHANGELOG
        ? new Changelog(
            new ChangelogFeed(terms.supervision(context), sync, terms.servers()::candidates, sink),
            context,
            terms)
        : new Sync(searches(context, terms, sync, sink), context, terms, kind);
  }

  private static FeedSupervisor searches(
      String context, FeedTerms terms, SyncTerms sync, FeedSink sink) {
    FeedSupervisor.Terms how = terms.supervision(context);
    FeedConfig config = terms.config().feed();
    return config.mode() == Mode.SYNCREPL
        ? new FeedSupervisor(how, sync, terms.servers()::candidates, sink)
        : new FeedSupervisor(
            how, sync, terms.servers()::candidates, sink, new LogOrigin(config, sync, context));
  }

  /** Begins. */
  void start();

  /** Servers may have gone, or come. */
  void review();

  /** Reads as the account of the feed, where the feed comes from. */
  PrivilegedReader reader();

  /** How it is. */
  FeedStatus status();

  /** By what means changes are told. */
  FeedKind kind();

  /**
   * Asks the server of the feed how far it has got; hears it on the loop, if there is an answer.
   */
  void ask(Consumer<Position> told);

  @Override
  void close();

  /**
   * By sync searches. Immutable.
   *
   * @param wanted by what means, before it is known
   */
  record Sync(FeedSupervisor feed, String context, FeedTerms terms, FeedKind wanted)
      implements FeedSource {
    @Override
    public void start() {
      feed.start();
    }

    @Override
    public void review() {
      feed.review();
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
    public void ask(Consumer<Position> told) {
      Consumer<Position> proved = position -> terms.tell(context, position, told);
      terms.ask(
          feed.reader(),
          context,
          position -> {
            if (position.isEmpty() || feed.kind() == null) {
              told.accept(Position.NONE); // there is nothing to prove, and whoever asked waits
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

  /** By a retro changelog: what has been read of it is how far the server has got. Immutable. */
  record Changelog(ChangelogFeed feed, String context, FeedTerms terms) implements FeedSource {
    @Override
    public void start() {
      feed.start();
    }

    @Override
    public void review() {
      feed.review();
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
    public void ask(Consumer<Position> told) {
      feed.ask(position -> terms.tell(context, position, told));
    }

    @Override
    public void close() {
      feed.close();
    }
  }
}
