// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import io.stoa.feed.connection.FeedCredentials;
import io.stoa.net.transport.FailureText;
import io.stoa.proxy.ProxyConfig;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.ProbeConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The accounts with which Stoa binds at the servers of one directory. Passwords are zeroed by
 * {@link #close}.
 *
 * <p>Threading: thread-safe.
 *
 * @param service the service account; null in pass-through mode, or if its password is unreadable
 * @param probe the account of the health checks; null if they are anonymous
 * @param feed the account of the feeds; null if there is none
 */
record Accounts(
    @Nullable ServiceAccount service, @Nullable ServiceAccount probe, @Nullable ServiceAccount feed)
    implements AutoCloseable {
  /** Reads the passwords. A file that cannot be read is reported. */
  static Accounts of(ProxyConfig config, DirectorySpec directory, Findings findings) {
    ProbeConfig probe = config.upstream().probe();
    FeedCredentials feed = config.coherence().feed().account(directory::has);
    return new Accounts(
        read(
            "identity.servicePasswordFile",
            findings,
            () -> ServiceAccount.of(config.upstream().identity())),
        probe.bindDn().isEmpty()
            ? null
            : read(
                "probe.passwordFile",
                findings,
                () -> ServiceAccount.ofProbe(probe.bindDn(), Path.of(probe.passwordFile()))),
        feed == null
            ? null
            : read(
                "feed.passwordFile",
                findings,
                () -> ServiceAccount.ofProbe(feed.dn(), feed.passwordFile())));
  }

  private interface Reader {
    @Nullable ServiceAccount read() throws IOException;
  }

  private static @Nullable ServiceAccount read(String key, Findings findings, Reader reader) {
    try {
      return reader.read();
    } catch (IOException e) {
      findings.failed("password file", key + ": " + FailureText.of(e), "correct the file");
      return null;
    }
  }

  @Override
  public void close() {
    close(service);
    close(probe);
    close(feed);
  }

  private static void close(@Nullable ServiceAccount account) {
    if (account != null) {
      account.close();
    }
  }
}
