// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command with all of its subcommands. Threading: confined to one thread. */
final class CommandManual {
  private final CommandLine command;
  private final Troff page;

  private CommandManual(CommandLine command, String version) {
    this.command = command;
    this.page = new Troff(command.getCommandName(), 1, version);
  }

  /** Returns the page, with sections that the model does not contain. */
  static String of(CommandLine command, String version, ManualSections more) {
    CommandManual manual = new CommandManual(command, version);
    manual.head(more);
    manual.commands();
    manual.exitCodes();
    more.addTo(manual.page);
    return manual.page.toString();
  }

  private void head(ManualSections more) {
    CommandSpec spec = command.getCommandSpec();
    page.section("NAME").text(command.getCommandName() + " - " + more.summary());
    page.section("SYNOPSIS").bold(command.getCommandName() + " [OPTION...] COMMAND");
    page.section("DESCRIPTION").text(CommandTexts.description(spec));
    more.description().forEach(page::paragraph);
    page.section("OPTIONS");
    CommandTexts.options(command).forEach(this::option);
  }

  private void commands() {
    page.section("COMMANDS");
    leaves(command).forEach(this::command);
  }

  private static Stream<CommandLine> leaves(CommandLine command) {
    List<CommandLine> children = CommandTexts.subcommands(command);
    return children.isEmpty()
        ? Stream.of(command)
        : children.stream().flatMap(CommandManual::leaves);
  }

  private void command(CommandLine leaf) {
    CommandSpec spec = leaf.getCommandSpec();
    String prefix = command.getCommandName() + " ";
    page.subsection(spec.qualifiedName().substring(prefix.length()));
    page.bold(CommandTexts.synopsis(leaf));
    page.paragraph(CommandTexts.description(spec));
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      page.term(parameter.paramLabel(), CommandTexts.description(parameter));
    }
    CommandTexts.ownOptions(leaf).forEach(this::option);
  }

  private void option(OptionSpec option) {
    String names =
        Stream.of(option.names())
            .map(name -> CommandTexts.withValue(name, option))
            .collect(Collectors.joining(", "));
    page.term(names, CommandTexts.description(option));
  }

  private void exitCodes() {
    page.section("EXIT STATUS");
    command.getCommandSpec().usageMessage().exitCodeList().forEach(page::term);
  }
}
