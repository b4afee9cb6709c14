// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.administrator;

import io.stoa.origin.LocalUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The users of this machine who could do to Stoa whatever they like anyway. Immutable. */
final class OwnUser {
  private static final int ROOT = 0;
  private static final int UNKNOWN = -1;
  private static final int OWN = uid();

  private OwnUser() {}

  /** Whether somebody is root, or the user as whom Stoa runs. */
  static boolean is(@Nullable LocalUser user) {
    return user != null && (user.uid() == ROOT || (user.uid() == OWN && OWN != UNKNOWN));
  }

  private static int uid() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return UNKNOWN;
    }
  }
}
