// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.server.admin.auth.PasswordHash;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code stoa hash-password}. The password is never an argument, as any user of the machine can
 * read the arguments of a process. Threading: one instance for each run.
 */
@Command(
    name = "hash-password",
    description =
        "Prints the hash of a password for admin.passwordHash. The password is "
            + "typed in, or read from the first line of a file or of standard input.")
final class HashPasswordCommand implements Callable<Integer> {
  private static final int MAX_OCTETS_OF_CHARACTER = 3;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--stdin",
      description = "Read the password from the first line of standard input.")
  private boolean stdin;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Read the password from the first line of a file.")
  private @Nullable Path file;

  @Override
  public Integer call() throws IOException {
    byte[] password = password();
    try {
      spec.commandLine().getOut().println(PasswordHash.of(password).print());
    } catch (IllegalArgumentException e) {
      throw usageError(String.valueOf(e.getMessage()));
    } finally {
      Arrays.fill(password, (byte) 0);
    }
    return ExitCode.OK.code();
  }

  private byte[] password() throws IOException {
    if (stdin) {
      return firstLine(System.in);
    }
    if (file == null) {
      return prompt();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return firstLine(in);
    } catch (IOException e) {
      throw new DescribedException(file + " cannot be read: " + FailureText.of(e), e);
    }
  }

  private byte[] prompt() {
    Console console =
        Optional.ofNullable(System.console())
            .orElseThrow(() -> usageError("no terminal: use --stdin or --file"));
    return typed(console::readPassword);
  }

  /** Reads a password twice. The reader shows a prompt and returns null at the end of the input. */
  byte[] typed(Function<String, char @Nullable []> reader) {
    char[] first = reader.apply("Password: ");
    char[] second = first == null ? null : reader.apply("Repeat password: ");
    try {
      if (first == null || second == null) {
        throw usageError("no password was typed in: end of input");
      }
      if (!Arrays.equals(first, second)) {
        throw usageError("the passwords differ");
      }
      return octets(first);
    } finally {
      wipe(first);
      wipe(second);
    }
  }

  private static byte[] octets(char[] characters) {
    ByteBuffer buffer = ByteBuffer.allocate(MAX_OCTETS_OF_CHARACTER * characters.length);
    StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(characters), buffer, true);
    byte[] octets = Arrays.copyOf(buffer.array(), buffer.position());
    Arrays.fill(buffer.array(), (byte) 0);
    return octets;
  }

  private static void wipe(char @Nullable [] characters) {
    if (characters != null) {
      Arrays.fill(characters, '\0');
    }
  }

  /**
   * Reads the first line. Reading stops beyond the maximum length, as longer passwords are refused.
   */
  private static byte[] firstLine(InputStream in) throws IOException {
    byte[] octets = new byte[PasswordHash.MAX_OCTETS + 2];
    int length = 0;
    int next = in.read();
    while (next >= 0 && next != '\n' && length < octets.length) {
      octets[length++] = (byte) next;
      next = in.read();
    }
    boolean carriageReturn = length > 0 && octets[length - 1] == '\r';
    byte[] line = Arrays.copyOf(octets, carriageReturn ? length - 1 : length);
    Arrays.fill(octets, (byte) 0);
    return line;
  }

  private ParameterException usageError(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
