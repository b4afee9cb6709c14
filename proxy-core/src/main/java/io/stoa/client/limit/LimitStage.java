// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies the search limits. This stage precedes every stage that may answer a search.
 *
 * <p>Threading: event loop.
 */
public final class LimitStage implements Stage {
  private final Supplier<SearchLimits> current;
  private final Supplier<ServerProfile> profile;
  private final PagedSearches searches;
  private final Stage next;
  private @Nullable Exempt exempt;

  /**
   * Creates the stage before {@code next}.
   *
   * @param current supplies the limits, which may change between calls
   * @param profile supplies the rules by which names are equal
   * @param searches the paged searches of all event loops
   */
  public LimitStage(
      Supplier<SearchLimits> current,
      Supplier<ServerProfile> profile,
      PagedSearches searches,
      Stage next) {
    this.current = current;
    this.profile = profile;
    this.searches = searches;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    SearchLimits limits = current.get();
    boolean search = operation.type() == OpType.SEARCH_REQUEST;
    if (!search || limits.isOff() || isExempt(limits, operation)) {
      next.handle(operation);
      return;
    }
    LimitSink sink = new LimitedSearch(operation, limits, searches).begin();
    if (sink != null) {
      next.handle(operation);
      sink.startTimer(limits.timeLimit());
    }
  }

  private boolean isExempt(SearchLimits limits, Operation operation) {
    byte[] dn = limits.exempt().isEmpty() ? null : operation.session().identity().dn();
    return dn != null && exempt(limits).contains(dn);
  }

  private Exempt exempt(SearchLimits limits) {
    ServerProfile serverProfile = profile.get();
    Exempt present = exempt;
    if (present == null || !present.limits.equals(limits) || present.profile != serverProfile) {
      present = Exempt.of(limits, serverProfile);
      exempt = present;
    }
    return present;
  }

  /**
   * Names without limits. Names that the directory cannot distinguish are equal.
   *
   * <p>Threading: immutable.
   */
  private record Exempt(SearchLimits limits, ServerProfile profile, Set<NormalDn> names) {
    static Exempt of(SearchLimits limits, ServerProfile profile) {
      return new Exempt(
          limits,
          profile,
          limits.exempt().stream()
              .map(name -> NormalDn.of(name.getBytes(StandardCharsets.UTF_8), profile))
              .collect(Collectors.toSet()));
    }

    boolean contains(byte[] dn) {
      return names.contains(NormalDn.of(dn, profile));
    }
  }
}
