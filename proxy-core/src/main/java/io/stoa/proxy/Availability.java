// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.result.Caches;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.routing.directory.SuffixTable;
import io.stoa.upstream.server.Backend;
import java.util.List;

/**
 * Finds directories without a usable server.
 *
 * <p>Threading: thread-safe.
 */
record Availability(List<Directory> directories, SuffixTable suffixes) implements Caches.Outages {
  private static final int BASE_OBJECT = 0;

  @Override
  public boolean affects(Request request) {
    byte[] target = request.op().target();
    int scope = request.op() instanceof SearchOp search ? search.scope() : BASE_OBJECT;
    return target != null
        && suffixes.directories(target, scope).allMatch(one -> isUnavailable(directories.get(one)));
  }

  @Override
  public boolean hasAny() {
    return directories.stream().anyMatch(Availability::isUnavailable);
  }

  private static boolean isUnavailable(Directory directory) {
    return directory.branch().backends().stream().noneMatch(Backend::isUsable);
  }
}
