// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a search return the entryUUID and the state of each entry, and removes again what the
 * client did not request. The client receives, octet by octet, what the directory would have sent
 * it.
 *
 * <p>An entry that is too large to be collected cannot be rewritten. The search is then sent once
 * more as the client sent it, unless the client has received a part of the answer.
 *
 * <p>Threading: event loop.
 */
public final class VersionedSearch extends ForwardingSink {
  private static final Set<String> ENTRY_UUID = Set.of("entryuuid", "1.3.6.1.1.16.4");
  private static final Set<String> ENTRY_CSN = Set.of("entrycsn", "1.3.6.1.4.1.4203.666.1.7");
  private static final Set<String> NS_UNIQUE_ID = Set.of("nsuniqueid", "2.16.840.1.113730.3.1.542");
  private static final Set<String> MODIFY_TIMESTAMP = Set.of("modifytimestamp", "2.5.18.2");

  /**
   * Access rules of 389-ds. The server returns them for a list with an asterisk, but not for an
   * empty list.
   */
  private static final Set<String> ACI = Set.of("aci", "2.16.840.1.113730.3.1.55");

  private static final String ALL_USER = "*";
  private static final String ALL_OPERATIONAL = "+";
  private static final String NOTHING = "1.1";

  private static final int MORE_OCTETS = 32;

  /**
   * Number of elements of a search request before its list of attributes: 7 (RFC 4511, section
   * 4.5.1).
   */
  private static final int BEFORE_THE_LIST = 7;

  private final Operation operation;
  private final RequestedParts requestedParts;
  private final DerivedAttributes derived;
  private final PlainSender plainSender;
  private final byte[] originalRequest;
  private final List<Version> versions = new ArrayList<>(1);
  private boolean sendingAgain;

  /**
   * Parts of the extended response that the client receives. Immutable.
   *
   * @param kind the kind of the feed: what entries show of themselves
   * @param uuid true if the client receives the identifier of the entry
   * @param csn true if the client receives the state of the entry
   * @param time true if the client receives the time of the last change
   * @param rules true if the client receives the access rules of 389-ds, if they are returned
   */
  private record RequestedParts(
      FeedKind kind, boolean uuid, boolean csn, boolean time, boolean rules) {
    static RequestedParts of(List<byte[]> attributes, FeedKind kind) {
      List<String> names = attributes.stream().map(VersionedSearch::name).toList();
      boolean all = names.contains(ALL_OPERATIONAL);
      return new RequestedParts(
          kind,
          all || names.stream().anyMatch(uuidNames(kind)::contains),
          all || kind.stateAttribute() == null || names.stream().anyMatch(ENTRY_CSN::contains),
          all
              || kind.timeAttribute() == null
              || names.stream().anyMatch(MODIFY_TIMESTAMP::contains),
          kind != FeedKind.CHANGELOG || !names.isEmpty());
    }

    boolean isAll() {
      return uuid && csn && time;
    }

    /**
     * Returns the extended list of attributes. An empty list stands for all user attributes, {@code
     * 1.1} for none.
     */
    List<byte[]> extended(List<byte[]> attributes) {
      List<byte[]> more = new ArrayList<>();
      attributes.stream().filter(one -> !name(one).equals(NOTHING)).forEach(more::add);
      if (attributes.isEmpty()) {
        more.add(ALL_USER.getBytes(ISO_8859_1));
      }
      if (!uuid) {
        more.add(kind.uuidAttribute().getBytes(ISO_8859_1));
      }
      String state = kind.stateAttribute();
      if (!csn && state != null) {
        more.add(state.getBytes(ISO_8859_1));
      }
      String changed = kind.timeAttribute();
      if (!time && changed != null) {
        more.add(changed.getBytes(ISO_8859_1));
      }
      return more;
    }

    /** True if the client receives an attribute of the response. */
    boolean passes(String name) {
      return (uuid || !uuidNames(kind).contains(name))
          && (csn || !ENTRY_CSN.contains(name))
          && (time || !MODIFY_TIMESTAMP.contains(name))
          && (rules || !ACI.contains(name));
    }
  }

  /**
   * Identifies a version of an entry. Immutable.
   *
   * @param uuid its entryUUID (RFC 4530) or nsUniqueId; null if not shown
   * @param csn its entryCSN or a substitute; null if not shown
   * @param changed the time of its last change, where requested; null if not shown
   * @param facets the derived data in the entry, a set of {@link DerivedData}
   */
  public record Version(
      byte @Nullable [] uuid, byte @Nullable [] csn, byte @Nullable [] changed, int facets) {
    static final Version HIDDEN = new Version(null, null, null, DerivedData.NONE);
  }

  /** Sends an operation just as its client sent it. */
  public interface PlainSender {
    /** Sends the operation, which has its former sink again. */
    void send(Operation operation);
  }

  private VersionedSearch(
      Operation operation,
      RequestedParts requestedParts,
      DerivedAttributes derived,
      PlainSender plainSender) {
    super(operation.sink());
    this.derived = derived;
    this.operation = operation;
    this.requestedParts = requestedParts;
    this.plainSender = plainSender;
    this.originalRequest = operation.message().copyOp();
  }

  /**
   * Wraps the operation's sink, and makes the operation request more attributes. Must be called
   * before anything is done for the operation.
   *
   * @param derived finds derived attributes in the response
   * @param kind the kind of the feed: what entries show of themselves
   * @param plainSender called if the answer cannot be rewritten
   */
  public static VersionedSearch begin(
      Operation operation,
      SearchOp search,
      DerivedAttributes derived,
      FeedKind kind,
      PlainSender plainSender) {
    RequestedParts requestedParts = RequestedParts.of(search.attributes(), kind);
    VersionedSearch versionedSearch =
        new VersionedSearch(operation, requestedParts, derived, plainSender);
    operation.setSink(versionedSearch);
    if (!requestedParts.isAll()) {
      versionedSearch.setRequest(
          withAttributes(
              versionedSearch.originalRequest, requestedParts.extended(search.attributes())));
    }
    return versionedSearch;
  }

  private void setRequest(byte[] op) {
    operation.replaceRequest(operation.message().retained().withOp(op));
  }

  /** Returns the request with another list of attributes. */
  private static byte[] withAttributes(byte[] op, List<byte[]> attributes) {
    try {
      BerReader reader = new BerReader(op, ProtocolError.MALFORMED_REQUEST);
      reader.enter(OpType.SEARCH_REQUEST.tag());
      BerWriter writer = new BerWriter(op.length + MORE_OCTETS);
      int outer = writer.begin(OpType.SEARCH_REQUEST.tag());
      for (int i = 0; i < BEFORE_THE_LIST; i++) {
        writer.raw(reader.element());
      }
      int list = writer.begin(BerReader.SEQUENCE);
      attributes.forEach(name -> writer.octets(BerReader.OCTET_STRING, name));
      return writer.end(list).end(outer).toByteArray();
    } catch (LdapProtocolException e) {
      throw new IllegalArgumentException("not the request of a search", e);
    }
  }

  private static Set<String> uuidNames(FeedKind kind) {
    return kind == FeedKind.CHANGELOG ? NS_UNIQUE_ID : ENTRY_UUID;
  }

  /** Returns the attribute type of a description, in lower case. */
  static String name(byte[] description) {
    String text = new String(description, ISO_8859_1);
    int options = text.indexOf(';');
    return (options < 0 ? text : text.substring(0, options)).toLowerCase(Locale.ROOT);
  }

  /** True if entries show their state. */
  public boolean showsStates() {
    return requestedParts.kind().stateAttribute() != null;
  }

  /** Returns the versions of the entries that were passed on, in order. */
  public List<Version> versions() {
    return Collections.unmodifiableList(versions);
  }

  // Responses

  /** Passes on an entry as the client requested it. A large one cannot be rewritten. */
  @Override
  public void respond(Response response) {
    if (sendingAgain) {
      response.release();
    } else if (response instanceof LargeMessage && next.restart()) {
      sendingAgain = true;
      operation.session().executor().execute(this::sendAgain);
    } else if (response instanceof EncodedResponse stored) {
      next.respond(new EncodedResponse(reduced(stored.op())));
    } else if (response instanceof LdapMessage message
        && message.type() == OpType.SEARCH_RESULT_ENTRY) {
      byte[] op = message.copyOp();
      byte[] reducedOp = reduced(op);
      next.respond(reducedOp == op ? message : message.withOp(reducedOp));
    } else {
      next.respond(response);
    }
  }

  /** Returns the entry as the client requested it; the same array if nothing has to be removed. */
  private byte[] reduced(byte[] op) {
    try {
      SearchEntry entry = SearchEntry.parse(op);
      List<byte[]> passed =
          entry.attributes().stream()
              .filter(attribute -> requestedParts.passes(name(attribute.type())))
              .map(AttributeOctets::encoded)
              .toList();
      byte[] reducedOp =
          passed.size() == entry.attributes().size() ? op : SearchEntry.encode(entry.dn(), passed);
      versions.add(version(entry, reducedOp));
      return reducedOp;
    } catch (LdapProtocolException e) {
      versions.add(Version.HIDDEN); // the receiver finds that it is no entry
      return op;
    }
  }

  /**
   * Returns the version of an entry. An attribute from another entry belongs to no state of this
   * one.
   */
  private Version version(SearchEntry entry, byte[] reducedOp) {
    Set<String> uuids = uuidNames(requestedParts.kind());
    byte[] uuid = null;
    byte[] csn = null;
    byte[] changed = null;
    int kinds = DerivedData.NONE;
    for (AttributeOctets attribute : entry.attributes()) {
      String name = name(attribute.type());
      if (uuids.contains(name)) {
        uuid = attribute.only();
      } else if (ENTRY_CSN.contains(name)) {
        csn = attribute.only();
      } else if (MODIFY_TIMESTAMP.contains(name)) {
        changed = attribute.only();
      } else if (derived.isCollective(attribute.type())) {
        return Version.HIDDEN;
      } else {
        kinds |= derived.kindsOfAttribute(attribute.type());
      }
    }
    return requestedParts.kind().stateAttribute() == null
        ? new Version(
            uuid, Csn.substituteFor(reducedOp).text().getBytes(ISO_8859_1), changed, kinds)
        : new Version(uuid, csn, null, kinds);
  }

  @Override
  public boolean restart() {
    boolean restarted = next.restart();
    if (restarted) {
      versions.clear();
    }
    return restarted;
  }

  /** Sends the search again, after the reading of the response that caused it. */
  private void sendAgain() {
    if (!sendingAgain) {
      return;
    }
    if (operation.hasEnded()) {
      next.onAbandoned(); // client gone; joined requests are sent on their own
      return;
    }
    Cancellation cancellation = operation.cancellation();
    if (cancellation != null) {
      cancellation.abandon();
    }
    operation.setCancellation(null);
    setRequest(originalRequest);
    operation.setSink(next);
    plainSender.send(operation);
  }

  @Override
  public void complete(Response response) {
    if (sendingAgain) {
      operation.setCancellation(null);
      response.release();
    } else {
      restoreRequest();
      next.complete(response);
    }
  }

  @Override
  public void reject(Rejection reason) {
    sendingAgain = false;
    restoreRequest();
    next.reject(reason);
  }

  /** Lets logs show the request as its client sent it. */
  private void restoreRequest() {
    if (!requestedParts.isAll() && !operation.hasEnded()) {
      setRequest(originalRequest);
    }
  }
}
