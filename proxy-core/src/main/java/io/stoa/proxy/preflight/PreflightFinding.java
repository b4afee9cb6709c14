// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import java.util.Locale;

/**
 * The result of one check.
 *
 * <p>Threading: immutable.
 *
 * @param subject the checked server, directory or process
 * @param check the name of the check
 * @param text the observation, without any secret
 * @param remedy the action that helps; empty if none is needed
 */
public record PreflightFinding(
    String subject, String check, CheckOutcome outcome, String text, String remedy) {
  /** Maximum number of characters of a text: 600. Servers choose parts of it. */
  private static final int MAX_TEXT = 600;

  public PreflightFinding {
    text = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }

  /**
   * Outcome of a check.
   *
   * <p>Threading: immutable.
   */
  public enum CheckOutcome {
    /** The check passed. */
    OK,
    /** The check passed; the text has a limitation to know. */
    NOTE,
    /** Stoa would run with less than the configuration promises. */
    WARNING,
    /** Stoa or one of its servers would not work. */
    FAILED,
    /** The check was not possible, because an earlier one failed. */
    SKIPPED;

    /** Returns the word for users. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
