// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl clients}. Threading: one instance for each run. */
@Command(
    name = "clients",
    description = "Shows and disconnects clients.",
    addMethodSubcommands = false)
final class ClientsCommand {
  private static final String PARENT = "cn=Connections,cn=monitor";
  private static final String CONNECTION = "(objectClass=monitorConnection)";

  /** Attributes requested for the list, which may have many clients. */
  private static final String[] LISTED = {
    "monitorConnectionNumber",
    "monitorConnectionAuthzDN",
    "monitorConnectionPeerAddress",
    "monitorConnectionListener",
    "monitorConnectionMask",
    "monitorConnectionStartTime",
    "monitorConnectionActivityTime",
    "monitorConnectionOpsReceived",
    "monitorConnectionOpsCompleted",
    "stoaConnectionOpsRefused",
    "monitorConnectionOpsExecuting",
    "monitorConnectionOpsPending"
  };

  private static final String NUMBER = "Number of the client in the list.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(name = "list", description = "Prints all clients, this one included.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.CLIENTS.all(all(client)));
  }

  private static List<EntryValues> all(StoaClient client) throws StoaException {
    return client.below(PARENT, CONNECTION, LISTED).stream()
        .sorted(Comparator.comparingLong(one -> one.count("monitorConnectionNumber")))
        .toList();
  }

  @Command(
      name = "networks",
      description =
          "Prints the client networks: those with most failed binds first, then those with most "
              + "connections. Failed binds are forgotten an hour after the last one.")
  int networks() throws StoaException {
    return stoactl.run(
        client ->
            Shapes.NETWORKS.all(
                client
                    .below("cn=Networks,cn=monitor", "(objectClass=stoaNetwork)", "*", "+")
                    .stream()
                    .sorted(
                        Comparator.comparingLong(
                                (EntryValues one) -> one.count("stoaFailedBindsCount"))
                            .thenComparing(one -> one.count("stoaNetworkConnections"))
                            .reversed())
                    .toList()));
  }

  @Command(name = "show", description = "Prints all details of a client.")
  int show(@Parameters(paramLabel = "NUMBER", description = NUMBER) long number)
      throws StoaException {
    return stoactl.run(
        client -> orUnknownClient(number, () -> Shapes.CLIENTS.one(client.entry(dn(number), "+"))));
  }

  @Command(
      name = "disconnect",
      description = "Closes the connection of a client. Its operations in flight are abandoned.")
  int disconnect(@Parameters(paramLabel = "NUMBER", description = NUMBER) long number)
      throws StoaException {
    return stoactl.run(
        client ->
            orUnknownClient(
                number,
                () ->
                    Report.done(
                        "disconnect",
                        Long.toString(number),
                        client.act(dn(number), "disconnect"))));
  }

  @FunctionalInterface
  private interface ClientRequest {
    Report ask() throws StoaException;
  }

  private static Report orUnknownClient(long number, ClientRequest request) throws StoaException {
    try {
      return request.ask();
    } catch (StoaException e) {
      throw e.orIfUnknown("there is no client " + number);
    }
  }

  private static String dn(long number) {
    return "cn=Connection " + number + "," + PARENT;
  }
}
