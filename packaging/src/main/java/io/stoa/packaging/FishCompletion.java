// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.cli.CompletionNames;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completion for fish: one line for each subcommand, option and parameter. Threading: confined to
 * one thread.
 */
final class FishCompletion {
  /** Function that prints names of a kind that the running Stoa has. */
  private static final String NAMES =
      "function %s\n    %s\nend\n"
          .formatted(CompletionNames.FUNCTION, CompletionNames.COMMAND.replace("$1", "$argv[1]"));

  private final StringBuilder out = new StringBuilder("# SPDX-License-Identifier: Apache-2.0\n");
  private final String name;

  private FishCompletion(String name) {
    this.name = name;
  }

  /** Returns the file of a command. */
  static String of(CommandLine command) {
    FishCompletion completion = new FishCompletion(command.getCommandName());
    completion.out.append("complete -c ").append(completion.name).append(" -f\n");
    for (OptionSpec option : CommandTexts.options(command)) {
      completion.option("", option);
    }
    completion.children(command, List.of());
    String script = completion.out.toString();
    return script.contains(CompletionNames.FUNCTION) ? script + NAMES : script;
  }

  private void children(CommandLine command, List<String> path) {
    List<CommandLine> children = CommandTexts.subcommands(command);
    String condition = condition(path, children);
    for (CommandLine child : children) {
      String description =
          CommandTexts.firstSentence(CommandTexts.description(child.getCommandSpec()));
      line(condition, "-a " + child.getCommandName() + " -d " + quoted(description));
    }
    for (CommandLine child : children) {
      List<String> below = new ArrayList<>(path);
      below.add(child.getCommandName());
      String inside = condition(below, List.of());
      CommandTexts.ownOptions(child).forEach(option -> option(inside, option));
      CommandSpec spec = child.getCommandSpec();
      spec.positionalParameters().forEach(one -> parameter(inside, spec, one));
      children(child, below);
    }
  }

  /** Returns the condition that the words contain a path, and none of the commands below it. */
  private static String condition(List<String> path, List<CommandLine> children) {
    List<String> conditions = new ArrayList<>();
    path.forEach(word -> conditions.add("__fish_seen_subcommand_from " + word));
    if (!children.isEmpty()) {
      List<String> names = children.stream().map(CommandLine::getCommandName).toList();
      conditions.add("not __fish_seen_subcommand_from " + String.join(" ", names));
    }
    return String.join("; and ", conditions);
  }

  private void option(String condition, OptionSpec option) {
    StringBuilder arguments = new StringBuilder();
    for (String one : option.names()) {
      arguments.append(one.startsWith("--") ? "-l " : one.length() == 2 ? "-s " : "-o ");
      arguments.append(one.replaceFirst("^--?", "")).append(' ');
    }
    List<String> values = CommandTexts.values(option);
    if (CommandTexts.hasValue(option)) {
      arguments.append(CommandTexts.isFile(option) ? "-r -F " : "-x ");
    }
    if (!values.isEmpty()) {
      arguments.append("-a ").append(quoted(String.join(" ", values))).append(' ');
    }
    line(
        condition,
        arguments + "-d " + quoted(CommandTexts.firstSentence(CommandTexts.description(option))));
  }

  private void parameter(String condition, CommandSpec command, PositionalParamSpec parameter) {
    List<String> values = CommandTexts.values(parameter);
    String kind = CompletionNames.kindOf(command, parameter);
    if (kind != null) {
      line(condition, "-a " + quoted("(" + CompletionNames.FUNCTION + " " + kind + ")"));
    } else if (!values.isEmpty()) {
      line(condition, "-a " + quoted(String.join(" ", values)));
    } else if (CommandTexts.isFile(parameter)) {
      line(condition, "-F");
    }
  }

  private void line(String condition, String arguments) {
    out.append("complete -c ").append(name);
    if (!condition.isEmpty()) {
      out.append(" -n ").append(quoted(condition));
    }
    out.append(' ').append(arguments).append('\n');
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
