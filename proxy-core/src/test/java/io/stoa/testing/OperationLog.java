// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a directory server says of one search in its own log: that it has begun, and what became of
 * it. The search is found by a text in its filter. Not thread-safe.
 */
public final class OperationLog {
  private static final String BEGUN = "conn=(\\d+) op=(\\d+) SRCH base=.*";

  private final Supplier<String> log;
  private final String answered;
  private final String abandoned;
  private final String disconnected;
  private final LongSupplier underWay;
  private String connection = "";
  private String operation = "";

  private OperationLog(
      Supplier<String> log,
      String answered,
      String abandoned,
      String disconnected,
      LongSupplier underWay) {
    this.log = log;
    this.answered = answered;
    this.abandoned = abandoned;
    this.disconnected = disconnected;
    this.underWay = underWay;
  }

  /** Of a slapd that logs operations. It does not say which one is abandoned. */
  public static OperationLog of(Slapd slapd) {
    return new OperationLog(
        slapd::log,
        "op=%s SEARCH RESULT",
        "op=\\d+ ABANDON msg=",
        "fd=\\d+ closed",
        () -> slapd.underWay("Search"));
  }

  /** Of a 389-ds that logs operations. */
  public static OperationLog of(Ds389 server) {
    return new OperationLog(
        server::log,
        "op=%s RESULT",
        "op=\\d+ ABANDON targetop=%s ",
        "op=\\S+ fd=\\d+ Disconnect",
        server::underWay);
  }

  /** Waits until the server works on the search in whose filter this text is. */
  public OperationLog awaitBegun(String text) {
    Pattern line = Pattern.compile(BEGUN + Pattern.quote(text));
    Await.until("the server begins " + text, () -> begun(line));
    return this;
  }

  private boolean begun(Pattern line) {
    Matcher found = line.matcher(log.get());
    if (found.find()) {
      connection = found.group(1);
      operation = found.group(2);
    }
    return !operation.isEmpty();
  }

  /** Waits until the server says that it was told to give up the search. */
  public void awaitAbandoned() {
    Await.until("the search is abandoned", () -> says(abandoned));
  }

  /** Waits until the server says that the connection on which it was asked has ended. */
  public void awaitDisconnected() {
    Await.until("the connection of the search ends", () -> says(disconnected));
  }

  /** Waits until the server works on nothing any more. */
  public void awaitStopped() {
    Await.until("the server has stopped", () -> underWay.getAsLong() == 0);
  }

  /** Whether the server has come to the end of the search. */
  public boolean isAnswered() {
    return says(answered);
  }

  private boolean says(String what) {
    String line = "conn=" + connection + " " + what.replace("%s", operation);
    return Pattern.compile(line).matcher(log.get()).find();
  }
}
