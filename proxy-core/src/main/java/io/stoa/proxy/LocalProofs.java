// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.ldap.schema.ServerProfile;
import io.stoa.proxy.feeds.ChangeFeeds;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proofs that directories are local ({@link io.stoa.ldap.schema.Schema#isLocal}), from the
 * configuration of their servers.
 *
 * <p>Threading: event loop on which directories are watched.
 */
final class LocalProofs {
  private static final Logger LOG = LoggerFactory.getLogger(LocalProofs.class);

  private final List<Directory> directories;
  private final ChangeFeeds feeds;

  /** The reason why a directory is not proved to be local, by its number; empty if it is. */
  private final List<String> missing = new ArrayList<>();

  LocalProofs(List<Directory> directories, ChangeFeeds feeds) {
    this.directories = directories;
    this.feeds = feeds;
    directories.forEach(directory -> missing.add("nothing has been read yet"));
  }

  /** Checks the proofs again; returns true if one was gained or lost. */
  boolean check() {
    boolean moved = false;
    for (int number = 0; number < missing.size(); number++) {
      String previous = missing.get(number);
      String now = feeds.nonLocalReason(number);
      missing.set(number, now);
      if (previous.isEmpty() != now.isEmpty()) {
        moved = true;
        logProof(now);
      }
    }
    return moved;
  }

  private static void logProof(String missing) {
    if (missing.isEmpty()) {
      LOG.info(
          "all databases are local and compute no attributes (cn=config): cached "
              + "entries answer requests for fewer attributes");
    } else {
      LOG.info("cached entries answer only requests for the same attributes: {}", missing);
    }
  }

  /** Returns the common profile of all directories. */
  ServerProfile profile() {
    ServerProfile combined = profile(0);
    for (int number = 1; number < missing.size(); number++) {
      combined = combined.and(profile(number));
    }
    return combined;
  }

  private ServerProfile profile(int number) {
    ServerProfile profile = directories.get(number).profile();
    return missing.get(number).isEmpty() ? profile.ofLocal() : profile;
  }
}
