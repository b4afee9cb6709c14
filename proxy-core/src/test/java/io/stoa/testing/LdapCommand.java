// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The commands of OpenLDAP, as administrators use them. Stateless. */
public final class LdapCommand {
  private static final int SECONDS = 60;

  private LdapCommand() {}

  /** What a command printed, and how it ended. */
  public record Output(int code, String text) {}

  /**
   * Runs a command that trusts an authority.
   *
   * @param command its name and arguments
   */
  public static Output run(Path authority, String... command) {
    return run(
        Map.of("LDAPTLS_CACERT", authority.toString(), "LDAPTLS_REQCERT", "demand"), command);
  }

  /**
   * Runs a command.
   *
   * @param environment the variables that it gets beside those of this process
   * @param command its name and arguments
   */
  public static Output run(Map<String, String> environment, String... command) {
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(command)));
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true);
    try {
      Process process = Leftovers.start(builder);
      process.getOutputStream().close();
      byte[] text = process.getInputStream().readAllBytes();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command[0] + " does not end");
      }
      return new Output(process.exitValue(), new String(text, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
