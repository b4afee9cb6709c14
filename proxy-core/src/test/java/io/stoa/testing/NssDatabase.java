// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The certificates of a server that uses NSS, in the form that NSS wants. Stateless. */
final class NssDatabase {
  /** The name of the pair; Java writes names in lower case only. */
  static final String NAME = "server-cert";

  private static final String PASSWORD = "transport";

  private NssDatabase() {}

  /** Writes it into the directory: one pair, and the authority that is trusted for clients too. */
  static void write(
      ScratchDirectory directory, Certificates authority, Certificates.Pair own, Path log) {
    Path file = directory.file("pair.p12");
    Certificates.writePkcs12(own, NAME, PASSWORD, file);
    String where = "sql:" + directory.path();
    run(log, "certutil", "-N", "-d", where, "--empty-password");
    run(log, "pk12util", "-i", file.toString(), "-d", where, "-W", PASSWORD);
    String ca = authority.ca().toString();
    run(log, "certutil", "-A", "-d", where, "-n", "Authority", "-t", "CT,,", "-i", ca);
  }

  private static void run(Path log, String program, String... arguments) {
    Stream<String> path = Stream.of(Installation.program(program).toString());
    List<String> command = Stream.concat(path, Stream.of(arguments)).toList();
    ServerProcess.run(command, log);
  }
}
