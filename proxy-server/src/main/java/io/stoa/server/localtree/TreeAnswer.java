// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.transport.LoopTurns;
import io.stoa.operation.Operation;
import io.stoa.server.localtree.AnswerQueue.CancellationCheck;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer to one operation on a tree. Threading: event loop, except {@link #compute}, which runs
 * on any thread.
 */
public final class TreeAnswer {
  private static final Logger LOG = LoggerFactory.getLogger(TreeAnswer.class);

  /** Controls without effect on entries that are created for each answer. */
  private static final Set<String> KNOWN_CONTROLS =
      Set.of(Oids.MANAGE_DSA_IT, Oids.DONT_USE_COPY, Oids.SESSION_TRACKING);

  /**
   * Maximum size of a request in octets: 16 KiB. Each entry of a tree is compared with all of it.
   */
  private static final int MAX_OCTETS = 16 * 1024;

  /** Maximum number of assertions in a filter: 256. */
  private static final int MAX_TERMS = 256;

  private static final int SUCCESS = 0;
  private static final int PROTOCOL_ERROR = 2;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;
  private static final int ADMIN_LIMIT_EXCEEDED = 11;
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int OTHER = 80;

  private final Operation operation;
  private final Request request;

  /** Decodes the request. */
  public TreeAnswer(Operation operation) {
    this.operation = operation;
    this.request = operation.request();
  }

  /** True if the request is larger than Stoa answers itself. */
  static boolean isLarge(Operation operation) {
    return operation.message().body().readableBytes() > MAX_OCTETS;
  }

  /**
   * Answers adminLimitExceeded (RFC 4511, section 4.1.9) if the request is larger than Stoa answers
   * itself. The request is not decoded.
   *
   * @return true if it was answered
   */
  public static boolean refusesLarge(Operation operation) {
    return refusesLarge(operation, MAX_OCTETS);
  }

  /** Does the same with another maximum size in octets. */
  public static boolean refusesLarge(Operation operation, int limit) {
    boolean large = operation.message().body().readableBytes() > limit;
    if (large) {
      LdapResult refusal =
          result(ADMIN_LIMIT_EXCEEDED, "the request must have at most " + limit + " bytes");
      operation.sink().complete(refusal.encode(operation.type().response()));
    }
    return large;
  }

  /** Returns the number of assertions of a filter; an empty set counts as one. */
  private static int terms(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      return Math.max(1, and.members().stream().mapToInt(TreeAnswer::terms).sum());
    }
    if (filter instanceof FilterNode.Or or) {
      return Math.max(1, or.members().stream().mapToInt(TreeAnswer::terms).sum());
    }
    if (filter instanceof FilterNode.Not not) {
      return terms(not.member());
    }
    return filter instanceof FilterNode.Substrings parts ? 1 + parts.any().size() : 1;
  }

  /**
   * A computed answer. Threading: immutable, provided that the arrays are not modified.
   *
   * @param entries encoded entries
   * @param result final result
   */
  public record ComputedAnswer(List<byte[]> entries, LdapResult result) {
    ComputedAnswer(int code, String diagnostic) {
      this(List.of(), TreeAnswer.result(code, diagnostic));
    }
  }

  /** Answers a search or a compare of a small tree, on the event loop. */
  public void read(Tree tree) {
    send(compute(tree, CancellationCheck.ALWAYS));
  }

  /** Answers a search or a compare, now or later. */
  public void read(Tree tree, AnswerQueue answers) {
    answers.submit(
        operation,
        () -> CompletableFuture.completedFuture(tree),
        (same, wanted) -> {
          ComputedAnswer found = compute(same, wanted);
          return () -> send(found);
        });
  }

  /**
   * Sends a computed answer. Many entries are sent in parts, so that the event loop serves other
   * clients in between, and only as fast as this client reads.
   */
  public void send(ComputedAnswer found) {
    send(found, 0);
  }

  private void send(ComputedAnswer found, int from) {
    if (operation.hasEnded()) {
      return;
    }
    long start = System.nanoTime();
    int to = from;
    while (to < found.entries().size() && !LoopTurns.isOver(start)) {
      operation.sink().respond(new EncodedResponse(found.entries().get(to++)));
    }
    int next = to;
    if (next == found.entries().size()) {
      complete(found.result());
    } else {
      EventExecutor loop = operation.session().executor();
      operation.sink().whenReady(() -> LoopTurns.runNextTurn(loop, () -> resume(found, next)));
    }
  }

  private void resume(ComputedAnswer found, int from) {
    try {
      send(found, from);
    } catch (RuntimeException e) {
      LOG.error("answer from Stoa's own trees failed: internal error", e);
      complete(OTHER, "");
    }
  }

  /**
   * Computes the answer to a search or a compare. Threading: any thread on which the tree can be
   * created.
   *
   * @param cancellation stops the computation when the client no longer waits
   */
  public ComputedAnswer compute(Tree tree, CancellationCheck cancellation) {
    if (request.controls().stream().anyMatch(TreeAnswer::isRefused)) {
      return new ComputedAnswer(UNAVAILABLE_CRITICAL_EXTENSION, "unsupported control");
    }
    if (request.op() instanceof SearchOp search && terms(search.filter()) > MAX_TERMS) {
      return new ComputedAnswer(
          ADMIN_LIMIT_EXCEEDED, "the filter must have at most 256 assertions");
    }
    List<TreeEntry> entries = tree.entries().get();
    NormalDn base = NormalDn.of(Objects.requireNonNull(request.op().target()), ServerProfile.EXACT);
    TreeEntry nearest = nearest(entries, base);
    if (!nearest.normalDn().isBelowOrEqual(base)) {
      byte[] matched = nearest.dn().getBytes(StandardCharsets.UTF_8);
      return new ComputedAnswer(List.of(), new LdapResult(NO_SUCH_OBJECT, matched, new byte[0]));
    }
    return request.op() instanceof CompareOp compare
        ? new ComputedAnswer(compare(nearest, compare, tree.kinds()), "")
        : search(entries, base, tree.kinds(), cancellation);
  }

  private static boolean isRefused(Control control) {
    return control.critical() && !KNOWN_CONTROLS.contains(control.oid());
  }

  /** Returns the entry, or its nearest existing ancestor. */
  private static TreeEntry nearest(List<TreeEntry> entries, NormalDn base) {
    return entries.stream()
        .filter(entry -> base.isBelowOrEqual(entry.normalDn()))
        .max(Comparator.comparingInt(entry -> entry.normalDn().depth()))
        .orElseThrow();
  }

  private ComputedAnswer search(
      List<TreeEntry> entries, NormalDn base, TypeHierarchy kinds, CancellationCheck cancellation) {
    SearchOp search = (SearchOp) request.op();
    TreeScope scope = TreeScope.of(search.scope());
    if (scope == null) {
      return new ComputedAnswer(PROTOCOL_ERROR, "unknown scope");
    }
    Set<String> knownTypes = knownTypes(entries, kinds);
    List<TreeEntry> found =
        entries.stream()
            .peek(entry -> cancellation.check())
            .filter(entry -> scope.holds(entry.normalDn(), base))
            .filter(entry -> isTrue(new TreeFilter(entry, knownTypes, kinds), search.filter()))
            .toList();
    return encode(found, search, AttributeList.of(search.attributes(), kinds), cancellation);
  }

  private static boolean isTrue(TreeFilter entry, FilterNode filter) {
    return entry.evaluate(filter) == Truth.TRUE;
  }

  /** Returns all attribute names in the tree. Other names are unknown. */
  private static Set<String> knownTypes(List<TreeEntry> entries, TypeHierarchy kinds) {
    return entries.stream()
        .flatMap(entry -> entry.keys().stream())
        .distinct()
        .flatMap(name -> kinds.withSuperiors(name).stream())
        .collect(Collectors.toSet());
  }

  private static ComputedAnswer encode(
      List<TreeEntry> found,
      SearchOp search,
      AttributeList selected,
      CancellationCheck cancellation) {
    int limit = search.sizeLimit() <= 0 ? found.size() : search.sizeLimit();
    List<byte[]> entries =
        found.stream()
            .limit(limit)
            .peek(entry -> cancellation.check())
            .map(entry -> entry.encode(selected, search.typesOnly()))
            .toList();
    return new ComputedAnswer(
        entries, result(found.size() > limit ? SIZE_LIMIT_EXCEEDED : SUCCESS, ""));
  }

  private static int compare(TreeEntry entry, CompareOp compare, TypeHierarchy kinds) {
    FilterNode assertion = new FilterNode.Equality(compare.attribute(), compare.value());
    TreeFilter filter = new TreeFilter(entry, knownTypes(List.of(entry), kinds), kinds);
    return switch (filter.evaluate(assertion)) {
      case TRUE -> COMPARE_TRUE;
      case FALSE -> COMPARE_FALSE;
      case UNDEFINED, NO_MATCH, UNKNOWN -> NO_SUCH_ATTRIBUTE;
    };
  }

  /** Answers without entries. */
  public void complete(int code, String diagnostic) {
    complete(result(code, diagnostic));
  }

  private static LdapResult result(int code, String diagnostic) {
    return new LdapResult(code, new byte[0], diagnostic.getBytes(StandardCharsets.UTF_8));
  }

  private void complete(LdapResult result) {
    operation.sink().complete(result.encode(operation.type().response()));
  }
}
