// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Ds389} is started with: its databases, and what is changed in the configuration
 * that 389-ds gives to a new instance, whether it speaks TLS, and variables of its environment.
 * Immutable.
 */
public record Ds389Config(
    List<Database> databases,
    List<Setting> settings,
    List<String> entries,
    @Nullable Tls tls,
    Map<String, String> environment) {
  public static final String ROOT = "cn=Directory Manager";
  public static final String ROOT_PASSWORD = "secret";

  static final String CONFIG = "cn=config";
  private static final String DATABASE = "cn=config,cn=ldbm database,cn=plugins,cn=config";

  /** One database and what is in it at first. */
  public record Database(String suffix, String ldif) {}

  /** With which certificate it speaks TLS, and whose it trusts. */
  record Tls(Certificates authority, Certificates.Pair own) {}

  /** The values of an attribute of an entry of the configuration. */
  record Setting(String entry, String attribute, List<String> values) {}

  /** As installed, but small, without logs, and with passwords as they were given (for SASL). */
  public static Ds389Config stock() {
    return new Ds389Config(List.of(), List.of(), List.of(), null, Map.of())
        .set(CONFIG, "nsslapd-accesslog-logging-enabled", "off")
        .set(CONFIG, "nsslapd-securitylog-logging-enabled", "off")
        .set(CONFIG, "nsslapd-maxdescriptors", "1024")
        .set(CONFIG, "nsslapd-enable-upgrade-hash", "off")
        .set(CONFIG, "passwordStorageScheme", "CLEAR")
        .set(DATABASE, "nsslapd-cache-autosize", "0")
        .set(DATABASE, "nsslapd-dbcachesize", "10485760")
        .set(DATABASE, "nsslapd-import-cache-autosize", "0")
        .set(DATABASE, "nsslapd-import-cachesize", "20971520");
  }

  public Ds389Config database(String suffix, Ldif ldif) {
    Database database = new Database(suffix, ldif.toString());
    return new Ds389Config(plus(databases, database), settings, entries, tls, environment);
  }

  /** Replaces the values of an attribute of {@code cn=config} or an entry below it. */
  public Ds389Config set(String entry, String attribute, String... values) {
    Setting setting = new Setting(entry, attribute, List.of(values));
    return new Ds389Config(databases, plus(settings, setting), entries, tls, environment);
  }

  /** Listens locally, too, and takes whoever runs the tests for this account there. */
  public Ds389Config local(String account) {
    return set(CONFIG, "nsslapd-ldapilisten", "on")
        .set(CONFIG, "nsslapd-ldapiautobind", "on")
        .set(CONFIG, "nsslapd-ldapimaprootdn", account)
        .set(CONFIG, "nsslapd-ldapimaptoentries", "on")
        .set(CONFIG, "nsslapd-ldapiuidnumbertype", "uidNumber")
        .set(CONFIG, "nsslapd-ldapigidnumbertype", "gidNumber")
        .set(CONFIG, "nsslapd-ldapientrysearchbase", account);
  }

  /** Writes a line for each operation, at once: {@link Ds389#log} has them. */
  public Ds389Config logOperations() {
    return set(CONFIG, "nsslapd-accesslog-logging-enabled", "on")
        .set(CONFIG, "nsslapd-accesslog-logbuffering", "off");
  }

  /** Takes the name that somebody binds with by SASL for the uid of an entry below the suffix. */
  public Ds389Config saslNames(String suffix) {
    return entry(
        """
        dn: cn=uid mapping,cn=mapping,cn=sasl,cn=config
        objectClass: nsSaslMapping
        cn: uid mapping
        nsSaslMapRegexString: ^[^:@]+$
        nsSaslMapBaseDNTemplate: %s
        nsSaslMapFilterTemplate: (uid=&)
        """
            .formatted(suffix));
  }

  /** Adds variables to the environment of the server's process. */
  public Ds389Config environment(Map<String, String> variables) {
    return Records.with(this, "environment", Map.copyOf(variables));
  }

  /** Adds an entry to the configuration: LDIF with its DN. */
  public Ds389Config entry(String ldif) {
    return new Ds389Config(databases, settings, plus(entries, ldif), tls, environment);
  }

  /** Switches on a plug-in that is off as installed. */
  public Ds389Config plugin(String name) {
    return set("cn=" + name + ",cn=plugins," + CONFIG, "nsslapd-pluginEnabled", "on");
  }

  /** Offers StartTLS, and listens on a second port for ldaps; clients may show a certificate. */
  public Ds389Config tls(Certificates authority, Certificates.Pair own) {
    return new Ds389Config(databases, settings, entries, new Tls(authority, own), environment)
        .set(CONFIG, "nsslapd-security", "on")
        .set("cn=RSA,cn=encryption," + CONFIG, "nsSSLPersonalitySSL", NssDatabase.NAME)
        .set(CONFIG, "nsslapd-extract-pemfiles", "off");
  }

  private static <T> List<T> plus(List<T> list, T last) {
    List<T> longer = new ArrayList<>(list);
    longer.add(last);
    return List.copyOf(longer);
  }
}
