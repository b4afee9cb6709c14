// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.routing.directory.SuffixTable.Part;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A search above several directories. Each directory is asked for its part, one after the other, as
 * in slapd's glue overlay (slapd.conf(5), "subordinate").
 *
 * <p>So a size limit is exact, and the client gets one stream of entries. The first error ends the
 * search. A noSuchObject counts as an error only for a base that a directory claims, or if all
 * parts return it.
 *
 * <p>Threading: event loop.
 */
final class MergedSearch implements Cancellation {
  /** Controls that a server can apply only to its own part of the result. */
  private static final Set<String> SINGLE_SERVER_CONTROLS =
      Set.of(
          Oids.PAGED,
          Oids.SORT_REQUEST,
          Oids.VLV_REQUEST,
          Oids.DIRSYNC,
          Oids.PERSISTENT_SEARCH,
          Oids.SYNC_REQUEST,
          Oids.AD_NOTIFICATION,
          Oids.TXN_SPEC);

  private static final int SUCCESS = 0;
  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int REFERRAL = 10;
  private static final int NO_SUCH_OBJECT = 32;

  private final TopologyStage stage;
  private final SuffixTable suffixes;
  private final Operation operation;
  private final SearchOp search;
  private final List<Part> parts;
  private final ResponseSink client;
  private int next;
  private int entries;
  private @Nullable Operation inFlight;
  private @Nullable LdapMessage success;
  private @Nullable LdapMessage missing;

  MergedSearch(
      TopologyStage stage,
      SuffixTable suffixes,
      Operation operation,
      SearchOp search,
      List<Part> parts) {
    this.stage = stage;
    this.suffixes = suffixes;
    this.operation = operation;
    this.search = search;
    this.parts = parts;
    this.client = operation.sink();
  }

  void begin() {
    if (isImpossible()) {
      client.reject(Rejection.SEARCH_OF_SEVERAL);
    } else {
      operation.moveTo(OperationState.WAITING);
      operation.setCancellation(this);
      proceed();
    }
  }

  /** True if a critical control demands what several directories cannot do together. */
  private boolean isImpossible() {
    return operation.request().controls().stream()
        .anyMatch(control -> control.critical() && SINGLE_SERVER_CONTROLS.contains(control.oid()));
  }

  private void proceed() {
    if (next == parts.size()) {
      finish();
    } else if (search.timeLimit() > 0 && secondsLeft() <= 0) {
      end(TIME_LIMIT_EXCEEDED);
    } else {
      ask(parts.get(next++));
    }
  }

  private void ask(Part part) {
    Operation derived =
        operation.derived(
            stage.foreignSession(operation, part.directory()),
            request(part),
            System.nanoTime(),
            one -> new PartSink(client, one, this, part));
    inFlight = derived;
    stage.directory(part.directory()).handle(derived);
  }

  /** Returns the request for one part. The filter and the attribute list stay unchanged. */
  private LdapMessage request(Part part) {
    int sizeLimit = search.sizeLimit() == 0 ? 0 : Math.max(1, search.sizeLimit() - entries);
    int timeLimit = search.timeLimit() == 0 ? 0 : secondsLeft();
    byte[] requestOp = operation.message().copyOp();
    byte[] op = search.rewrite(requestOp, part.base(), part.scope(), sizeLimit, timeLimit);
    List<Control> passedOn =
        operation.request().controls().stream()
            .filter(one -> !SINGLE_SERVER_CONTROLS.contains(one.oid()))
            .toList();
    return LdapMessage.of(operation.messageId(), op, passedOn);
  }

  private int secondsLeft() {
    long passed = System.nanoTime() - operation.receivedNanos();
    return search.timeLimit() - (int) TimeUnit.NANOSECONDS.toSeconds(passed);
  }

  /** True if an entry may be passed on. The search ends if the size limit is reached. */
  boolean admit() {
    boolean room = search.sizeLimit() == 0 || entries < search.sizeLimit();
    if (room) {
      entries++;
    } else {
      end(SIZE_LIMIT_EXCEEDED);
    }
    return room;
  }

  /** True if another part of the search holds the entry, so that this copy is not passed on. */
  boolean isElsewhere(Part part, byte[] dn) {
    NormalDn name = SuffixTable.dn(dn);
    int holder = suffixes.of(name);
    return holder != part.directory()
        && parts.stream()
            .anyMatch(other -> other.directory() == holder && name.isBelowOrEqual(other.tree()));
  }

  /** Called when a part is answered. Takes ownership. */
  void onPartAnswered(Part part, LdapMessage response) {
    int code = LdapResult.codeOf(response.body());
    boolean below = part.base() != search.base();
    if (code == SUCCESS) {
      success = kept(success, response);
    } else if (code == NO_SUCH_OBJECT && (below || part.above())) {
      missing = kept(missing, response);
    } else if (code == REFERRAL && below) {
      refer(response);
    } else {
      complete(response);
      return;
    }
    proceed();
  }

  private static LdapMessage kept(@Nullable LdapMessage first, LdapMessage response) {
    if (first != null) {
      response.release();
    }
    return first == null ? response.detached() : first;
  }

  /**
   * Passes on a referral of a directory below as a search reference, which the client may follow,
   * since the other parts go on (RFC 4511, section 4.5.3).
   */
  private void refer(LdapMessage response) {
    BerWriter writer = new BerWriter();
    int reference = writer.begin(OpType.SEARCH_RESULT_REFERENCE.tag());
    for (String url : LdapResult.referrals(response.copyOp())) {
      writer.octets(BerReader.OCTET_STRING, url.getBytes(StandardCharsets.UTF_8));
    }
    response.release();
    client.respond(new EncodedResponse(writer.end(reference).toByteArray()));
    if (success == null) {
      success = LdapMessage.of(operation.messageId(), encodeDone(SUCCESS), List.of());
    }
  }

  private void finish() {
    LdapMessage last = success == null ? missing : success;
    if (success != null && missing != null) {
      missing.release();
    }
    success = null;
    missing = null;
    if (last == null) {
      throw new IllegalStateException("a search has no part in any directory");
    }
    complete(last);
  }

  /** Ends the search with the first error or the final result. Takes ownership. */
  private void complete(LdapMessage response) {
    release();
    client.complete(response);
  }

  /** Ends the search at a limit of the client. */
  private void end(int code) {
    Operation current = inFlight;
    release();
    if (current != null) {
      current.abandon();
    }
    client.complete(LdapMessage.of(operation.messageId(), encodeDone(code), List.of()));
  }

  private static byte[] encodeDone(int code) {
    return LdapResult.encode(OpType.SEARCH_RESULT_DONE, code, "").op();
  }

  /** Releases all that is held, and forgets the part in flight. */
  void release() {
    inFlight = null;
    operation.setCancellation(null);
    if (success != null) {
      success.release();
      success = null;
    }
    if (missing != null) {
      missing.release();
      missing = null;
    }
  }

  @Override
  public void abandon() {
    Operation current = inFlight;
    release();
    if (current != null) {
      current.abandon();
    }
  }

  /** Returns false: Stoa cancels the search part by part. */
  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
