// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import com.unboundid.ldap.sdk.RDN;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl windows}. Threading: one instance for each run. */
@Command(
    name = "windows",
    description = "Shows and controls the write windows.",
    addMethodSubcommands = false)
final class WindowsCommand {
  private static final String PARENT = "cn=Windows,cn=monitor";
  private static final String WINDOW = "(objectClass=stoaWindow)";
  private static final String NAME = "Name of the window in the configuration.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(name = "list", description = "Prints all write windows.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.WINDOWS.all(client.below(PARENT, WINDOW, "*", "+")));
  }

  @Command(name = "flush", description = "Sends the waiting writes of a window now.")
  int flush(@Parameters(paramLabel = "NAME", description = NAME) String name) throws StoaException {
    return act(name, "flush");
  }

  @Command(
      name = "pause",
      description = "Pauses a window: its writes are sent at once until it is resumed.")
  int pause(@Parameters(paramLabel = "NAME", description = NAME) String name) throws StoaException {
    return act(name, "pause");
  }

  @Command(name = "resume", description = "Resumes a window: its writes wait again.")
  int resume(@Parameters(paramLabel = "NAME", description = NAME) String name)
      throws StoaException {
    return act(name, "resume");
  }

  private int act(String name, String action) throws StoaException {
    String dn = new RDN("cn", name) + "," + PARENT;
    try {
      return stoactl.run(client -> Report.done(action, name, client.act(dn, action)));
    } catch (StoaException e) {
      throw e.orIfUnknown("there is no window " + name);
    }
  }
}
