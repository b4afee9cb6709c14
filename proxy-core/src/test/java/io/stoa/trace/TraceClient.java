// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import java.util.function.Consumer;

/** The clients of the trace. Immutable. */
enum TraceClient {
  SSSD(HostClients::sssd),
  SSSD_BY_TLS(HostClients::sssdByTls),
  NSLCD(HostClients::nslcd),
  SUDO(HostClients::sudo),
  GITLAB(LoginClients::gitlab),
  JENKINS(LoginClients::jenkins),
  SPRING_SECURITY(LoginClients::spring),
  KEYCLOAK(LoginClients::keycloak),
  VAULT(LoginClients::vault),
  GRAFANA(LoginClients::grafana),
  APACHE(LoginClients::apache),
  KANBOARD_NEXTCLOUD(LoginClients::kanboardAndNextcloud),
  POSTFIX(ServiceClients::postfix),
  DOVECOT(ServiceClients::dovecot),
  FREERADIUS(ServiceClients::freeradius),
  POWERDNS(ServiceClients::powerDns),
  LDAP3(LibraryClients::ldap3),
  JNDI(LibraryClients::jndi),
  LIBLDAP(LibraryClients::libldap),
  NET_LDAP(LibraryClients::netLdap),
  LDAPTS(LibraryClients::ldapts);

  @SuppressWarnings("ImmutableEnumChecker") // a method reference that holds nothing
  private final Consumer<Trace> script;

  TraceClient(Consumer<Trace> script) {
    this.script = script;
  }

  /** Does all that it does in one run. */
  void run(Trace trace) {
    script.accept(trace);
  }
}
