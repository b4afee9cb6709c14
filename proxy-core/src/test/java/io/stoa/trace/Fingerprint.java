// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/**
 * What a client library puts into every search besides what its user asked for. Immutable.
 *
 * @param deref derefAliases
 * @param timeLimit in seconds
 * @param controls that go with every search
 */
record Fingerprint(int deref, int timeLimit, List<Control> controls) {
  /** ldapsearch, curl, SSSD, nslcd, Postfix, Dovecot, UnboundID. */
  static final Fingerprint LIBLDAP = new Fingerprint(0, 0, List.of());

  /** JNDI that ignores referrals, as it does if nobody says otherwise. */
  static final Fingerprint JNDI =
      new Fingerprint(3, 0, List.of(new ManageDsaITRequestControl(false)));

  static final Fingerprint JNDI_FOLLOW = new Fingerprint(3, 0, List.of());
  static final Fingerprint LDAP3 = new Fingerprint(3, 0, List.of());
  static final Fingerprint NET_LDAP = new Fingerprint(2, 0, List.of());
  static final Fingerprint LDAPTS = new Fingerprint(0, 10, List.of());
  static final Fingerprint APACHE = new Fingerprint(3, 0, List.of());
  static final Fingerprint FREERADIUS = new Fingerprint(0, 3, List.of());

  /** Ruby's Net::LDAP: pages of 126, whether or not there will be a second. */
  static final Fingerprint RUBY = paged(126, false);

  /** SSSD where it expects more than one entry. */
  static final Fingerprint SSSD_PAGED = paged(1000, false);

  static Fingerprint paged(int size, boolean critical) {
    return new Fingerprint(0, 0, List.of(new SimplePagedResultsControl(size, null, critical)));
  }

  /** The search as this library sends it. */
  RawRequest of(SearchBuilder search) {
    return search
        .deref(deref)
        .timeLimit(timeLimit)
        .request()
        .with(controls.toArray(Control[]::new));
  }
}
