// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A directory server, which is in one of the states, but for what it has kept of transactions that
 * were aborted elsewhere. Thread-confined.
 */
final class SimServer {
  /** There are a few, encoded once for all histories. */
  private static final Map<End, byte[]> ENDS = new ConcurrentHashMap<>();

  private final String name;
  private final SimTimeline timeline;
  private final Map<String, Integer> kept = new TreeMap<>();
  private final List<Consumer<SimCommit>> readers = new ArrayList<>();
  private final List<Consumer<Integer>> listeners = new ArrayList<>();
  private int state;
  private int csn;
  private int published;
  private int positionNumber;
  private Position position = SimCsn.position(0);

  SimServer(String name, SimTimeline timeline) {
    this.name = name;
    this.timeline = timeline;
  }

  /** The end of answers to one kind of request. Immutable. */
  private record End(int tag, int code) {
    private byte[] encoded() {
      return Responses.result(tag, code).op();
    }
  }

  /** What it answers to a question. Immutable. */
  record ServerAnswer(int state, int code, Map<String, String> entries) {
    /** The end of the answer. */
    LdapMessage done(int messageId, int tag) {
      byte[] op = ENDS.computeIfAbsent(new End(tag, code), End::encoded);
      return LdapMessage.of(messageId, op, List.of());
    }

    List<LdapMessage> found(int messageId) {
      List<LdapMessage> found = new ArrayList<>(entries.size());
      for (String one : entries.values()) {
        byte[] op = one.getBytes(StandardCharsets.ISO_8859_1);
        found.add(LdapMessage.of(messageId, op, List.of()));
      }
      return found;
    }
  }

  int state() {
    return state;
  }

  /** The number up to which it says that it has everything. */
  int published() {
    return published;
  }

  Position position() {
    if (positionNumber < published) {
      position = SimCsn.position(published);
      positionNumber = published;
    }
    return position;
  }

  SimTimeline timeline() {
    return timeline;
  }

  /** Tells somebody of each change as soon as this server does. */
  void whenAnnounced(Consumer<SimCommit> reader) {
    readers.add(reader);
  }

  /** Tells somebody of each further position. */
  void whenPublished(Consumer<Integer> listener) {
    listeners.add(listener);
  }

  /**
   * It tells of a change.
   *
   * @param complete whether it says by that that it has all up to it
   */
  void announce(SimCommit commit, boolean complete) {
    csn = commit.csn();
    published = complete ? csn : published;
    readers.forEach(reader -> reader.accept(commit));
  }

  /** It says now that it has all up to a number. */
  void publish(int number) {
    if (number > published) {
      published = number;
      listeners.forEach(listener -> listener.accept(number));
    }
  }

  /** The newest change of which it has told. */
  int csn() {
    return csn;
  }

  /** It shows a change from now on. */
  void show(SimCommit commit, long now) {
    state = Math.max(state, commit.state());
    dropKept(commit, now);
  }

  /** It keeps a change that was undone where it was made. */
  void keep(SimCommit commit, long now) {
    dropKept(commit, now);
    timeline.undone(commit.state()).onKept(now);
    kept.put(commit.change().dn(), commit.state());
  }

  private void dropKept(SimCommit commit, long now) {
    Iterator<Map.Entry<String, Integer>> all = kept.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Integer> one = all.next();
      if (commit.change().concerns(one.getKey())) {
        timeline.undone(one.getValue()).onHealed(now);
        all.remove();
      }
    }
  }

  /** What it answers now. */
  ServerAnswer answer(SimRequest question, long now) {
    int rules = timeline.rules(now);
    int base = kept.getOrDefault(question.base(), state);
    Map<String, String> entries = timeline.entries(state, rules, question);
    if (!kept.isEmpty()) {
      entries = new TreeMap<>(entries);
      entries.keySet().removeAll(kept.keySet());
      for (Map.Entry<String, Integer> one : kept.entrySet()) {
        String shown = timeline.entries(one.getValue(), rules, question).get(one.getKey());
        if (shown != null) {
          entries.put(one.getKey(), shown);
        }
      }
    }
    return new ServerAnswer(state, timeline.code(base, rules, question), entries);
  }

  @Override
  public String toString() {
    return name;
  }
}
