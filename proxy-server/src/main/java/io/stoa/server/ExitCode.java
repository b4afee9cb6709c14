// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

/** Exit codes of the process. */
enum ExitCode {
  OK(0, "done, or ended by SIGTERM or SIGINT as asked"),
  FAILURE(1, "failed while running"),
  USAGE(2, "wrong command line"),
  CONFIGURATION(3, "the configuration has mistakes or cannot be read"),
  LISTEN(4, "an address cannot be listened on");

  private final int code;
  private final String meaning;

  ExitCode(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  int code() {
    return code;
  }

  String meaning() {
    return meaning;
  }
}
