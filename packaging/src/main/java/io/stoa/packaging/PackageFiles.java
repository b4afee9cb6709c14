// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.cli.CompletionNames;
import io.stoa.cli.Environment;
import io.stoa.cli.Stoactl;
import io.stoa.server.StoaCommand;
import io.stoa.server.config.DefaultsPrinter;
import io.stoa.server.config.SchemaPrinter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** Writes all generated files of the packages. Threading: stateless. */
public final class PackageFiles {
  private PackageFiles() {}

  /**
   * Writes the files.
   *
   * @param args the directory to write to, and the version of Stoa
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      throw new IllegalArgumentException("usage: PackageFiles DIRECTORY VERSION");
    }
    Path directory = Path.of(args[0]);
    String version = args[1];
    CommandLine stoa = StoaCommand.commandLine();
    CommandLine stoactl = Stoactl.commandLine(new Environment(Map.of(), false));
    Path man = directory.resolve("man");
    write(man.resolve("stoa.1"), CommandManual.of(stoa, version, ManualSections.STOA));
    write(man.resolve("stoactl.1"), CommandManual.of(stoactl, version, ManualSections.STOACTL));
    write(man.resolve("stoa.yaml.5"), ConfigurationManual.of(version));
    for (CommandLine command : List.of(stoa, stoactl)) {
      writeCompletion(directory.resolve("completion"), command);
    }
    write(directory.resolve("stoa.yaml"), DefaultsPrinter.print());
    write(directory.resolve("stoa.schema.json"), SchemaPrinter.print());
  }

  private static void writeCompletion(Path directory, CommandLine command) throws IOException {
    String name = command.getCommandName();
    write(directory.resolve(name + ".bash"), withoutHead(CompletionNames.bash(command)));
    write(directory.resolve("_" + name), ZshCompletion.of(command));
    write(directory.resolve(name + ".fish"), FishCompletion.of(command));
  }

  /** Removes picocli's comment at the top, which tells how to install the script by hand. */
  private static String withoutHead(String script) {
    return script
        .lines()
        .dropWhile(line -> line.startsWith("#") || line.isEmpty())
        .map(line -> line + "\n")
        .collect(Collectors.joining("", "# SPDX-License-Identifier: Apache-2.0\n", ""));
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, text);
  }
}
