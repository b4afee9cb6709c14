// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.Environment;
import io.stoa.cli.Stoactl;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.output.Field;
import io.stoa.cli.output.Shape;
import io.stoa.cli.output.Shapes;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The reference of stoactl follows from its commands. */
class StoactlDocsTest {
  private static final Pattern ATTRIBUTE = Pattern.compile("\"(stoa[A-Z]\\w*)\"");
  private static final String DOCUMENT = "docs/reference/stoactl.md";

  private final CommandLine stoactl = Stoactl.commandLine(new Environment(Map.of(), false));

  @Test
  void commands() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| command | effect |", "|---|---|"));
    add(stoactl, lines);
    GeneratedSection.check(DOCUMENT, "commands", lines);
  }

  private static void add(CommandLine command, List<String> lines) {
    CommandSpec spec = command.getCommandSpec();
    boolean runs = spec.userObject() instanceof Callable && command.getParent() != null;
    if (runs || command.getSubcommands().isEmpty()) {
      String what = String.join(" ", spec.usageMessage().description());
      lines.add("| `" + synopsis(spec).replace("|", "\\|") + "` | " + what + " |");
    }
    command.getSubcommands().values().forEach(one -> add(one, lines));
  }

  private static String synopsis(CommandSpec spec) {
    StringBuilder text = new StringBuilder(spec.qualifiedName().replace("stoactl ", ""));
    spec.positionalParameters().forEach(one -> text.append(' ').append(parameter(one)));
    spec.argGroups().forEach(group -> text.append(' ').append(group(group)));
    spec.options().stream()
        .filter(option -> !option.inherited() && !option.usageHelp() && !option.versionHelp())
        .filter(option -> option.group() == null)
        .forEach(option -> text.append(" [").append(option(option)).append(']'));
    return text.toString();
  }

  private static String parameter(ArgSpec parameter) {
    String label = parameter.paramLabel() + (parameter.arity().isVariable() ? "…" : "");
    return parameter.arity().min() == 0 ? "[" + label + "]" : label;
  }

  private static String group(ArgGroupSpec group) {
    return group.options().stream()
        .map(StoactlDocsTest::option)
        .collect(Collectors.joining(" | ", "(", ")"));
  }

  private static String option(OptionSpec option) {
    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    return option.longestName() + value;
  }

  @Test
  void options() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| option | meaning |", "|---|---|"));
    for (OptionSpec option : stoactl.getCommandSpec().options()) {
      String names = String.join(", ", option.names());
      String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      String what = String.join(" ", option.description()).replace("%%", "%");
      lines.add("| `" + names + value + "` | " + what + " |");
    }
    GeneratedSection.check(DOCUMENT, "options", lines);
  }

  @Test
  void exitCodes() throws IOException {
    List<String> lines =
        new ArrayList<>(List.of("| code | reason in JSON | meaning |", "|---|---|---|"));
    for (StoactlExitCode code : StoactlExitCode.values()) {
      String reason = code == StoactlExitCode.DONE ? "" : "`" + code.word() + "`";
      lines.add("| " + code.code() + " | " + reason + " | " + code.meaning() + " |");
    }
    GeneratedSection.check("docs/reference/exit-codes.md", "stoactl", lines);
  }

  @Test
  void shapes() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Shape shape : Shapes.ALL) {
      lines.addAll(List.of("", "### " + shape.title(), ""));
      lines.addAll(List.of("| field | JSON | meaning |", "|---|---|---|"));
      for (Field field : shape.fields()) {
        lines.add("| `" + field.name() + "` | " + field.kind() + " | " + field.meaning() + " |");
      }
    }
    lines.add("");
    GeneratedSection.check(DOCUMENT, "shapes", lines);
  }

  /** A name that the server does not have would be printed as an empty value. */
  @Test
  void theServerHasEachAttributeThatStoactlReads() throws IOException {
    StringBuilder pages = new StringBuilder();
    for (Path page : Repository.documents()) {
      pages.append(Files.readString(page));
    }
    Set<String> read = new TreeSet<>();
    for (Path source : Repository.mainSources()) {
      if (source.startsWith(Repository.root().resolve("admin-cli"))) {
        ATTRIBUTE
            .matcher(Files.readString(source))
            .results()
            .forEach(found -> read.add(found.group(1)));
      }
    }
    assertThat(read).hasSizeGreaterThan(50).allMatch(name -> pages.indexOf("`" + name + "`") >= 0);
  }
}
