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
  private final Operation operation;
  private final MergedSearch merged;
  private final Part part;
  private boolean begun;

  PartSink(ResponseSink next, Operation operation, MergedSearch merged, Part part) {
    super(next);
    this.operation = operation;
    this.merged = merged;
    this.part = part;
  }

  @Override
  public void respond(Response response) {
    begun = true;
    boolean entry = response.type() == OpType.SEARCH_RESULT_ENTRY;
    if (operation.hasEnded()) {
      response.release();
    } else if (entry && response instanceof LargeMessage large) {
      LargeMessage.Named.pass(large, next, this::admits);
    } else if (entry
        && response instanceof LdapMessage message
        && (isElsewhere(message) || !merged.admit())) {
      message.release();
    } else {
      next.respond(response);
    }
  }

  private boolean isElsewhere(LdapMessage entry) {
    try {
      BerReader reader = new BerReader(entry.body(), ProtocolError.MALFORMED_RESPONSE);
      reader.enter(OpType.SEARCH_RESULT_ENTRY.tag());
      return merged.isElsewhere(part, reader.octets(BerReader.OCTET_STRING));
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  /** True if a large entry is passed on; the name is empty if it cannot be decoded. */
  private boolean admits(byte[] name) {
    boolean elsewhere = name.length > 0 && merged.isElsewhere(part, name);
    return !operation.hasEnded() && !elsewhere && merged.admit();
  }

  @Override
  public void complete(Response response) {
    if (!end()) {
      response.release();
    } else if (response instanceof LdapMessage message) {
      merged.onPartAnswered(part, message);
    } else {
      merged.release();
      next.complete(response);
    }
  }

  @Override
  public void reject(Rejection reason) {
    if (end()) {
      merged.release();
      next.reject(reason);
    }
  }

  private boolean end() {
    boolean first = !operation.hasEnded();
    if (first) {
      operation.moveTo(OperationState.COMPLETED);
    }
    return first;
  }

  /** Does nothing: the caller knows. */
  @Override
  public void onAbandoned() {
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
    return !begun && !operation.hasEnded();
  }
}
