// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command has found out or done, for programs and for people. Immutable.
 *
 * @param json in the order of the documentation
 * @param lines safe for a terminal
 */
public record Report(Map<String, @Nullable Object> json, List<String> lines) {
  /** What was done, in the words of the server. */
  public static Report done(String action, String target, String message) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("done", action);
    json.put("target", target);
    json.put("message", message);
    String words = message.isBlank() ? action + " " + target + ": done" : message;
    return new Report(json, List.of(Printable.of(words)));
  }

  /** Why something was not done. */
  public static String failure(int code, String reason, String message, @Nullable Integer result) {
    Map<String, @Nullable Object> error = new LinkedHashMap<>();
    error.put("code", code);
    error.put("reason", reason);
    error.put("message", message);
    error.put("resultCode", result);
    return Json.of(Map.of("error", error));
  }

  /** As it is printed. */
  public String print(boolean asJson) {
    return asJson ? Json.of(json) : String.join(System.lineSeparator(), lines);
  }
}
