// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.CompleteCommand.NameKind;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completion of names that only a running Stoa knows: servers, keys, classes, feeds, windows and
 * parts of the log. Completion scripts get them from {@code stoactl complete}, within three
 * seconds. Without an answer they complete nothing, and print nothing.
 *
 * <p>Threading: stateless.
 */
public final class CompletionNames {
  /** Name of the function of each script. The argument is the kind of names. */
  public static final String FUNCTION = "_stoactl_names";

  /** Command that prints the names of the kind in the variable {@code $1} of a shell. */
  public static final String COMMAND = "timeout 3 stoactl complete \"$1\" </dev/null 2>/dev/null";

  private static final String PLACE = "    local positionals=\"\"\n";

  /** Kinds of the first parameter, by its label and its command or group of commands. */
  private static final Map<String, NameKind> KINDS =
      Map.of(
          "backends SERVER", NameKind.SERVERS,
          "classes NAME", NameKind.CLASSES,
          "restore NAME", NameKind.CLASSES,
          "feeds NAME", NameKind.FEEDS,
          "windows NAME", NameKind.WINDOWS,
          "config KEY", NameKind.KEYS,
          "log PART", NameKind.PARTS);

  private static final String BASH =
      """

      # Completes names of a kind that the running Stoa has, after the word $2 or after any word.
      # Readline ends a word at each : and =.
      function %s() {
        local line="${COMP_LINE:0:COMP_POINT}" word head name
        word="${line##*[[:space:]]}"
        head="${word%%"${word##*[:=]}"}"
        line="${line%%"${word}"}"
        [[ -z "$2" || "${line%%"${line##*[![:space:]]}"}" == *[[:space:]]"$2" ]] || return 1
        COMPREPLY=()
        while IFS= read -r name; do
          [[ "${name}" == "${word}"* ]] || continue
          name="${name#"${head}"}"
          [[ "${name}" != *[^[:alnum:].,:=/_+@-]* ]] || name="$(printf '%%q' "${name}")"
          COMPREPLY+=("${name}")
        done < <(%s)
      }
      """
          .formatted(FUNCTION, COMMAND);

  private CompletionNames() {}

  /** Returns the kind of names of a parameter; null if its names are not known to Stoa. */
  public static @Nullable String kindOf(CommandSpec command, PositionalParamSpec parameter) {
    CommandLine group = command.parent() == null ? null : command.parent().commandLine();
    String above = group == null ? "" : group.getCommandName();
    return Stream.of(command.name(), above)
        .flatMap(name -> Stream.ofNullable(KINDS.get(name + " " + parameter.paramLabel())))
        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
        .findFirst()
        .orElse(null);
  }

  /** Returns the completion script for bash of a command. */
  public static String bash(CommandLine command) {
    String name = command.getCommandName();
    String script = withNames(AutoComplete.bash(name, command), command, "_picocli_" + name);
    return script.contains(FUNCTION) ? script.stripTrailing() + "\n" + BASH : script;
  }

  private static String withNames(String script, CommandLine command, String function) {
    String result = script;
    for (CommandLine child : command.getSubcommands().values()) {
      result = withNames(result, child, function + "_" + child.getCommandName().replace('-', '_'));
    }
    CommandSpec spec = command.getCommandSpec();
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      String kind = kindOf(spec, parameter);
      if (kind != null) {
        String after = parameter.arity().isVariable() ? "''" : spec.name();
        result = insert(result, function, "    " + FUNCTION + " " + kind + " " + after);
      }
    }
    return result;
  }

  /** Inserts a line that ends a function of the script if it succeeds. */
  private static String insert(String script, String function, String call) {
    int start = script.indexOf("\nfunction " + function + "()");
    int place = script.indexOf(PLACE, start);
    return script.substring(0, place) + call + " && return\n" + script.substring(place);
  }
}
