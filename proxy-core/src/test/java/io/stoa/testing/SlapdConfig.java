// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link Slapd} is started with: modules, schema files, settings of the server as a whole,
 * its databases, and whether it speaks TLS. Immutable.
 */
public record SlapdConfig(
    List<String> modules,
    List<String> schemas,
    String settings,
    List<Database> databases,
    boolean tls) {

  /** The name and the password of the root identity of every database are built from these. */
  public static final String ROOT_RDN = "cn=admin";

  public static final String ROOT_PASSWORD = "secret";

  /** One mdb database; {@code settings} are lines of slapd.conf such as access rules, overlays. */
  public record Database(String suffix, String settings, String ldif) {
    public String rootDn() {
      return ROOT_RDN + "," + suffix;
    }
  }

  /** A server with the usual schemas, stock limits and no database but {@code cn=Monitor}. */
  public static SlapdConfig stock() {
    return new SlapdConfig(
        List.of("back_mdb"),
        List.of("core", "cosine", "inetorgperson", "nis", "dyngroup"),
        "",
        List.of(),
        false);
  }

  public SlapdConfig module(String name) {
    return new SlapdConfig(plus(modules, name), schemas, settings, databases, tls);
  }

  public SlapdConfig schema(String name) {
    return new SlapdConfig(modules, plus(schemas, name), settings, databases, tls);
  }

  /** Adds lines that stand before the first database. */
  public SlapdConfig global(String lines) {
    return new SlapdConfig(modules, schemas, settings + lines + "\n", databases, tls);
  }

  /** Offers StartTLS, and listens on a second port for ldaps; clients may show a certificate. */
  public SlapdConfig tls(Certificates authority, Certificates.Pair own) {
    String lines =
        "TLSCACertificateFile "
            + authority.ca()
            + "\nTLSCertificateFile "
            + own.certificate()
            + "\nTLSCertificateKeyFile "
            + own.key()
            + "\nTLSVerifyClient try";
    SlapdConfig plain = global(lines);
    return new SlapdConfig(plain.modules, schemas, plain.settings, databases, true);
  }

  public SlapdConfig database(String suffix, String lines, Ldif ldif) {
    Database database = new Database(suffix, lines, ldif.toString());
    return new SlapdConfig(modules, schemas, settings, plus(databases, database), tls);
  }

  private static <T> List<T> plus(List<T> list, T last) {
    List<T> longer = new ArrayList<>(list);
    longer.add(last);
    return List.copyOf(longer);
  }
}
