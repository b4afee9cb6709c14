// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.csn.PositionReader;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a server for a change feed, as visible to the account of the feed.
 *
 * <p>Threading: immutable.
 *
 * @param sync true if the server supports sync searches (RFC 4533)
 * @param position the contextCSN of the naming context; empty if there is none
 * @param changelog true if the server keeps a retro changelog, as 389-ds does
 * @param controller true if the server is a domain controller of Active Directory
 * @param log true if the naming context is itself an accesslog
 */
public record FeedCapabilities(
    boolean sync, Cookie position, boolean changelog, boolean controller, boolean log) {
  private static final String CAPABILITY_AD = "1.2.840.113556.1.4.800";

  /**
   * Decides what is searched for changes, each time a feed begins anew.
   *
   * <p>Threading: thread of the feed.
   */
  public interface Origin {
    /**
     * Decides it for the connected server.
     *
     * @throws IOException if the server lacks the required capability; the message names the remedy
     */
    ChangeSearch begin(LDAPConnection connection, FeedContext context) throws IOException;
  }

  /**
   * Collaborators that a feed offers to its origin.
   *
   * <p>Threading: immutable.
   *
   * @param sink receives the changes, on the thread of the feed
   * @param reader reads with the account of the feed
   * @param executor the thread of the feed
   * @param restart makes the feed begin anew; takes the reason
   */
  public record FeedContext(
      FeedSink sink, PrivilegedReader reader, EventExecutor executor, Consumer<String> restart) {}

  /**
   * A search for changes and the receiver of its results.
   *
   * <p>Threading: immutable.
   *
   * @param kind the kind of the feed
   * @param protocol the protocol, as named in log lines
   * @param target the search
   * @param from the current position of the server in the searched tree
   * @param sink receives the results of the search
   * @param proof checks positions of the naming context
   */
  public record ChangeSearch(
      FeedKind kind, String protocol, Target target, Cookie from, FeedSink sink, Proof proof) {}

  /**
   * A sync search.
   *
   * <p>Threading: immutable.
   */
  public record Target(String base, Filter filter, List<String> attributes) {
    /** Creates a search for all entries with all attributes. */
    public static Target whole(String base) {
      return new Target(base, Filter.createPresenceFilter("objectClass"), List.of("*", "+"));
    }

    /**
     * Encodes the search as a protocolOp.
     *
     * @param scope the scope of RFC 4511, section 4.5.1.2
     */
    byte[] request(int scope) {
      byte[] encodedFilter = filter.encode().encode();
      return SearchOp.encode(base.getBytes(UTF_8), scope, encodedFilter, attributes);
    }
  }

  /** Checks whether the feed reports all changes up to a position of the naming context. */
  public interface Proof {
    /**
     * Checks a position.
     *
     * @param receiver receives the position once it is proved, on any thread; perhaps never
     */
    void verify(Position position, Consumer<Position> receiver);
  }

  /** Returns a source that searches the naming context itself, if the server offers that. */
  public static ChangeSearch contextSearch(LDAPConnection connection, String base, FeedSink to)
      throws IOException {
    FeedCapabilities capabilities = of(connection, base);
    String refusal = capabilities.refusal(base);
    if (!refusal.isEmpty()) {
      throw new DescribedException(refusal);
    }
    Proof proof = (position, receiver) -> receiver.accept(position);
    return new ChangeSearch(
        FeedKind.SYNCREPL, "sync searches", Target.whole(base), capabilities.position(), to, proof);
  }

  /** Reads the capabilities of a server. */
  public static FeedCapabilities of(LDAPConnection connection, String base) throws IOException {
    String[] wanted = {"supportedControl", "supportedCapabilities", "lastChangeNumber"};
    SearchResultEntry root = read(connection, "", wanted);
    SearchResultEntry entry = read(connection, base, PositionReader.CONTEXT_CSN, "objectClass");
    return new FeedCapabilities(
        has(root, "supportedControl", ContentSyncRequestControl.SYNC_REQUEST_OID),
        position(entry),
        root != null && root.hasAttribute("lastChangeNumber"),
        has(root, "supportedCapabilities", CAPABILITY_AD),
        entry != null && entry.hasObjectClass("auditContainer"));
  }

  /** Reads the position of a server; empty if the server does not show one. */
  public static Cookie position(LDAPConnection connection, String base) throws IOException {
    return position(read(connection, base, PositionReader.CONTEXT_CSN));
  }

  private static Cookie position(@Nullable SearchResultEntry entry) {
    String[] csns = entry == null ? null : entry.getAttributeValues(PositionReader.CONTEXT_CSN);
    return csns == null ? Cookie.NONE : Cookie.of(List.of(csns));
  }

  private static boolean has(@Nullable SearchResultEntry entry, String attribute, String value) {
    String[] values = entry == null ? null : entry.getAttributeValues(attribute);
    return values != null && Arrays.asList(values).contains(value);
  }

  private static @Nullable SearchResultEntry read(
      LDAPConnection connection, String dn, String... attributes) throws IOException {
    SearchRequest search =
        new SearchRequest(
            dn,
            SearchScope.BASE,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.createPresenceFilter("objectClass"),
            attributes);
    try {
      return connection.searchForEntry(search);
    } catch (LDAPException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        return null;
      }
      throw new DescribedException(SdkLink.text(e), e);
    }
  }

  /** Returns the reason why no sync search is possible; empty if one is. */
  public String refusal(String base) {
    if (log) {
      return base
          + " is an accesslog: its records contain written values, including passwords; "
          + "nothing of it is cached";
    }
    if (sync && !position.isEmpty()) {
      return "";
    }
    if (sync) {
      return "the server shows no contextCSN of "
          + base
          + ": load overlay syncprov for that database, and let the account read contextCSN";
    }
    if (changelog) {
      return "the server offers a retro changelog, not sync searches: set feed.mode to "
          + "auto or changelog";
    }
    return controller
        ? "change feeds of Active Directory are not supported"
        : "the server offers no sync searches (RFC 4533): in OpenLDAP, load overlay syncprov";
  }
}
