// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

/** How a command ends. */
public enum ExitCode {
  /** Everything was done. */
  DONE(0, "done", "done"),
  /** Stoa answered that it does not do it, or it was not done for another reason. */
  REFUSED(1, "refused", "not done: Stoa refused it, or has no such thing; the message says why"),
  /** The command line is wrong. */
  USAGE(2, "usage", "wrong usage, or a password is needed and there is no terminal"),
  /** No connection, or no answer in time. */
  UNREACHABLE(3, "unreachable", "no connection: down, TLS, or no answer in time"),
  /** Stoa does not know who this is. */
  CREDENTIALS(4, "credentials", "the credentials were refused"),
  /** Somebody else answers, or a Stoa that cannot do this yet. */
  NOT_STOA(5, "not-stoa", "what answers is no Stoa, or too old for this command"),
  /** What was compared is not alike. */
  DIFFERS(6, "differs", "verify has found what differs from the directory"),
  /** What was to be compared could not be, or not all of it. */
  UNCOMPARED(
      7, "uncompared", "verify could not compare everything; what it has compared does not differ");

  private final int code;
  private final String word;
  private final String meaning;

  ExitCode(int code, String word, String meaning) {
    this.code = code;
    this.word = word;
    this.meaning = meaning;
  }

  /** What the shell sees. */
  public int code() {
    return code;
  }

  /** What programs see in the JSON of a failure. */
  public String word() {
    return word;
  }

  /** One line for people. */
  public String meaning() {
    return meaning;
  }
}
