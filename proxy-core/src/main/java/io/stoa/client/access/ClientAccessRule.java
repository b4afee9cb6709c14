// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.net.peer.Network;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One access rule. The rule applies to an operation if all its conditions match; a condition
 * without values matches everything.
 *
 * <p>Threading: immutable.
 *
 * @param name name for administrators
 * @param client conditions of the client
 * @param request conditions of the operation
 * @param allow true if the operation is allowed; false if it is denied
 */
public record ClientAccessRule(
    String name, ClientCondition client, RequestCondition request, boolean allow) {
  private static final String ANONYMOUS = "anonymous";

  /** Names of bind methods other than SASL mechanisms. */
  private static final Set<String> METHODS = Set.of(ANONYMOUS, "unauthenticated", "simple", "sasl");

  /**
   * Conditions of the client.
   *
   * <p>Threading: immutable.
   *
   * @param networks networks of the client's address; a local socket is in none
   * @param listeners listeners as they are written in the configuration
   * @param tls true if the client must use TLS or a local socket, false if it must use neither;
   *     null for both
   * @param identities DNs, patterns of DNs, names that are no DNs, or {@code anonymous}
   */
  public record ClientCondition(
      List<Network> networks,
      List<String> listeners,
      @Nullable Boolean tls,
      List<String> identities) {
    /** Matches every client. */
    public static final ClientCondition ANY =
        new ClientCondition(List.of(), List.of(), null, List.of());

    public ClientCondition {
      networks = List.copyOf(networks);
      listeners = List.copyOf(listeners);
      identities = List.copyOf(identities);
      identities.forEach(IdentityPattern::check);
    }
  }

  /**
   * Conditions of the operation.
   *
   * <p>Threading: immutable.
   *
   * @param operations kinds of operations
   * @param extended OIDs of extended operations
   * @param bases DNs of subtrees
   * @param bindMethods {@code anonymous}, {@code unauthenticated}, {@code simple}, {@code sasl}, or
   *     SASL mechanisms
   */
  public record RequestCondition(
      Set<AccessOperation> operations,
      List<String> extended,
      List<String> bases,
      List<String> bindMethods) {
    /** Matches every operation. */
    public static final RequestCondition ANY =
        new RequestCondition(Set.of(), List.of(), List.of(), List.of());

    public RequestCondition {
      operations = Set.copyOf(operations);
      extended = List.copyOf(extended);
      bases = List.copyOf(bases);
      bindMethods = bindMethods.stream().map(RequestCondition::method).toList();
      require(extended, operations, AccessOperation.EXTENDED, "extended");
      require(bindMethods, operations, AccessOperation.BIND, "bindMethods");
      for (String oid : extended) {
        if (AccessRequest.EXEMPT.contains(oid)) {
          throw new IllegalArgumentException(
              "extended: no rule applies to StartTLS, Cancel and Who Am I (" + oid + ")");
        }
      }
    }

    private static void require(
        List<String> values,
        Set<AccessOperation> operations,
        AccessOperation needed,
        String condition) {
      if (!values.isEmpty() && !operations.isEmpty() && !operations.contains(needed)) {
        throw new IllegalArgumentException(
            condition + " requires the operation " + needed.label() + " in operations");
      }
    }

    private static String method(String text) {
      String lower = text.toLowerCase(Locale.ROOT);
      return METHODS.contains(lower) ? lower : text.toUpperCase(Locale.ROOT);
    }

    /** Returns the kinds of operations: those named, or else those of the other conditions. */
    Set<AccessOperation> kinds() {
      if (!operations.isEmpty() || (extended.isEmpty() && bindMethods.isEmpty())) {
        return operations.isEmpty() ? Set.of(AccessOperation.values()) : operations;
      }
      if (extended.isEmpty()) {
        return Set.of(AccessOperation.BIND);
      }
      return bindMethods.isEmpty()
          ? Set.of(AccessOperation.EXTENDED)
          : Set.of(AccessOperation.BIND, AccessOperation.EXTENDED);
    }
  }
}
