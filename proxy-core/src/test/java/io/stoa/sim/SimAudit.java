// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.maintenance.CacheMaintenance;
import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.sim.StatelessRandom.Stream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares what is in memory with the directory, as a proxy does: a few results a second, and all
 * of them once. Thread-confined.
 */
final class SimAudit {
  /** So many results are compared in a second. */
  static final int PER_SECOND = 10;

  /** When all of them are compared at once. */
  static final int AT_ONCE_PER_SECOND = 200;

  /** It takes no longer to compare all that there can be. */
  static final Duration MAX_DURATION = Duration.ofSeconds(12);

  /** The number of the loop that it has to itself. */
  private static final int LOOP = 4;

  /** With which all is asked that no client asks; the first client of a history has it, too. */
  private static final int MESSAGE_ID = 1;

  private final CacheMaintenance maintenance;

  SimAudit(VirtualTime time, StatelessRandom draws, Caches caches) {
    VirtualLoop loop = new VirtualLoop(time, draws.of(Stream.LOOP, LOOP));
    this.maintenance = new CacheMaintenance(caches, SimClient.DECODER, SimDomain.STALENESS, loop);
  }

  /** Clients live on a loop. */
  void addEventLoop(VirtualLoop loop, CacheStage stage, List<ClientSession> clients) {
    maintenance.addEventLoop(loop, stage, () -> clients);
  }

  /** Begins to compare all that is in memory. */
  void verify() {
    maintenance.auditAll();
  }

  /** What it has found. */
  MaintenanceStatus status() {
    return maintenance.status();
  }

  /** Whether no client asks for it. */
  static boolean isOwnRequest(Operation operation) {
    return operation.messageId() == MESSAGE_ID && operation.needsOneServer();
  }

  /** What is asked for by the octets of a search or a compare. */
  static SimRequest requestOf(Operation operation) {
    String identity = text(operation.session().identity().name().array());
    if (operation.request().op() instanceof CompareOp compare) {
      return new SimCompare(
          identity, text(compare.entry()), text(compare.attribute()), text(compare.value()));
    }
    if (!(operation.request().op() instanceof SearchOp search)) {
      throw new AssertionError("that is no question");
    }
    return new SimSearch(
        identity,
        text(search.base()),
        search.scope(),
        text(search.filter()),
        search.attributes().stream().map(SimAudit::text).toList());
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  private static String text(FilterNode filter) {
    return "(" + inner(filter) + ")";
  }

  private static String inner(FilterNode filter) {
    if (filter instanceof FilterNode.And all) {
      return "&" + texts(all.members());
    } else if (filter instanceof FilterNode.Or any) {
      return "|" + texts(any.members());
    } else if (filter instanceof FilterNode.Not not) {
      return "!" + text(not.member());
    } else if (filter instanceof FilterNode.Equality equal) {
      return text(equal.attribute()) + "=" + text(equal.value());
    } else if (filter instanceof FilterNode.GreaterOrEqual least) {
      return text(least.attribute()) + ">=" + text(least.value());
    } else if (filter instanceof FilterNode.Present present) {
      return text(present.attribute()) + "=*";
    } else if (filter instanceof FilterNode.Substrings begins) {
      return text(begins.attribute()) + "=" + initial(begins.initial()) + "*";
    }
    throw new AssertionError("nobody asks by that filter");
  }

  private static String initial(byte @Nullable [] octets) {
    return octets == null ? "" : text(octets);
  }

  private static String texts(List<FilterNode> members) {
    return members.stream().map(SimAudit::text).collect(Collectors.joining());
  }
}
