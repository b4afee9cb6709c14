// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

/**
 * The effect of a reload on one key.
 *
 * <p>Threading: immutable.
 *
 * @param from the present value; empty for secrets and structures
 * @param to the value of the file; empty for secrets and structures
 */
public record ReloadEffect(EffectKind kind, String key, String from, String to) {
  /** Kinds of effects. */
  public enum EffectKind {
    /** The value of the file takes effect at once. */
    APPLIED("applied"),
    /** The value of the file takes effect at the next start. */
    RESTART("restart"),
    /** A change made through {@code cn=configuration} stays in effect. */
    OVERRIDDEN("overridden");

    private final String word;

    EffectKind(String word) {
      this.word = word;
    }
  }

  /** Returns the effect as one line: kind, key, present value and new value, separated by tabs. */
  public String line() {
    return String.join("\t", kind.word, key, plain(from), plain(to));
  }

  private static String plain(String value) {
    return value.replaceAll("\\p{C}", " ");
  }
}
