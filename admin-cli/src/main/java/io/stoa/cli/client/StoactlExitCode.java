// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

/** Exit codes of a command. */
public enum StoactlExitCode {
  /** Everything was done. */
  DONE(0, "done", "done"),
  /** Stoa refused it, or it was not done for another reason. */
  REFUSED(1, "refused", "refused by Stoa, or not found; the message says why"),
  /** The command line is wrong. */
  USAGE(2, "usage", "wrong usage, or a password is required and there is no terminal"),
  /** No connection, or no answer in time. */
  UNREACHABLE(3, "unreachable", "no connection: down, TLS failure, or timeout"),
  /** The credentials were refused. */
  CREDENTIALS(4, "credentials", "the credentials were refused"),
  /** The server is not a Stoa, or too old for this command. */
  NOT_STOA(5, "not-stoa", "the server is not a Stoa, or too old for this command"),
  /** The comparison found differences. */
  DIFFERS(6, "differs", "audit found results that differ from the directory"),
  /** The comparison was incomplete, or impossible. */
  UNCOMPARED(
      7, "uncompared", "audit could not compare everything; the compared results do not differ");

  private final int code;
  private final String word;
  private final String meaning;

  StoactlExitCode(int code, String word, String meaning) {
    this.code = code;
    this.word = word;
    this.meaning = meaning;
  }

  /** Returns the exit code of the process. */
  public int code() {
    return code;
  }

  /** Returns the word for it in the JSON of a failure. */
  public String word() {
    return word;
  }

  /** Returns one line for users. */
  public String meaning() {
    return meaning;
  }
}
