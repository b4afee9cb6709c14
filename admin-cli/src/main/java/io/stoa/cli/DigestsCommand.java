// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import com.unboundid.ldap.sdk.RDN;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.util.Comparator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl digests}. Threading: one instance for each run. */
@Command(
    name = "digests",
    description = "Shows searches by their pattern, and what each pattern costs.",
    addMethodSubcommands = false)
final class DigestsCommand {
  private static final String PARENT = "cn=Digests,cn=monitor";
  private static final String DIGEST = "(objectClass=stoaSearchDigest)";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  /** Order of the list. The largest number is first. */
  enum Order {
    upstream("stoaDigestUpstream"),
    searches("stoaDigestSearches"),
    misses("stoaDigestMisses"),
    bypassed("stoaDigestBypassed"),
    octets("stoaDigestOctets"),
    failed("stoaDigestFailed"),
    p99("stoaDigestMissP99");

    private final String attribute;

    Order(String attribute) {
      this.attribute = attribute;
    }
  }

  @Command(
      name = "list",
      description =
          "Prints the patterns, those with the largest total time at directories first. The line "
              + "`others` has all searches whose patterns were too rare to be kept.")
  int list(
      @Option(
              names = "--sort",
              paramLabel = "ORDER",
              defaultValue = "upstream",
              description = "One of ${COMPLETION-CANDIDATES}; upstream by default.")
          Order order,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Number of patterns, 20 by default; 0 for all.")
          int limit)
      throws StoaException {
    Comparator<EntryValues> largest =
        Comparator.comparingLong((EntryValues one) -> one.count(order.attribute)).reversed();
    return stoactl.run(
        client ->
            Shapes.DIGESTS.all(
                client.below(PARENT, DIGEST, "*", "+").stream()
                    .sorted(largest)
                    .limit(limit <= 0 ? Long.MAX_VALUE : limit)
                    .toList()));
  }

  @Command(name = "show", description = "Prints all details of a pattern.")
  int show(@Parameters(paramLabel = "ID", description = "Id of the pattern in the list.") String id)
      throws StoaException {
    String dn = new RDN("cn", id) + "," + PARENT;
    try {
      return stoactl.run(client -> Shapes.DIGESTS.one(client.entry(dn, "+")));
    } catch (StoaException e) {
      throw e.orIfUnknown("there is no pattern " + id);
    }
  }

  @Command(name = "reset", description = "Forgets all patterns and counts.")
  int reset() throws StoaException {
    return stoactl.run(client -> Report.done("reset", "digests", client.act(PARENT, "reset")));
  }
}
