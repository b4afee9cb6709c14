// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;

/**
 * One run of a client against one address: every answer as octets, which of the known shapes it
 * sent, and how many of its reads hit if it is run again. Not thread-safe.
 */
final class Trace {
  private final InetSocketAddress address;
  private final SSLContext tls;
  private final Turn turn;
  private final Witness witness;
  private final List<String> answers = new ArrayList<>();
  private final Set<Integer> shapes = new TreeSet<>();
  private int searches;
  private int compares;

  /**
   * One run.
   *
   * @param number counts the runs of the same client against the same address
   * @param user of whom the client asks; there may be nobody of this number
   */
  record Turn(int number, int user) {}

  /** What watches the reads of a run as they happen. Thread-safe. */
  interface Witness {
    /** Nobody does. */
    Witness NONE = (question, part, sent, answer) -> {};

    /** A question will be asked for the first part of its answer. */
    default void asks(TracedRequest question) {}

    /**
     * A part of the answer is there.
     *
     * @param sent when its first part was asked for, by {@link System#nanoTime}
     */
    void answered(TracedRequest question, int part, long sent, String answer);
  }

  /**
   * @param tls what its clients trust
   */
  Trace(InetSocketAddress address, SSLContext tls, Turn turn, Witness witness) {
    this.address = address;
    this.tls = tls;
    this.turn = turn;
    this.witness = witness;
  }

  /** Opens a connection of the client. */
  TracedConnection connect() {
    return new TracedConnection(address, this);
  }

  /** Opens one and has TLS started before anything else. */
  TracedConnection connectByTls() {
    return connect().startTls(tls);
  }

  /** Opens one and binds as the client's own account. */
  TracedConnection connect(String client) {
    return connect().bind(TraceDirectory.account(client), "service");
  }

  /** Which run this is, for what never repeats. */
  int run() {
    return turn.number();
  }

  Witness witness() {
    return witness;
  }

  int user() {
    return turn.user();
  }

  String uid() {
    return "user." + turn.user();
  }

  String name() {
    return "User " + turn.user();
  }

  int number() {
    return TraceDirectory.FIRST_NUMBER + turn.user();
  }

  String person() {
    return TraceDirectory.person(turn.user());
  }

  String uuid() {
    return TraceDirectory.uuid(turn.user());
  }

  String password() {
    return "pw-" + turn.user();
  }

  void answered(String what, String answer) {
    answers.add(what + " -> " + answer);
  }

  void sent(int shape) {
    shapes.add(shape);
  }

  void repeatableSearch() {
    searches++;
  }

  void repeatableCompare() {
    compares++;
  }

  /** The answers that another run did not get. */
  List<String> differences(Trace other) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(answers.size(), other.answers.size()); i++) {
      String expected = i < answers.size() ? answers.get(i) : "nothing more";
      String actual = i < other.answers.size() ? other.answers.get(i) : "nothing more";
      if (!expected.equals(actual)) {
        differences.add("\nexpected: " + expected + "\nactual:   " + actual);
      }
    }
    return differences;
  }

  Set<Integer> shapes() {
    return shapes;
  }

  /** Searches that must be answered from memory when the run is repeated. */
  int searches() {
    return searches;
  }

  /** Compares that must be answered from memory when the run is repeated. */
  int compares() {
    return compares;
  }
}
