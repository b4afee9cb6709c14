// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * Object identifiers of extended operations, controls and notices that Stoa knows.
 *
 * <p>Threading: immutable.
 */
public final class Oids {
  // Extended operations and unsolicited notifications
  public static final String START_TLS = "1.3.6.1.4.1.1466.20037";
  public static final String NOTICE_OF_DISCONNECTION = "1.3.6.1.4.1.1466.20036";
  public static final String DYNAMIC_REFRESH = "1.3.6.1.4.1.1466.101.119.1";
  public static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  public static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  public static final String CANCEL = "1.3.6.1.1.8";
  public static final String TURN = "1.3.6.1.1.19";
  public static final String TXN_START = "1.3.6.1.1.21.1";
  public static final String TXN_END = "1.3.6.1.1.21.3";

  // Controls of RFCs
  public static final String TXN_SPEC = "1.3.6.1.1.21.2";
  public static final String MANAGE_DSA_IT = "2.16.840.1.113730.3.4.2";
  public static final String SUBENTRIES = "1.3.6.1.4.1.4203.1.10.1";
  public static final String PAGED = "1.2.840.113556.1.4.319";
  public static final String SORT_REQUEST = "1.2.840.113556.1.4.473";
  public static final String SORT_RESPONSE = "1.2.840.113556.1.4.474";
  public static final String SYNC_REQUEST = "1.3.6.1.4.1.4203.1.9.1.1";
  public static final String DONT_USE_COPY = "1.3.6.1.1.22";
  public static final String PROXIED_AUTHZ_V2 = "2.16.840.1.113730.3.4.18";
  public static final String ASSERTION = "1.3.6.1.1.12";
  public static final String MATCHED_VALUES = "1.2.826.0.1.3344810.2.3";
  public static final String PRE_READ = "1.3.6.1.1.13.1";
  public static final String POST_READ = "1.3.6.1.1.13.2";

  // Controls of Stoa

  /** A write with this control, which is not critical, skips all write windows. */
  public static final String WRITE_NOW = "2.25.241350994468802291888091092302981282449";

  /** A search of the administrator with this control is explained instead of executed. */
  public static final String EXPLAIN = "2.25.303148281960718826483917064418722203871";

  // Controls of drafts and vendors
  public static final String VLV_REQUEST = "2.16.840.1.113730.3.4.9";
  public static final String PERSISTENT_SEARCH = "2.16.840.1.113730.3.4.3";
  public static final String ENTRY_CHANGE = "2.16.840.1.113730.3.4.7";
  public static final String PROXIED_AUTHZ_V1 = "2.16.840.1.113730.3.4.12";
  public static final String PWD_EXPIRED = "2.16.840.1.113730.3.4.4";
  public static final String AUTHZID_REQUEST = "2.16.840.1.113730.3.4.16";
  public static final String AUTHZID_RESPONSE = "2.16.840.1.113730.3.4.15";
  public static final String PASSWORD_POLICY = "1.3.6.1.4.1.42.2.27.8.5.1";
  public static final String EFFECTIVE_RIGHTS = "1.3.6.1.4.1.42.2.27.9.5.2";
  public static final String SESSION_TRACKING = "1.3.6.1.4.1.21008.108.63.1";
  public static final String DEREF = "1.3.6.1.4.1.4203.666.5.16";
  public static final String NO_OP = "1.3.6.1.4.1.4203.666.5.2";
  public static final String RELAX = "1.3.6.1.4.1.4203.666.5.12";
  public static final String TREE_DELETE = "1.2.840.113556.1.4.805";
  public static final String PERMISSIVE_MODIFY = "1.2.840.113556.1.4.1413";
  public static final String LAZY_COMMIT = "1.2.840.113556.1.4.619";
  public static final String DIRSYNC = "1.2.840.113556.1.4.841";
  public static final String AD_NOTIFICATION = "1.2.840.113556.1.4.528";

  private Oids() {}
}
