// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.AdminConnector;
import io.stoa.cli.client.AdminCredentials;
import io.stoa.cli.client.ClientFailureText;
import io.stoa.cli.client.Endpoint;
import io.stoa.cli.client.OwnCertificate;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.client.Tls;
import io.stoa.cli.output.FirstLine;
import io.stoa.cli.output.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * Options for the address of Stoa and for the identity to bind as. A password is never an option,
 * as any user of the machine can read the options of a process.
 *
 * <p>Threading: confined to one command.
 */
final class ConnectionOptions {
  static final String ADMINISTRATOR = "cn=admin,cn=configuration";

  private static final int MAX_PASSWORD = 1024;
  private static final int MAX_TIMEOUT = 3600;

  @Option(
      names = {"-H", "--uri"},
      paramLabel = "URI",
      scope = ScopeType.INHERIT,
      description =
          "Address of Stoa: ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%%2FPATH. "
              + "Default: STOACTL_URI, or ldapi://%%2Frun%%2Fstoa%%2Fldapi.")
  private @Nullable String uri;

  @Option(
      names = {"-D", "--bind-dn"},
      paramLabel = "DN",
      scope = ScopeType.INHERIT,
      description =
          "DN for a simple bind. Default: SASL EXTERNAL over ldapi, otherwise "
              + ADMINISTRATOR
              + ".")
  private @Nullable String name;

  @Option(
      names = {"-y", "--password-file"},
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "File whose first line is the password. Default: STOACTL_PASSWORD, or a prompt.")
  private @Nullable Path passwordFile;

  @Option(
      names = "-Z",
      arity = "0",
      scope = ScopeType.INHERIT,
      description = "Use StartTLS if the server supports it. -ZZ: fail if it does not.")
  private boolean[] startTls = {};

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "PEM file of the trusted certificate authorities. Default: authorities of the system.")
  private @Nullable Path authorities;

  @Option(
      names = "--cert",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "PEM file of the client certificate and its issuers, for a Stoa that requires one.")
  private @Nullable Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "PEM file of the private key of --cert (PKCS #8).")
  private @Nullable Path key;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      scope = ScopeType.INHERIT,
      description = "Maximum wait for a connection, and for each answer. Default: 10.")
  private int seconds;

  @Option(
      names = "--wait-ready",
      scope = ScopeType.INHERIT,
      description =
          "Wait until Stoa listens and a directory server is up, at most six times --timeout.")
  private boolean waitReady;

  /** True if the command waits until Stoa is ready. */
  boolean waitsForReady() {
    return waitReady;
  }

  AdminConnector connector(Environment environment) {
    if (seconds < 1 || seconds > MAX_TIMEOUT) {
      throw new IllegalArgumentException("--timeout must be between 1 and " + MAX_TIMEOUT);
    }
    Endpoint endpoint = endpoint(environment);
    if (startTls.length > 0 && endpoint.scheme() != Endpoint.Scheme.LDAP) {
      throw new IllegalArgumentException("-Z is for ldap:// only");
    }
    Tls.StartTls mode =
        startTls.length == 0
            ? Tls.StartTls.NONE
            : startTls.length == 1 ? Tls.StartTls.TRIED : Tls.StartTls.NEEDED;
    return new AdminConnector(
        endpoint, new Tls(mode, authorities, clientCertificate()), Duration.ofSeconds(seconds));
  }

  private @Nullable OwnCertificate clientCertificate() {
    if (certificate == null && key == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw new IllegalArgumentException("--cert and --key must be used together");
    }
    return new OwnCertificate(certificate, key);
  }

  private Endpoint endpoint(Environment environment) {
    String ofEnvironment = environment.variable(Environment.URI);
    return Endpoint.parse(uri != null ? uri : ofEnvironment != null ? ofEnvironment : "ldapi://");
  }

  AdminCredentials credentials(Endpoint endpoint, Environment environment) {
    boolean external =
        endpoint.scheme() == Endpoint.Scheme.LDAPI && name == null && passwordFile == null;
    String dn = name == null ? ADMINISTRATOR : name;
    return () -> external ? null : new AdminCredentials.Simple(dn, password(dn, environment));
  }

  /** True if the password would be asked for on the terminal. */
  boolean asksForPassword(Endpoint endpoint, Environment environment) {
    boolean external = endpoint.scheme() == Endpoint.Scheme.LDAPI && name == null;
    return !external && passwordFile == null && environment.variable(Environment.PASSWORD) == null;
  }

  private byte[] password(String dn, Environment environment) throws StoaException {
    byte[] password = anyPassword(dn, environment);
    if (password.length == 0) {
      throw new StoaException(StoactlExitCode.USAGE, "the password is empty");
    }
    return password;
  }

  private byte[] anyPassword(String dn, Environment environment) throws StoaException {
    String ofEnvironment = environment.variable(Environment.PASSWORD);
    if (passwordFile != null) {
      return ofFile(passwordFile);
    }
    return ofEnvironment == null
        ? promptPassword(dn)
        : ofEnvironment.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] ofFile(Path file) throws StoaException {
    try (InputStream in = Files.newInputStream(file)) {
      return FirstLine.of(in, MAX_PASSWORD);
    } catch (FirstLine.TooLongException e) {
      throw tooLong(file + ": ");
    } catch (IOException e) {
      throw new StoaException(
          StoactlExitCode.USAGE, file + " cannot be read: " + ClientFailureText.of(e));
    }
  }

  private static StoaException tooLong(String file) {
    return new StoaException(
        StoactlExitCode.USAGE, file + "the password is longer than " + MAX_PASSWORD + " bytes");
  }

  private static byte[] promptPassword(String dn) throws StoaException {
    try {
      return Terminal.askSecret("Password of " + dn + ": ");
    } catch (FirstLine.TooLongException e) {
      throw tooLong("");
    } catch (IOException e) {
      throw new StoaException(
          StoactlExitCode.USAGE,
          "a password is required and there is no terminal: use -y FILE or STOACTL_PASSWORD");
    }
  }
}
