// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Rules by which a renewed certificate of Stoa is refused, so that the one in use stays. A renewed
 * certificate must be valid now, and must serve the same purpose as the old one.
 *
 * <p>Threading: stateless.
 */
final class CertificateRules {
  /** OID of the extended key usage serverAuth (RFC 5280, section 4.2.1.12). */
  private static final String SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

  private static final String ANY_USE = "2.5.29.37.0";

  /** GeneralName types dNSName and iPAddress (RFC 5280, section 4.2.1.6). */
  private static final Set<Integer> HOST_NAMES = Set.of(2, 7);

  private CertificateRules() {}

  /**
   * Returns why the files are unusable at a time; empty if they are usable. The own certificate
   * must be valid. The rest of its chain may have expired: peers that trust a newer authority
   * ignore it. A single valid authority is enough, because bundles keep expired ones.
   */
  static String invalidity(TlsConfig config, TlsMaterial material, Instant now) {
    String leafInvalidity =
        material.chain().isEmpty() ? "" : invalidity(material.chain().get(0), now);
    if (!leafInvalidity.isEmpty()) {
      return config.certificate() + " " + leafInvalidity;
    }
    for (RevocationList list : material.lists()) {
      String outdated = list.invalidity(now);
      if (!outdated.isEmpty()) {
        return outdated;
      }
    }
    List<String> authorities = material.trusted().stream().map(ca -> invalidity(ca, now)).toList();
    return authorities.isEmpty() || authorities.contains("")
        ? ""
        : config.ca()
            + " contains no certificate that is valid now; the first one "
            + authorities.get(0);
  }

  private static String invalidity(X509Certificate certificate, Instant now) {
    Instant from = certificate.getNotBefore().toInstant();
    Instant to = certificate.getNotAfter().toInstant();
    if (to.isBefore(now)) {
      return "expired at " + to;
    }
    return from.isAfter(now) ? "is not valid before " + from : "";
  }

  /**
   * Returns why a listener's certificate cannot replace another; empty if it can.
   *
   * @param old the certificate in use
   */
  static String misfit(X509Certificate old, X509Certificate renewed) {
    try {
      if (isForServers(old) && !isForServers(renewed)) {
        return "cannot be used by a server: its extended key usage lacks serverAuth";
      }
      Set<String> names = hosts(old);
      Set<String> hosts = hosts(renewed);
      boolean other = !names.isEmpty() && names.stream().noneMatch(hosts::contains);
      return other ? "is for other hosts " + hosts + " than the one in use " + names : "";
    } catch (CertificateParsingException e) {
      return "contains an invalid extension";
    }
  }

  private static boolean isForServers(X509Certificate certificate)
      throws CertificateParsingException {
    List<String> uses = certificate.getExtendedKeyUsage();
    return uses == null || uses.contains(SERVER_AUTHENTICATION) || uses.contains(ANY_USE);
  }

  private static Set<String> hosts(X509Certificate certificate) throws CertificateParsingException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    Set<String> hosts = new HashSet<>();
    for (List<?> name : names == null ? List.<List<?>>of() : names) {
      if (name.get(0) instanceof Integer kind && HOST_NAMES.contains(kind)) {
        hosts.add(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT));
      }
    }
    return hosts;
  }
}
