// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.stoa.net.transport.DescribedException;
import org.jspecify.annotations.Nullable;

/**
 * A certificate or key that cannot be used. The message names the file and the remedy.
 *
 * <p>Threading: immutable.
 */
public final class TlsException extends DescribedException {
  private static final long serialVersionUID = 1L;

  TlsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
