// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An I/O failure whose message is Stoa's own text for administrators. {@link FailureText} repeats
 * the message; it replaces those of other exceptions.
 *
 * <p>Threading: immutable.
 */
public class DescribedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates the failure. The message contains no text of another exception. */
  public DescribedException(String message) {
    this(message, null);
  }

  /** Creates the failure with the exception that led to it. */
  public DescribedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
