// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The programme in another language, run to its end. Immutable.
 *
 * @param interpreter the one that has the library: not whatever is first on the PATH
 * @param script its name among the resources
 * @param packages what Debian calls what it needs
 */
record ScriptProgramme(String interpreter, String script, String packages) {
  private static final int PATIENCE_SECONDS = 60;

  Transcript run(Target target) throws IOException, InterruptedException {
    Path directory = Leftovers.directory("stoa-client");
    Path output = directory.resolve("output");
    try {
      int exitCode = run(target, output);
      String text = Files.readString(output);
      if (exitCode != 0) {
        throw new AssertionError(script + " ended with " + exitCode + ": " + text + needs());
      }
      return new Transcript(text);
    } finally {
      Leftovers.delete(directory);
    }
  }

  private int run(Target target, Path output) throws IOException, InterruptedException {
    if (!Files.isExecutable(Path.of(interpreter))) {
      throw new AssertionError(interpreter + " is missing." + needs());
    }
    Process process = start(target, output);
    try {
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return ended ? process.exitValue() : -1;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private Process start(Target target, Path output) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                interpreter,
                path(),
                target.kind().argument(),
                Integer.toString(target.port()),
                target.certificates().ca().toString(),
                target.schema()));
    builder.redirectInput(Path.of("/dev/null").toFile());
    return Leftovers.start(builder.redirectErrorStream(true).redirectOutput(output.toFile()));
  }

  private String path() {
    try {
      return Path.of(ScriptProgramme.class.getResource("/clients/" + script).toURI()).toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private String needs() {
    return "\nIt needs "
        + packages
        + ": ./dev test installs them (Debian: apt-get install "
        + packages
        + ").";
  }
}
