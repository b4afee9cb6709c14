// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a {@link Slapd} is started with: modules, schema files, settings of the server as a whole,
 * its databases, whether it speaks TLS, and variables of its environment. Immutable.
 */
public record SlapdConfig(
    List<String> modules,
    List<String> schemas,
    String settings,
    List<Database> databases,
    boolean tls,
    Map<String, String> environment) {

  /** The name and the password of the root identity of every database are built from these. */
  public static final String ROOT_RDN = "cn=admin";

  public static final String ROOT_PASSWORD = "secret";

  /** Stands for the directory of the server's files in the settings of a database. */
  public static final String DIRECTORY = "%DIRECTORY%";

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
        false,
        Map.of());
  }

  public SlapdConfig module(String name) {
    return new SlapdConfig(plus(modules, name), schemas, settings, databases, tls, environment);
  }

  public SlapdConfig schema(String name) {
    return new SlapdConfig(modules, plus(schemas, name), settings, databases, tls, environment);
  }

  /** Adds lines that stand before the first database. */
  public SlapdConfig global(String lines) {
    return new SlapdConfig(modules, schemas, settings + lines + "\n", databases, tls, environment);
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
    return new SlapdConfig(plain.modules, schemas, plain.settings, databases, true, environment);
  }

  /** Adds variables to the environment of the server's process. */
  public SlapdConfig environment(Map<String, String> variables) {
    return Records.with(this, "environment", Map.copyOf(variables));
  }

  public SlapdConfig database(String suffix, String lines, Ldif ldif) {
    Database database = new Database(suffix, lines, ldif.toString());
    return new SlapdConfig(modules, schemas, settings, plus(databases, database), tls, environment);
  }

  private static <T> List<T> plus(List<T> list, T last) {
    List<T> longer = new ArrayList<>(list);
    longer.add(last);
    return List.copyOf(longer);
  }
}
