// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.routing.directory.SuffixTable.Part;

/**
 * Receives the answer of one directory to its part of a search.
 *
 * <p>Threading: event loop.
 */
final class PartSink extends ForwardingSink {
  private final Operation own;
  private final MergedSearch whole;
  private final Part part;
  private boolean begun;

  PartSink(ResponseSink next, Operation own, MergedSearch whole, Part part) {
    super(next);
    this.own = own;
    this.whole = whole;
    this.part = part;
  }

  @Override
  public void respond(Response response) {
    begun = true;
    boolean entry = response.type() == OpType.SEARCH_RESULT_ENTRY;
    if (own.hasEnded()) {
      response.release();
    } else if (entry && response instanceof LargeMessage large) {
      LargeMessage.Named.pass(large, next, this::admits);
    } else if (entry
        && response instanceof LdapMessage message
        && (isElsewhere(message) || !whole.admit())) {
      message.release();
    } else {
      next.respond(response);
    }
  }

  private boolean isElsewhere(LdapMessage entry) {
    try {
      BerReader reader = new BerReader(entry.body(), ProtocolError.MALFORMED_RESPONSE);
      reader.enter(OpType.SEARCH_RESULT_ENTRY.tag());
      return whole.isElsewhere(part, reader.octets(BerReader.OCTET_STRING));
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  /** True if a large entry is passed on; the name is empty if it cannot be decoded. */
  private boolean admits(byte[] name) {
    boolean elsewhere = name.length > 0 && whole.isElsewhere(part, name);
    return !own.hasEnded() && !elsewhere && whole.admit();
  }

  @Override
  public void complete(Response response) {
    if (!end()) {
      response.release();
    } else if (response instanceof LdapMessage message) {
      whole.onPartAnswered(part, message);
    } else {
      whole.release();
      next.complete(response);
    }
  }

  @Override
  public void reject(Rejection reason) {
    if (end()) {
      whole.release();
      next.reject(reason);
    }
  }

  private boolean end() {
    boolean first = !own.hasEnded();
    if (first) {
      own.moveTo(OperationState.COMPLETED);
    }
    return first;
  }

  /** Does nothing: the caller knows. */
  @Override
  public void abandoned() {
    // The whole search is notified by its own operation.
  }

  /** Returns false: without its client, the search cannot continue with the other parts. */
  @Override
  public boolean hasOtherWaiters() {
    return false;
  }

  /** True if the part can be sent again. Entries of other parts stay valid. */
  @Override
  public boolean restart() {
    return !begun && !own.hasEnded();
  }
}
