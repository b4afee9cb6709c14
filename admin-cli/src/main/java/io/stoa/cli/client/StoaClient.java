// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.Serial;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Stoa, bound as its administrator. Before it sends a password it verifies that
 * the server is a Stoa.
 *
 * <p>Threading: confined to one command.
 */
public final class StoaClient implements AutoCloseable {
  /** Minimum version of the interface that has everything the commands use: 1. */
  private static final long INTERFACE = 1;

  private static final String MONITOR = "cn=monitor";
  private static final String ANY = "(objectClass=*)";

  /** Transient results that a Stoa may give to any client. */
  private static final Set<ResultCode> TRANSIENT =
      Set.of(ResultCode.BUSY, ResultCode.UNAVAILABLE, ResultCode.OTHER);

  private final Endpoint endpoint;
  private final LDAPConnection connection;

  StoaClient(Endpoint endpoint, LDAPConnection connection) {
    this.endpoint = endpoint;
    this.connection = connection;
  }

  /** Returns the address. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** True if the connection cannot be read on the network. */
  public boolean isProtected() {
    return endpoint.isOnThisMachine() || connection.getSSLSession() != null;
  }

  /** Verifies that the server is a Stoa that shows its own trees to this client. */
  void verifyStoa() throws StoaException {
    EntryValues monitor = monitor();
    Long number = monitor.number("stoaInterface");
    if (number == null || number < INTERFACE) {
      throw notStoa(monitor.text("version"));
    }
    if (Boolean.FALSE.equals(monitor.bool("stoaAdministrator"))) {
      throw new StoaException(
          StoactlExitCode.REFUSED, endpoint + " has no administrator: admin.tree is false");
    }
  }

  /**
   * Fails if Stoa is not ready. The connection is closed then.
   *
   * @throws StoaException with the reason
   */
  void requireReady() throws StoaException {
    boolean ready = false;
    try {
      EntryValues monitor = entry(MONITOR, "ready", Monitor.READY_REASON);
      ready = Boolean.TRUE.equals(monitor.bool("ready"));
      if (!ready) {
        throw new StoaException(
            StoactlExitCode.UNREACHABLE, endpoint + " is " + Monitor.notReady(monitor));
      }
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  private EntryValues monitor() throws StoaException {
    try {
      return entry(MONITOR, "version", "stoaInterface", "stoaAdministrator");
    } catch (StoaException e) {
      Integer result = e.resultCode();
      boolean passing = result != null && TRANSIENT.contains(ResultCode.valueOf(result));
      throw e.code() != StoactlExitCode.REFUSED || passing ? e : refusedMonitor(result);
    }
  }

  /**
   * Returns the failure for a refused reading of cn=monitor. No password is sent to such a server.
   */
  private StoaException refusedMonitor(@Nullable Integer result) {
    return result == null || result != ResultCode.INSUFFICIENT_ACCESS_RIGHTS_INT_VALUE
        ? notStoa(null)
        : new StoaException(
            StoactlExitCode.NOT_STOA,
            endpoint
                + " refuses cn=monitor: it is not a Stoa, or its admin.networks or "
                + "admin.listeners exclude this client");
  }

  private StoaException notStoa(@Nullable String version) {
    boolean old = version != null && version.startsWith("Stoa");
    return new StoaException(
        StoactlExitCode.NOT_STOA,
        old
            ? endpoint + " is " + version + ", which is too old for this stoactl"
            : endpoint
                + " has no cn=monitor of Stoa: it is not a Stoa, or its monitor.tree is false");
  }

  /** Binds as the administrator. */
  public void bind(AdminCredentials credentials) throws StoaException {
    AdminCredentials.Simple simple = credentials.get();
    try {
      bind(
          simple == null
              ? new EXTERNALBindRequest()
              : new SimpleBindRequest(simple.dn(), simple.password()));
    } finally {
      if (simple != null) {
        Arrays.fill(simple.password(), (byte) 0);
      }
    }
  }

  private void bind(BindRequest request) throws StoaException {
    try {
      connection.bind(request);
    } catch (LDAPException e) {
      ResultCode result = e.getResultCode();
      boolean looked =
          !TRANSIENT.contains(result) && !result.equals(ResultCode.CONFIDENTIALITY_REQUIRED);
      throw result.isClientSideResultCode() || !looked
          ? StoaException.of(e, endpoint)
          : StoaException.answered(StoactlExitCode.CREDENTIALS, e);
    }
  }

  /** Reads one entry, which must exist. */
  public EntryValues entry(String dn, String... attributes) throws StoaException {
    try {
      List<EntryValues> found = search(new SearchRequest(dn, SearchScope.BASE, ANY, attributes));
      if (found.isEmpty()) {
        throw StoaException.refused("there is no " + dn);
      }
      return found.get(0);
    } catch (LDAPException e) {
      throw StoaException.of(e, endpoint);
    }
  }

  /** Returns the entry and all entries below it that match a filter. */
  public List<EntryValues> below(String dn, String filter, String... attributes)
      throws StoaException {
    try {
      return search(new SearchRequest(dn, SearchScope.SUB, filter, attributes));
    } catch (LDAPException e) {
      throw StoaException.of(e, endpoint);
    }
  }

  /** Returns the one entry that Stoa answers to a search with a control. */
  public EntryValues searchOne(SearchRequest request, Control control) throws StoaException {
    request.addControl(control);
    List<EntryValues> entries = search(request);
    if (entries.size() != 1) {
      throw new StoaException(
          StoactlExitCode.NOT_STOA,
          endpoint + " returned " + entries.size() + " entries instead of one");
    }
    return entries.get(0);
  }

  /**
   * Runs a search whose entries are used as they arrive. The search has its own response timeout.
   *
   * @param onEntry receives each entry on the thread of the caller
   */
  public void stream(SearchRequest request, Consumer<EntryValues> onEntry) throws StoaException {
    SearchRequest streamed =
        new SearchRequest(
            new EntryListener(onEntry),
            request.getBaseDN(),
            request.getScope(),
            request.getDereferencePolicy(),
            request.getSizeLimit(),
            request.getTimeLimitSeconds(),
            request.typesOnly(),
            request.getFilter(),
            request.getAttributes());
    streamed.setResponseTimeoutMillis(request.getResponseTimeoutMillis(connection));
    search(streamed);
  }

  /** Passes entries on. Threading: confined to one command. */
  private static final class EntryListener implements SearchResultListener {
    @Serial private static final long serialVersionUID = 1;

    private final transient Consumer<EntryValues> onEntry;

    EntryListener(Consumer<EntryValues> onEntry) {
      this.onEntry = onEntry;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      onEntry.accept(new EntryValues(entry));
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // Stoa's own trees have none
    }
  }

  private List<EntryValues> search(SearchRequest request) throws StoaException {
    try {
      List<SearchResultEntry> found = connection.search(request).getSearchEntries();
      return found == null ? List.of() : found.stream().map(EntryValues::new).toList();
    } catch (LDAPSearchException e) {
      throw StoaException.of(e, endpoint);
    }
  }

  /** Runs an action of an entry. Returns Stoa's message about what was done. */
  public String act(String dn, String action) throws StoaException {
    return replace(dn, "stoaAction", List.of(action));
  }

  /** Replaces the values of an attribute. Returns Stoa's message, which may be empty. */
  public String replace(String dn, String attribute, List<String> values) throws StoaException {
    return modify(dn, ModificationType.REPLACE, attribute, values);
  }

  /** Deletes values of an attribute, which must have all of them. */
  public void delete(String dn, String attribute, List<String> values) throws StoaException {
    modify(dn, ModificationType.DELETE, attribute, values);
  }

  private String modify(String dn, ModificationType type, String attribute, List<String> values)
      throws StoaException {
    Modification modification = new Modification(type, attribute, values.toArray(String[]::new));
    try {
      String message =
          connection.modify(new ModifyRequest(dn, modification)).getDiagnosticMessage();
      return message == null ? "" : message;
    } catch (LDAPException e) {
      throw StoaException.of(e, endpoint);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
