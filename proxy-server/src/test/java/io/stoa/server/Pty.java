// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a command on a terminal of its own, at which somebody types. Stateless. */
final class Pty {
  /** Each step is what is waited for, and what is typed then. */
  private static final String SCRIPT =
      """
      import os, pty, select, sys, time
      end = sys.argv.index('--')
      steps, command = sys.argv[1:end], sys.argv[end + 1:]
      pid, terminal = pty.fork()
      if pid == 0:
          os.execvp(command[0], command)
      out, seen, deadline = b'', 0, time.time() + 50
      while time.time() < deadline:
          if steps and steps[0].encode() in out[seen:]:
              seen = len(out)
              os.write(terminal, steps[1].encode())
              steps = steps[2:]
          if select.select([terminal], [], [], 0.05)[0]:
              try:
                  data = os.read(terminal, 65536)
              except OSError:
                  break
              if not data:
                  break
              out += data
      else:
          os.kill(pid, 9)
          out += b' (does not end)'
      sys.stdout.buffer.write(out)
      sys.stdout.flush()
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
      """;

  private Pty() {}

  /**
   * Runs stoactl.
   *
   * @param steps what is waited for, what is typed then, and so on
   */
  static CommandRun stoactl(List<String> steps, String... arguments) {
    return run(steps, "exec \"$@\"", arguments);
  }

  /** The same by a line of the shell, which has the command as its arguments. */
  static CommandRun run(List<String> steps, String line, String... arguments) {
    List<String> command = new ArrayList<>(List.of("python3", "-c", SCRIPT));
    command.addAll(steps);
    command.addAll(List.of("--", "env", "--default-signal=INT", "sh", "-c", line, "sh"));
    command.addAll(stoactl(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("TERM", "xterm");
    return CommandRun.of(builder);
  }

  /** The command line of stoactl on a terminal. */
  static List<String> stoactl(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dstoactl.terminal=true", "-cp"));
    command.addAll(List.of(System.getProperty("java.class.path"), "io.stoa.cli.Stoactl"));
    command.addAll(List.of(arguments));
    return command;
  }
}
