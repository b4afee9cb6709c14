// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import io.stoa.net.transport.LogLimit;
import org.slf4j.Logger;

/**
 * Logs each change by an administrator, and each refused one. A line has a bounded length, whatever
 * the client sent. Lines about refusals are limited per second, as clients can cause any number of
 * them.
 *
 * <p>Threading: thread-safe.
 */
public final class Audit {
  private static final int MAX_LETTERS = 4000;

  private final Logger log;
  private final LogLimit refusals;

  /** Creates an audit trail in a log. */
  public Audit(Logger log) {
    this.log = log;
    this.refusals = new LogLimit(log);
  }

  /** Logs a change that was made. */
  public void logChange(String change, Author author) {
    log.info("{} ({})", printable(change), author);
  }

  /**
   * Logs a change that was refused.
   *
   * @param entry name of the entry to be changed
   * @param message diagnostic message of the result; contains no secret values
   */
  public void logRefusal(String entry, int code, String message, Author author) {
    String reason = message.isEmpty() ? "" : ": " + message;
    refusals.info("{}: refused with {}{} ({})", printable(entry), code, printable(reason), author);
  }

  private static String printable(String text) {
    String cut = text.length() <= MAX_LETTERS ? text : text.substring(0, MAX_LETTERS) + "…";
    return cut.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
  }
}
