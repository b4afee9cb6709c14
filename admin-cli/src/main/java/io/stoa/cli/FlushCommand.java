// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl cache flush}. Threading: one instance for each run. */
@Command(name = "flush", description = "Flushes the caches, entirely or in part.")
final class FlushCommand implements Callable<Integer> {
  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private CacheCommand cache;

  @ArgGroup(multiplicity = "1")
  private Selection what = new Selection();

  /** The exclusive options that select results. Threading: confined to the command. */
  static final class Selection {
    @Option(names = "--all", description = "All results.")
    private boolean all;

    @Option(names = "--entry", paramLabel = "DN", description = "Results that contain this entry.")
    private @Nullable String entry;

    @Option(
        names = "--subtree",
        paramLabel = "DN",
        description = "Results that contain this entry or one below it.")
    private @Nullable String subtree;

    @Option(
        names = "--identity",
        paramLabel = "DN",
        description = "Results of clients bound as this DN; 'anonymous' for anonymous clients.")
    private @Nullable String identity;

    private String action() {
      if (entry != null) {
        return "flush entry " + entry;
      }
      if (subtree != null) {
        return "flush subtree " + subtree;
      }
      return all ? "flush" : "flush identity " + identity;
    }
  }

  @Override
  public Integer call() throws StoaException {
    String action = what.action();
    return cache
        .stoactl()
        .run(client -> Report.done(action, "cache", client.act(CacheCommand.ENTRY, action)));
  }
}
