// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/** Lines on the standard output. Threading: confined to the thread of one log. */
final class StdoutDestination implements LogDestination {
  private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

  @Override
  public void write(byte[] octets, int length) throws IOException {
    out.write(octets, 0, length);
  }

  @Override
  public String toString() {
    return "standard output";
  }

  @Override
  public void close() {
    // the standard output belongs to the process
  }
}
