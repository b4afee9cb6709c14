// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The texts of picocli's model in plain form. Threading: stateless. */
final class CommandTexts {
  private CommandTexts() {}

  /** Returns the description of a command in one line. */
  static String description(CommandSpec spec) {
    return plain(spec.usageMessage().description());
  }

  /** Returns the description of an option or parameter in one line. */
  static String description(ArgSpec argument) {
    return plain(argument.description());
  }

  /** Returns the first sentence of a description, for a list of choices. */
  static String firstSentence(String description) {
    int end = description.indexOf(". ");
    String sentence = end < 0 ? description : description.substring(0, end);
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /** Resolves the two format specifiers that picocli's texts may contain. */
  private static String plain(String... lines) {
    return String.join(" ", lines).replace("%n", " ").replace("%%", "%").strip();
  }

  /** Returns the visible subcommands, in their order. */
  static List<CommandLine> subcommands(CommandLine command) {
    return command.getSubcommands().values().stream()
        .distinct()
        .filter(one -> !one.getCommandSpec().usageMessage().hidden())
        .toList();
  }

  /** Returns the visible options of a command, also those that subcommands inherit. */
  static List<OptionSpec> options(CommandLine command) {
    return command.getCommandSpec().options().stream().filter(one -> !one.hidden()).toList();
  }

  /** Returns the options that a command does not inherit, without those for help. */
  static List<OptionSpec> ownOptions(CommandLine command) {
    return options(command).stream()
        .filter(one -> !one.inherited() && !one.usageHelp() && !one.versionHelp())
        .toList();
  }

  /** Returns the synopsis of a command: its name, parameters and own options. */
  static String synopsis(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    List<String> words = new ArrayList<>(List.of(spec.qualifiedName()));
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      String label = parameter.paramLabel() + (parameter.arity().isVariable() ? "..." : "");
      words.add(parameter.arity().min() == 0 ? "[" + label + "]" : label);
    }
    spec.argGroups().forEach(group -> words.add(group(group)));
    ownOptions(command).stream()
        .filter(option -> option.group() == null)
        .forEach(option -> words.add("[" + withValue(option.longestName(), option) + "]"));
    return String.join(" ", words);
  }

  private static String group(ArgGroupSpec group) {
    return group.options().stream()
        .map(option -> withValue(option.longestName(), option))
        .collect(Collectors.joining(" | ", "(", ")"));
  }

  /** Returns the name of an option with the label of its value, if it has one. */
  static String withValue(String name, OptionSpec option) {
    return hasValue(option) ? name + " " + option.paramLabel() : name;
  }

  /** True if the option takes a value. */
  static boolean hasValue(OptionSpec option) {
    return option.arity().max() > 0;
  }

  /** True if the values are names of files. */
  static boolean isFile(ArgSpec argument) {
    return argument.type() == Path.class || argument.auxiliaryTypes()[0] == Path.class;
  }

  /** Returns the possible values; empty if they are not known. */
  static List<String> values(ArgSpec argument) {
    Iterable<String> candidates = argument.completionCandidates();
    if (candidates == null) {
      return List.of();
    }
    List<String> values = new ArrayList<>();
    for (Iterator<String> each = candidates.iterator(); each.hasNext(); ) {
      values.add(each.next());
    }
    return values;
  }
}
