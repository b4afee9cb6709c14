// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.Backends;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code stoactl complete}, for completion scripts of shells. Asks for no password: without one, or
 * without a Stoa, it fails at once. Threading: one instance for each run.
 */
@Command(
    name = "complete",
    hidden = true,
    description =
        "Prints names for the completion of a shell, one on each line: servers, keys, classes, "
            + "feeds, windows or parts of the log.")
final class CompleteCommand implements Callable<Integer> {
  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Parameters(paramLabel = "KIND", description = "servers, keys, classes, feeds, windows or parts.")
  @SuppressWarnings("NullAway.Init")
  private NameKind kind;

  /** Kinds of names. */
  enum NameKind {
    SERVERS,
    KEYS,
    CLASSES,
    FEEDS,
    WINDOWS,
    PARTS
  }

  @Override
  public Integer call() throws StoaException {
    if (stoactl.asksForPassword()) {
      throw stoactl.usageError("complete needs ldapi, -y FILE or STOACTL_PASSWORD");
    }
    return stoactl.run(
        client -> {
          List<String> names = names(client).stream().map(Printable::of).toList();
          Map<String, @Nullable Object> json = new LinkedHashMap<>();
          json.put("names", names);
          return new Report(json, names);
        });
  }

  private List<String> names(StoaClient client) throws StoaException {
    return switch (kind) {
      case SERVERS -> Backends.read(client).stream().map(Backends::url).toList();
      case KEYS -> List.copyOf(Configuration.now(client).keys().keySet());
      case CLASSES -> named(client, "(objectClass=stoaSharingClass)");
      case FEEDS -> named(client, "(objectClass=stoaFeed)");
      case WINDOWS -> named(client, "(objectClass=stoaWindow)");
      case PARTS -> LogCommand.lines(client).stream().map(line -> line.split(" ")[0]).toList();
    };
  }

  private static List<String> named(StoaClient client, String filter) throws StoaException {
    return client.below("cn=monitor", filter, "cn").stream()
        .map(EntryValues::name)
        .filter(Objects::nonNull)
        .toList();
  }
}
