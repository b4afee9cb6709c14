// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.netty.util.concurrent.GlobalEventExecutor;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Writes down what one sync search says. Thread-safe. */
final class Transcript implements SyncEvents, AutoCloseable {
  private static final FeedCapabilities.Target WHOLE =
      FeedCapabilities.Target.whole(FeedDirectory.SUFFIX);

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final FeedConnection connection;
  private final SyncReplDriver driver;
  private volatile Cookie cookie;

  private Transcript(FeedConnection connection, Cookie begin) {
    this.connection = connection;
    this.driver = new SyncReplDriver(connection, this, Runnable::run);
    this.cookie = begin;
  }

  /** Begins a search from a cookie, as a feed does. */
  static Transcript begin(FeedDirectory directory, Cookie from) throws Exception {
    FeedConnection connection = directory.link().openForFeed(directory.server());
    Transcript transcript = new Transcript(connection, from);
    transcript.driver.start(WHOLE, from, FeedDirectory.SUFFIX, at -> {});
    return transcript;
  }

  /** Asks for what has changed since it began, while the search goes on; once. */
  void again() {
    driver.refreshAgain(GlobalEventExecutor.INSTANCE, () -> Position.NONE, "dc=x");
  }

  /** As above, and waits until the refresh is over; what it said is forgotten. */
  static Transcript live(FeedDirectory directory) throws Exception {
    Transcript transcript = begin(directory, directory.position());
    transcript.await("refreshDone");
    transcript.lines.clear();
    return transcript;
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  /** All cookies so far together. */
  Cookie cookie() {
    return cookie;
  }

  void await(String part) {
    Await.until(
        "the server says " + part + ", not " + lines,
        () -> lines.stream().anyMatch(line -> line.contains(part)));
  }

  private String cookieText(@Nullable Cookie told) {
    if (told == null) {
      return "";
    }
    cookie = cookie.merge(told);
    return told.isEmpty() ? " emptyCookie" : " cookie";
  }

  @Override
  public void onEntry(
      SyncState state, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie told) {
    StringBuilder line = new StringBuilder(state.name());
    try {
      SearchEntry entry = SearchEntry.parse(searchEntryOp);
      line.append(' ').append(text(entry.dn()));
      for (SearchEntry.AttributeOctets attribute : entry.attributes()) {
        String type = text(attribute.type());
        if (List.of("sn", "memberOf", "hasSubordinates").contains(type)) {
          attribute.values();
          line.append(' ').append(type).append('=').append(text(attribute.values().get(0)));
        }
      }
    } catch (Exception e) {
      line.append(" unreadable");
    }
    lines.add(line.append(cookieText(told)).toString());
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  @Override
  public void onInfo(
      SyncInfo kind,
      @Nullable Cookie told,
      boolean refreshDone,
      boolean refreshDeletes,
      List<Uuid> uuids) {
    String line = kind + (refreshDone ? " refreshDone" : "") + (refreshDeletes ? " gone" : "");
    lines.add(line + (uuids.isEmpty() ? "" : " " + uuids.size()) + cookieText(told));
  }

  @Override
  public void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic) {
    lines.add("again " + resultCode + (refreshDeletes ? " gone" : ""));
  }

  @Override
  public void onDone(
      int resultCode, @Nullable Cookie told, boolean refreshDeletes, String diagnostic) {
    lines.add("done " + resultCode + " " + diagnostic);
  }

  @Override
  public void onLost(String why) {
    lines.add("lost " + why);
  }

  @Override
  public void close() {
    connection.close();
  }
}
