// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import io.stoa.net.transport.LogLimit;
import org.slf4j.Logger;

/**
 * The lines of the log about who has changed what, and who was not let. Refusals can be caused as
 * often as somebody likes, so there are not many of them in a second. Each is one line of bounded
 * length, whatever the client sent. Thread-safe.
 */
public final class Audit {
  private static final int MOST_LETTERS = 1000;

  private final Logger log;
  private final LogLimit refusals;

  /** Writes to a logger. */
  public Audit(Logger log) {
    this.log = log;
    this.refusals = new LogLimit(log);
  }

  /** Somebody has changed something. */
  public void done(String what, Author author) {
    log.info("{} ({})", printable(what), author);
  }

  /**
   * Somebody wanted to.
   *
   * @param entry what was to be changed or told something
   * @param message what the result says of it; no values that are secrets
   */
  public void refused(String entry, int code, String message, Author author) {
    String why = message.isEmpty() ? "" : ": " + message;
    refusals.info("{}: refused with {}{} ({})", printable(entry), code, printable(why), author);
  }

  private static String printable(String text) {
    String cut = text.length() <= MOST_LETTERS ? text : text.substring(0, MOST_LETTERS) + "…";
    return cut.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
  }
}
