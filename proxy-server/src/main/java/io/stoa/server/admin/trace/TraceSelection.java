// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.Network;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.OperationText.FilterTest;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The operations that a trace shows: all, or those of a client, an identity and a filter. Each
 * criterion tests only what the client sent, and where the client is.
 *
 * <p>Threading: confined to the thread of the trace, except {@link #admitsClient}, which runs on
 * any thread.
 */
final class TraceSelection {
  static final String CLIENT = "stoaTraceClient";
  static final String IDENTITY = "stoaTraceIdentity";
  static final String FILTER = "stoaTraceFilter";

  /** The name by which anonymous clients are selected. */
  private static final String ANONYMOUS = "anonymous";

  private static final String FORM =
      "a trace is selected by (objectClass=*), or by a conjunction of equalities of "
          + CLIENT
          + ", "
          + IDENTITY
          + " and "
          + FILTER;

  private final AccessLogConfig config;
  private @Nullable Long number;
  private @Nullable Network network;
  private @Nullable NormalDn identity;
  private @Nullable FilterTest filter;

  private TraceSelection(AccessLogConfig config) {
    this.config = config;
  }

  /**
   * Reads the selection from the filter of the administrator's search.
   *
   * @throws IllegalArgumentException if it has another form; the message is for the administrator
   */
  static TraceSelection of(FilterNode selection, AccessLogConfig config) {
    TraceSelection result = new TraceSelection(config);
    result.add(selection);
    return result;
  }

  private void add(FilterNode node) {
    if (node instanceof And and) {
      and.members().forEach(this::add);
    } else if (node instanceof Equality equality) {
      add(lower(equality.attribute()), new String(equality.value(), UTF_8));
    } else if (!(node instanceof Present any && lower(any.attribute()).equals("objectclass"))) {
      throw new IllegalArgumentException(FORM);
    }
  }

  private void add(String attribute, String value) {
    if (attribute.equals(CLIENT.toLowerCase(Locale.ROOT))) {
      addClient(value);
    } else if (attribute.equals(IDENTITY.toLowerCase(Locale.ROOT))) {
      addIdentity(value);
    } else if (attribute.equals(FILTER.toLowerCase(Locale.ROOT))) {
      addFilter(value);
    } else {
      throw new IllegalArgumentException(FORM);
    }
  }

  private void addClient(String value) {
    if (value.matches("\\d{1,18}")) {
      number = Long.valueOf(value);
      return;
    }
    try {
      network = Network.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the client must be a number, an IP address or a network such as 10.0.0.0/8", e);
    }
  }

  private void addIdentity(String value) {
    NormalDn dn = dn(value.equalsIgnoreCase(ANONYMOUS) ? new byte[0] : value.getBytes(UTF_8));
    if (!dn.isDn()) {
      throw new IllegalArgumentException("the identity must be a DN, or " + ANONYMOUS);
    }
    identity = dn;
  }

  private void addFilter(String value) {
    try {
      filter = new FilterTest(config, Filter.create(value).encode().encode());
    } catch (LDAPException | IllegalArgumentException e) {
      throw new IllegalArgumentException("the filter to trace is not valid (RFC 4515)", e);
    }
  }

  private static NormalDn dn(byte[] name) {
    return NormalDn.of(name, ServerProfile.EXACT);
  }

  private static String lower(byte[] attribute) {
    return new String(attribute, UTF_8).toLowerCase(Locale.ROOT);
  }

  /** True if the client is selected. A client of a local socket is in no network. */
  boolean admitsClient(CompletedOperation operation) {
    if (number != null && number != operation.client()) {
      return false;
    }
    InetAddress address = operation.peer().address();
    return network == null || (address != null && network.contains(address));
  }

  /** True if identity and filter are selected, too. */
  boolean admits(CompletedOperation operation) {
    return (identity == null || hasIdentity(operation, identity))
        && (filter == null || filter.matches(operation));
  }

  /** True if the client has the identity, or has tried to bind by its name. */
  private static boolean hasIdentity(CompletedOperation operation, NormalDn wanted) {
    byte[] dn = ClientIdentity.dnOf(operation.identity());
    Request request = operation.request();
    boolean tried =
        request != null && request.op() instanceof BindOp bind && dn(bind.name()).mayEqual(wanted);
    return tried || (dn != null && dn(dn).mayEqual(wanted));
  }
}
