// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of a command, for programs and for users.
 *
 * <p>Threading: immutable.
 *
 * @param json values in the order of the documentation
 * @param lines lines safe for a terminal
 */
public record Report(Map<String, @Nullable Object> json, List<String> lines) {
  /** Creates the report of an action, with the server's message. */
  public static Report done(String action, String target, String message) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("done", action);
    json.put("target", target);
    json.put("message", message);
    String words = message.isBlank() ? action + " " + target + ": done" : message;
    return new Report(json, List.of(Printable.of(words)));
  }

  /** Returns a failure as JSON. */
  public static String failure(int code, String reason, String message, @Nullable Integer result) {
    Map<String, @Nullable Object> error = new LinkedHashMap<>();
    error.put("code", code);
    error.put("reason", reason);
    error.put("message", message);
    error.put("resultCode", result);
    return Json.of(Map.of("error", error));
  }

  /** Returns the report as JSON or as lines. */
  public String print(boolean asJson) {
    return asJson ? Json.of(json) : String.join(System.lineSeparator(), lines);
  }
}
