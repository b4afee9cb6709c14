// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Creates the commands that a command line names. Creating all of them takes longer than most
 * commands run. A command line that names none gets all of them, for the list or a hint.
 *
 * <p>Threading: stateless.
 */
final class Commands {
  private static final List<Class<?>> ALL =
      List.of(
          StatusCommand.class,
          TopCommand.class,
          BackendsCommand.class,
          ClientsCommand.class,
          CacheCommand.class,
          ClassesCommand.class,
          FeedsCommand.class,
          AuditCommand.class,
          TraceCommand.class,
          WindowsCommand.class,
          DigestsCommand.class,
          AdviseCommand.class,
          ConfigCommand.class,
          LogCommand.class,
          ShutdownCommand.class,
          CompletionCommand.class,
          CompleteCommand.class);

  private Commands() {}

  /** Adds the commands that these words name. */
  static void addTo(CommandLine root, Set<String> words) {
    for (Class<?> type : named(ALL, one -> one.getAnnotation(Command.class), words)) {
      CommandLine command = new CommandLine(type);
      root.addSubcommand(command.getCommandName(), command);
      addBelow(command, type, words);
    }
  }

  private static void addBelow(CommandLine group, Class<?> type, Set<String> words) {
    if (type.equals(CacheCommand.class)) {
      List<Class<?>> classes = List.of(FlushCommand.class, ExplainCommand.class);
      named(classes, one -> one.getAnnotation(Command.class), words).forEach(group::addSubcommand);
    }
    named(
            CommandLine.getCommandMethods(type, null),
            method -> method.getAnnotation(Command.class),
            words)
        .forEach(
            method ->
                group.addSubcommand(
                    method.getAnnotation(Command.class).name(), new CommandLine(method)));
  }

  private static <T> List<T> named(
      List<T> all, Function<T, Command> annotation, Set<String> words) {
    List<T> named =
        all.stream().filter(one -> words.contains(annotation.apply(one).name())).toList();
    return named.isEmpty() ? all : named;
  }
}
