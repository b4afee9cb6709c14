// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

/** Exit codes of the process. */
enum ExitCode {
  OK(0, "success, or ended by SIGTERM or SIGINT"),
  FAILURE(1, "failure at run time"),
  USAGE(2, "wrong command line"),
  CONFIGURATION(3, "the configuration is invalid or cannot be read"),
  LISTEN(4, "an address cannot be listened on"),
  PROBE(5, "a check of check-config --probe failed");

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
