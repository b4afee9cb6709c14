// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import io.stoa.net.transport.InvalidConfigException;
import io.stoa.write.WindowConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An administrator's setting for when a write window closes. The setting overrides the window's own
 * definition.
 *
 * <p>Threading: immutable.
 *
 * @param window name of the window
 * @param every time from its first write until it closes; empty leaves it unchanged
 * @param maxOperations number of waiting writes at which it closes; empty leaves it unchanged
 */
public record WindowOverride(String window, Optional<Duration> every, OptionalInt maxOperations) {
  private static final String SETTING = "windowOverrides";
  private static final String FORM = "must have the form NAME [every TIME] [maxOperations NUMBER]";
  private static final String EVERY = "every";
  private static final String MAX = "maxOperations";
  private static final int MAX_DIGITS = 5;

  /**
   * Parses {@code NAME [every TIME] [maxOperations NUMBER]}. A name may contain spaces.
   *
   * @param time parses the time
   * @throws IllegalArgumentException if the text has another form
   */
  public static WindowOverride parse(String text, Function<String, Duration> time) {
    List<String> words = new ArrayList<>(List.of(text.strip().split(" +")));
    OptionalInt max =
        removeKeyword(words, MAX, text).map(WindowOverride::number).orElse(OptionalInt.empty());
    Optional<Duration> every = removeKeyword(words, EVERY, text).map(time);
    if (words.isEmpty() || (every.isEmpty() && max.isEmpty())) {
      throw new IllegalArgumentException("'" + text + "' " + FORM);
    }
    return new WindowOverride(String.join(" ", words), every, max);
  }

  /** Removes a keyword and its value from the end, and returns the value. */
  private static Optional<String> removeKeyword(List<String> words, String keyword, String text) {
    int at = words.size() - 2;
    if (at < 0 || !words.get(at).equals(keyword)) {
      return Optional.empty();
    }
    String value = words.remove(at + 1);
    words.remove(at);
    if (words.isEmpty()) {
      throw new IllegalArgumentException("'" + text + "' " + FORM);
    }
    return Optional.of(value);
  }

  private static OptionalInt number(String text) {
    if (!text.matches("\\d{1," + MAX_DIGITS + "}")) {
      throw new IllegalArgumentException("maxOperations '" + text + "' is not a number");
    }
    return OptionalInt.of(Integer.parseInt(text));
  }

  /**
   * Returns the windows with these settings applied.
   *
   * @throws IllegalArgumentException if a setting names an unknown window, a window is named twice,
   *     or a value is out of bounds
   */
  public static List<WindowConfig> apply(
      List<WindowConfig> windows, List<WindowOverride> overrides) {
    long different = overrides.stream().map(WindowOverride::window).distinct().count();
    refuse(different < overrides.size(), SETTING, " contains a window twice");
    overrides.forEach(one -> one.check(windows));
    BiFunction<WindowConfig, WindowOverride, WindowConfig> applied =
        (window, one) -> one.window.equals(window.name()) ? one.applied(window) : window;
    return windows.stream()
        .map(window -> overrides.stream().reduce(window, applied, (first, second) -> second))
        .toList();
  }

  /** True if the setting is for one of these windows. */
  public boolean appliesToAny(List<WindowConfig> windows) {
    return windows.stream().anyMatch(one -> one.name().equals(window));
  }

  private void check(List<WindowConfig> windows) {
    if (!appliesToAny(windows)) {
      String names = windows.stream().map(WindowConfig::name).collect(Collectors.joining(", "));
      throw new InvalidConfigException(
          SETTING,
          " '"
              + window
              + "' is not the name of a write window; defined are: "
              + (names.isEmpty() ? "none" : names));
    }
  }

  private WindowConfig applied(WindowConfig config) {
    try {
      return config.closing(
          every.orElse(config.every()), maxOperations.orElse(config.maxOperations()));
    } catch (InvalidConfigException e) {
      throw new InvalidConfigException(SETTING, " '" + window + "': " + e.getMessage());
    }
  }

  /**
   * Returns the text that {@link #parse} reads.
   *
   * @param time prints the time
   */
  public String print(Function<Duration, String> time) {
    return window
        + every.map(after -> " " + EVERY + " " + time.apply(after)).orElse("")
        + (maxOperations.isPresent() ? " " + MAX + " " + maxOperations.getAsInt() : "");
  }
}
