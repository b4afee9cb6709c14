// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients wrote and read, and whether that is as it should be. Each key has versions that grow
 * with each write, of which no two are under way at once. Thread-safe.
 */
final class SessionHistory {
  private final List<Event> events = new ArrayList<>();

  /**
   * One operation.
   *
   * @param version what was written, or read
   * @param begun when it was sent
   * @param ended when it was answered
   */
  record Event(int session, int key, boolean write, int version, long begun, long ended) {}

  synchronized void add(Event event) {
    events.add(event);
  }

  synchronized int size() {
    return events.size();
  }

  /**
   * Reads that show less than an operation of the same session that had ended before has written or
   * read, and reads that show what nobody has written yet.
   */
  synchronized List<String> violations() {
    List<String> wrong = new ArrayList<>();
    Map<Long, List<Event>> bySession = new HashMap<>();
    Map<Integer, List<Event>> writes = new HashMap<>();
    for (Event event : events) {
      long key = ((long) event.session() << Integer.SIZE) | event.key();
      bySession.computeIfAbsent(key, none -> new ArrayList<>()).add(event);
      if (event.write()) {
        writes.computeIfAbsent(event.key(), none -> new ArrayList<>()).add(event);
      }
    }
    bySession.values().forEach(own -> checkSession(own, wrong));
    events.stream()
        .filter(event -> !event.write() && isFromTheFuture(event, writes))
        .forEach(event -> wrong.add("what nobody had written: " + event));
    return wrong;
  }

  private static boolean isFromTheFuture(Event read, Map<Integer, List<Event>> writes) {
    return writes.getOrDefault(read.key(), List.of()).stream()
        .anyMatch(write -> write.version() == read.version() && write.begun() > read.ended());
  }

  /** Whatever ended before an operation began is a lower bound of what that shows. */
  private static void checkSession(List<Event> own, List<String> wrong) {
    List<Event> byBegin = new ArrayList<>(own);
    byBegin.sort(Comparator.comparingLong(Event::begun));
    List<Event> byEnd = new ArrayList<>(own);
    byEnd.sort(Comparator.comparingLong(Event::ended));
    int ended = 0;
    Event newest = null;
    for (Event event : byBegin) {
      for (; byEnd.get(ended).ended() < event.begun(); ended++) {
        Event done = byEnd.get(ended);
        newest = newest == null || done.version() > newest.version() ? done : newest;
      }
      if (!event.write() && newest != null && event.version() < newest.version()) {
        wrong.add(
            (newest.write() ? "not what was written: " : "older than was read: ")
                + event
                + " after "
                + newest);
      }
    }
  }
}
