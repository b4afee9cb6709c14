// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import io.stoa.operation.external.ExternalRule;
import io.stoa.operation.external.ExternalRules;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How clients' identities reach the directory.
 *
 * <p>Threading: immutable.
 *
 * @param mode identity of upstream connections
 * @param serviceDn DN of the service account; empty in pass-through mode and with EXTERNAL
 * @param servicePasswordFile path of a file that holds only its password; empty if the DN is
 * @param serviceMechanism mechanism of the service account's bind
 * @param neverProxied DNs of clients for which the service account never acts; their connections
 *     are bound as themselves
 * @param external identities of clients that bind by SASL EXTERNAL; the first matching rule decides
 */
public record IdentityConfig(
    IdentityMode mode,
    String serviceDn,
    String servicePasswordFile,
    ServiceMechanism serviceMechanism,
    List<String> neverProxied,
    List<ExternalRule> external) {
  /**
   * Default list. 389-ds refuses proxied authorization as its Directory Manager, and ends if a
   * client attempts it with a wrong DN.
   */
  public static final List<String> DEFAULT_NEVER_PROXIED = List.of("cn=Directory Manager");

  /** Pass-through mode: connections are bound as the clients themselves. */
  public static final IdentityConfig PASS_THROUGH =
      new IdentityConfig(
          IdentityMode.PASS_THROUGH,
          "",
          "",
          ServiceMechanism.SIMPLE,
          DEFAULT_NEVER_PROXIED,
          List.of());

  public IdentityConfig {
    neverProxied = List.copyOf(neverProxied);
    external = List.copyOf(external);
    boolean byPeer = serviceMechanism == ServiceMechanism.EXTERNAL;
    boolean login = !serviceDn.isEmpty() || !servicePasswordFile.isEmpty();
    if (mode == IdentityMode.PASS_THROUGH) {
      refuse(!external.isEmpty(), "external", " is only for ", "mode", " proxied");
      refuse(byPeer, "serviceMechanism", " is only for ", "mode", " proxied");
      refuse(
          login, "serviceDn", " and ", "servicePasswordFile", " are only for ", "mode", " proxied");
    } else if (byPeer) {
      refuse(
          login,
          "serviceMechanism",
          " EXTERNAL takes neither ",
          "serviceDn",
          " nor ",
          "servicePasswordFile");
    } else {
      refuse(
          serviceDn.isEmpty(),
          "mode",
          " proxied needs ",
          "serviceDn",
          " or ",
          "serviceMechanism",
          " EXTERNAL");
      refuse(servicePasswordFile.isEmpty(), "serviceDn", " needs ", "servicePasswordFile");
    }
    NeverProxied nobody = reserved(neverProxied, serviceDn);
    refuse(
        external.stream()
            .map(ExternalRule::fixedAuthzId)
            .anyMatch(one -> one != null && nobody.contains(one)),
        "external",
        " has a rule whose clients would be ",
        "serviceDn",
        " or one of ",
        "neverProxied");
  }

  /**
   * Returns the identities that no rule may yield: the service account, and those for which it
   * never acts.
   */
  private static NeverProxied reserved(List<String> neverProxied, String serviceDn) {
    Stream<String> service = Stream.of(serviceDn).filter(dn -> !dn.isEmpty());
    return new NeverProxied(Stream.concat(neverProxied.stream(), service).toList());
  }

  /**
   * Returns the rules for clients that bind by EXTERNAL; none in pass-through mode.
   *
   * @param service service account as the servers name it, which no rule may yield either
   */
  public ExternalRules externalRules(@Nullable ServiceAccount service) {
    NeverProxied reservedIdentities = reserved(neverProxied, serviceDn);
    return new ExternalRules(
        external,
        authzId ->
            reservedIdentities.contains(authzId)
                || (service != null && service.isKnownAs(authzId)));
  }

  /** True if connections are bound as the service account. */
  public boolean isProxied() {
    return mode == IdentityMode.PROXIED;
  }
}
