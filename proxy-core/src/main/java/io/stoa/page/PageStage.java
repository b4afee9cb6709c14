// SPDX-License-Identifier: Apache-2.0
package io.stoa.page;

import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Oids;
import io.stoa.ldap.OpType;
import io.stoa.match.ServerKind;
import io.stoa.match.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * Answers searches with the paged results control from memory where it may. Event-loop confined.
 *
 * <p>A server's own cookie is good on one connection only, which then serves one client alone. A
 * result that may be held whole needs none: its pages are cut here. Clients that put the control
 * with every search (Net::LDAP of Ruby) thereby share results and connections like others.
 */
public final class PageStage implements Stage {
  private static final byte[] PAGED = Oids.PAGED.getBytes(StandardCharsets.US_ASCII);

  private final Cursors cursors;
  private final KnownUnfit unfit = new KnownUnfit();
  private final Supplier<PageConfig> current;
  private final Supplier<ServerProfile> profile;
  private final Memory memory;
  private final Stage next;

  /**
   * Makes the link before {@code next}.
   *
   * @param current what may be held now
   * @param profile what is known of the directory: whether it knows the control, and how it ends a
   *     page
   */
  public PageStage(
      Supplier<PageConfig> current, Supplier<ServerProfile> profile, Memory memory, Stage next) {
    this.cursors = new Cursors(current.get().maxOctets());
    this.current = current;
    this.profile = profile;
    this.memory = memory;
    this.next = next;
  }

  /**
   * What may be held. Immutable.
   *
   * @param enabled whether pages are cut here
   * @param mostEntries entries of a result that is given in pages from memory
   * @param maxOctets octets of all such results of an event loop together
   */
  public record PageConfig(boolean enabled, int mostEntries, long maxOctets) {}

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    boolean paged =
        operation.type() == OpType.SEARCH_REQUEST && operation.message().hasControl(PAGED);
    PagedRequest request = paged ? PagedRequest.of(operation) : null;
    if (request == null) {
      next.handle(operation);
    } else if (Cursors.isOwn(request.cookie())) {
      proceed(operation, request);
    } else if (request.begins() && mayServe(operation)) {
      new FirstPage(this, operation, request).begin(next);
    } else {
      next.handle(operation);
    }
  }

  /**
   * What is looked for in memory for a search, one after the other: if its pages are cut here, the
   * whole of it.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public static List<LdapMessage> lookedFor(
      Operation search, ServerProfile profile, int mostEntries) throws LdapProtocolException {
    boolean paged = profile.supportsPaging() && search.message().hasControl(PAGED);
    PagedRequest request = paged ? PagedRequest.of(search) : null;
    int id = search.messageId();
    return request != null && request.begins()
        ? List.of(request.whole(id), request.whole(id, mostEntries))
        : List.of(search.message().shared());
  }

  /** A directory that does not know the control refuses it, or ignores it. */
  private boolean mayServe(Operation operation) {
    return current.get().enabled()
        && profile.get().supportsPaging()
        && operation.session().restriction() != Restriction.EXCLUSIVE;
  }

  /** Gives a further page. A cookie of Stoa's never goes to a server, which could mistake it. */
  private void proceed(Operation operation, PagedRequest request) {
    Cursor cursor = cursors.take(operation.session(), request.cookie());
    if (cursor == null || request.size() < 0 || !request.continues(cursor.request())) {
      PageControl.refuse(operation.sink());
    } else if (request.size() == 0) {
      PageControl.abandoned(operation.sink(), cursor.left(), kind());
    } else if (!give(operation, cursor, request)) {
      PageControl.refuse(operation.sink());
    }
  }

  /** Gives the next page; false, and nothing has been done, if there is no room for the rest. */
  boolean give(Operation operation, Cursor cursor, PagedRequest request) {
    List<byte[]> page = cursor.take(request.size());
    byte[] cookie = cursor.isAtEnd() ? PageControl.NO_COOKIE : cursors.begin(cursor);
    if (cookie == null) {
      return false;
    }
    page.forEach(operation.sink()::respond);
    if (cookie.length == 0) {
      PageControl.last(operation.sink(), cursor.done());
    } else {
      PageControl.more(operation.sink(), cursor.done(), cursor.left(), cookie, kind());
    }
    return true;
  }

  /** The request goes on as it came, after it has waited. */
  void forward(Operation operation) {
    try {
      next.handle(operation);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was decoded is malformed", e);
    }
  }

  Memory memory() {
    return memory;
  }

  KnownUnfit unfit() {
    return unfit;
  }

  int mostEntries() {
    return current.get().mostEntries();
  }

  ServerKind kind() {
    return profile.get().kind();
  }
}
