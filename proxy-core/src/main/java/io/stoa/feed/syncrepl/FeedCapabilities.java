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
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a server offers to tell of changes, as the account of the feed sees it. Immutable.
 *
 * @param sync whether it knows sync searches (RFC 4533)
 * @param position how far it has got in the naming context, if it has a contextCSN
 * @param changelog whether it keeps a retro changelog, as 389-ds does
 * @param controller whether it is a domain controller of Active Directory
 * @param log whether the naming context holds records of what was done elsewhere
 */
public record FeedCapabilities(
    boolean sync, Cookie position, boolean changelog, boolean controller, boolean log) {
  private static final String CAPABILITY_AD = "1.2.840.113556.1.4.800";

  /** Decides, whenever a feed begins anew, what is searched for changes. Confined to its feed. */
  public interface Origin {
    /**
     * Decides it.
     *
     * @throws IOException if the server does not offer it; the message says what would help
     */
    Source begin(LDAPConnection connection, FeedContext ties) throws IOException;
  }

  /**
   * What an origin has of its feed. Immutable.
   *
   * @param to is told of changes, on the feed's thread
   * @param reader reads as the account of the feed
   * @param own the feed's thread
   * @param end has the feed begin anew, and why
   */
  public record FeedContext(
      FeedSink to, PrivilegedReader reader, EventExecutor own, Consumer<String> end) {}

  /**
   * What is searched, and what becomes of what is found. Immutable.
   *
   * @param by by what means changes are told, for people
   * @param from how far the server has got there
   * @param sink hears what is found
   */
  public record Source(
      FeedKind kind, String by, Target target, Cookie from, FeedSink sink, Proof proof) {}

  /** A sync search. Immutable. */
  public record Target(String base, Filter filter, List<String> attributes) {
    /** All entries, whole. */
    public static Target whole(String base) {
      return new Target(base, Filter.createPresenceFilter("objectClass"), List.of("*", "+"));
    }

    /**
     * The protocolOp of a search for it.
     *
     * @param scope of RFC 4511, section 4.5.1.2
     */
    byte[] request(int scope) {
      byte[] encodedFilter = filter.encode().encode();
      return SearchOp.encode(base.getBytes(UTF_8), scope, encodedFilter, attributes);
    }
  }

  /** Whether a position of the naming context proves what it seems to. */
  public interface Proof {
    /**
     * Finds it out.
     *
     * @param told hears the position when it does, on any thread; perhaps never
     */
    void of(Position position, Consumer<Position> told);
  }

  /** The naming context itself is searched, by whom it is offered. */
  public static Source context(LDAPConnection connection, String base, FeedSink to)
      throws IOException {
    FeedCapabilities offer = of(connection, base);
    String refusal = offer.refusal(base);
    if (!refusal.isEmpty()) {
      throw new IOException(refusal);
    }
    Proof taken = (position, told) -> told.accept(position);
    return new Source(
        FeedKind.SYNCREPL, "sync searches", Target.whole(base), offer.position(), to, taken);
  }

  /** Asks the server. */
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

  /** How far the server has got; empty if it does not say so. */
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
      throw new IOException(SdkLink.text(e), e);
    }
  }

  /** Why no sync search is begun here; empty if one is. */
  public String refusal(String base) {
    if (log) {
      return base
          + " is an accesslog, whose records hold what was written, and passwords among that:"
          + " nothing of it is kept";
    }
    if (sync && !position.isEmpty()) {
      return "";
    }
    if (sync) {
      return "it shows no contextCSN of "
          + base
          + ": load overlay syncprov for that database, and let the account read contextCSN";
    }
    if (changelog) {
      return "it keeps a changelog, which sync searches do not follow: feed.mode is to be auto, or"
          + " changelog";
    }
    return controller
        ? "Active Directory is not followed yet"
        : "it offers no sync searches (RFC 4533): in OpenLDAP, load overlay syncprov";
  }
}
