// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.cli.CompletionNames;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completion for zsh: one function for each command, made of {@code _arguments}. Threading:
 * confined to one thread.
 */
final class ZshCompletion {
  /** Function that completes names of a kind that the running Stoa has. */
  private static final String NAMES =
      """

      %s() {
        local -a names=(${(f)"$(%s)"})
        compadd -a names
      }
      """
          .formatted(CompletionNames.FUNCTION, CompletionNames.COMMAND);

  private final StringBuilder out = new StringBuilder();

  private ZshCompletion() {}

  /** Returns the file of a command. */
  static String of(CommandLine command) {
    ZshCompletion completion = new ZshCompletion();
    completion.out.append("#compdef ").append(command.getCommandName()).append('\n');
    completion.out.append("# SPDX-License-Identifier: Apache-2.0\n");
    completion.function(command);
    if (completion.out.indexOf(CompletionNames.FUNCTION) >= 0) {
      completion.out.append(NAMES);
    }
    completion.out.append('\n').append(name(command)).append(" \"$@\"\n");
    return completion.out.toString();
  }

  private static String name(CommandLine command) {
    return "_" + command.getCommandSpec().qualifiedName("_").replace('-', '_');
  }

  private void function(CommandLine command) {
    List<CommandLine> children = CommandTexts.subcommands(command);
    children.forEach(this::function);
    out.append('\n').append(name(command)).append("() {\n");
    if (!children.isEmpty()) {
      out.append("  local context curcontext=\"$curcontext\" state state_descr line\n");
      out.append("  typeset -A opt_args\n");
    }
    out.append("  _arguments").append(children.isEmpty() ? " -S" : " -C");
    CommandTexts.options(command).forEach(option -> argument(option(option)));
    if (children.isEmpty()) {
      CommandSpec spec = command.getCommandSpec();
      spec.positionalParameters().forEach(one -> argument(parameter(spec, one)));
      out.append("\n}\n");
    } else {
      argument("'1: :->command'");
      argument("'*:: :->argument'");
      out.append('\n');
      dispatch(children);
      out.append("}\n");
    }
  }

  private void argument(String argument) {
    out.append(" \\\n    ").append(argument);
  }

  private void dispatch(List<CommandLine> children) {
    out.append("  case $state in\n    command)\n      local -a commands=(\n");
    for (CommandLine child : children) {
      String description =
          CommandTexts.firstSentence(CommandTexts.description(child.getCommandSpec()));
      String entry = child.getCommandName() + ":" + description;
      out.append("        '").append(quoted(entry)).append("'\n");
    }
    out.append("      )\n      _describe command commands\n      ;;\n    argument)\n");
    out.append("      case $words[1] in\n");
    for (CommandLine child : children) {
      out.append("        ").append(child.getCommandName()).append(") ").append(name(child));
      out.append(" ;;\n");
    }
    out.append("      esac\n      ;;\n  esac\n");
  }

  /** Returns the specification of an option; all of its names exclude each other. */
  private static String option(OptionSpec option) {
    boolean repeated = option.isMultiValue();
    String names = String.join(" ", option.names());
    String exclusion = repeated ? "'*'" : "'(" + names + ")'";
    String[] all = option.names();
    String alternatives =
        all.length == 1 ? all[0] : Stream.of(all).collect(Collectors.joining(",", "{", "}"));
    String text =
        "'["
            + quoted(bracketed(CommandTexts.firstSentence(CommandTexts.description(option))))
            + "]";
    String value = CommandTexts.hasValue(option) ? ":" + value(option) : "";
    return exclusion + alternatives + text + value + "'";
  }

  private static String parameter(CommandSpec command, PositionalParamSpec parameter) {
    String position = parameter.arity().isVariable() ? "*" : "";
    String optional = parameter.arity().min() == 0 && position.isEmpty() ? ":" : "";
    String kind = CompletionNames.kindOf(command, parameter);
    String value =
        kind == null
            ? value(parameter)
            : label(parameter) + ": " + CompletionNames.FUNCTION + " " + kind;
    return "'" + position + ":" + optional + value + "'";
  }

  /** Returns the label of a value, and the action that completes it. */
  private static String value(ArgSpec argument) {
    String label = label(argument);
    List<String> values = CommandTexts.values(argument);
    if (!values.isEmpty()) {
      return label + ":(" + quoted(String.join(" ", values)) + ")";
    }
    return label + (CommandTexts.isFile(argument) ? ":_files" : ": ");
  }

  private static String label(ArgSpec argument) {
    return quoted(argument.paramLabel().replace(":", "\\:"));
  }

  private static String bracketed(String text) {
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]");
  }

  private static String quoted(String text) {
    return text.replace("'", "'\\''");
  }
}
