// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import java.util.Locale;

/** The logs of operations. */
public enum LogKind {
  /** Connections and operations of clients. */
  ACCESS,
  /** Writes, with their values. */
  AUDIT;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** Returns the word for logs and labels. */
  public String word() {
    return word;
  }
}
