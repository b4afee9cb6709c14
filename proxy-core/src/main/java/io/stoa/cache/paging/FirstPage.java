// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.ResponseCollector;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import java.util.List;

/**
 * Answers the request for a first page from the whole result, which is looked up and otherwise read
 * upstream. If there is no whole result, the request is forwarded unchanged.
 *
 * <p>Threading: event-loop confined.
 */
final class FirstPage implements Cancellation {
  private static final int SUCCESS = 0;
  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int ADMIN_LIMIT_EXCEEDED = 11;
  private static final int NO_SUCH_OBJECT = 32;

  private final PageStage stage;
  private final Operation operation;
  private final PagedRequest request;
  private final int maxEntries;
  private Operation search;

  FirstPage(PageStage stage, Operation operation, PagedRequest request) {
    this.stage = stage;
    this.operation = operation;
    this.request = request;
    this.maxEntries = stage.maxEntries();
    this.search = search(request.whole(operation.messageId()));
  }

  private Operation search(LdapMessage message) {
    return operation.derived(
        message,
        whole -> new ResponseCollector(whole, Limit.forClient(maxEntries), this::onResponse));
  }

  /** Answers from memory, or sends the search for the whole result or for the page upstream. */
  void begin() {
    if (!stage.cache().isCacheable(search)) {
      search.abandon();
      stage.forward(operation);
    } else if (!stage.cache().answer(search)) {
      search.abandon();
      readWhole();
    }
  }

  private void readWhole() {
    if (stage.oversized().contains(operation.session(), request, operation.receivedNanos())) {
      stage.forward(operation);
      return;
    }
    search = search(request.whole(operation.messageId(), maxEntries));
    operation.moveTo(OperationState.WAITING);
    operation.setCancellation(this);
    stage.cache().handle(search);
  }

  // Outcome of the search for the whole result

  private void onResponse(CollectedResponse whole) {
    byte[] done = whole.done();
    if (whole.refusal() != null) {
      operation.sink().reject(whole.refusal());
    } else if (!whole.complete()) {
      onUncollectable();
    } else if (done != null && !operation.hasEnded()) {
      onResult(whole.entries(), done);
    }
  }

  private void onResult(List<EncodedResponse> entries, byte[] done) {
    switch (LdapResult.codeOf(done)) {
      case SUCCESS -> sendFirstPage(entries, done);
      case NO_SUCH_OBJECT -> sendMissingBase(done);
      case SIZE_LIMIT_EXCEEDED -> sendLimited(entries, done);
      case TIME_LIMIT_EXCEEDED, ADMIN_LIMIT_EXCEEDED -> onUncollectable();
      default -> forward();
    }
  }

  /**
   * Ends the page for a missing base. 389 Directory Server then reports success to paged searches.
   */
  private void sendMissingBase(byte[] done) {
    boolean hidden = stage.kind() == ServerKind.DS389;
    operation
        .sink()
        .complete(
            hidden
                ? LdapResult.encode(OpType.SEARCH_RESULT_DONE, SUCCESS, "")
                : new EncodedResponse(done));
  }

  private void sendLimited(List<EncodedResponse> entries, byte[] done) {
    if (isSearchOfOnePage()) {
      send(entries);
      operation.sink().complete(new EncodedResponse(done));
    } else {
      onUncollectable();
    }
  }

  /** True if the directory is known to ignore the control for this request. */
  private boolean isSearchOfOnePage() {
    boolean isKnownKind = stage.kind() == ServerKind.OPENLDAP || stage.kind() == ServerKind.DS389;
    return isKnownKind
        && request.isLimitedToOnePage()
        && request.search().sizeLimit() <= maxEntries;
  }

  private void sendFirstPage(List<EncodedResponse> entries, byte[] done) {
    if (stage.kind() == ServerKind.OPENLDAP && request.isLimitedToOnePage()) {
      send(entries);
      operation.sink().complete(new EncodedResponse(done));
    } else if (entries.size() <= request.size()) {
      send(entries);
      PageControl.endLastPage(operation.sink(), done);
    } else if (entries.stream().anyMatch(entry -> stage.cache().isSecret(entry.op()))) {
      onUncollectable();
    } else if (!stage.sendPage(
        operation, new Cursor(operation.session(), request, entries, done), request)) {
      forward();
    }
  }

  private void send(List<EncodedResponse> entries) {
    entries.forEach(operation.sink()::respond);
  }

  private void onUncollectable() {
    stage.oversized().add(operation.session(), request, operation.receivedNanos());
    forward();
  }

  private void forward() {
    if (!operation.hasEnded()) {
      operation.setCancellation(null);
      stage.forward(operation);
    }
  }

  // Cancellation

  @Override
  public void abandon() {
    search.abandon();
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
