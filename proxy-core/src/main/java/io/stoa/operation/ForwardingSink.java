// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.Response;

/**
 * A sink that forwards all calls to another one. Subclasses override some of them.
 *
 * <p>Threading: event loop.
 */
public class ForwardingSink implements ResponseSink {
  /** The wrapped sink. */
  protected final ResponseSink next;

  /** Wraps {@code next}. */
  public ForwardingSink(ResponseSink next) {
    this.next = next;
  }

  @Override
  public void respond(Response response) {
    next.respond(response);
  }

  @Override
  public void complete(Response response) {
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    next.reject(reason);
  }

  @Override
  public void onAbandoned() {
    next.onAbandoned();
  }

  @Override
  public boolean hasOtherWaiters() {
    return next.hasOtherWaiters();
  }

  @Override
  public ResponseSink inherited(Operation successor) {
    return next.inherited(successor);
  }

  @Override
  public void doNotStore() {
    next.doNotStore();
  }

  @Override
  public boolean restart() {
    return next.restart();
  }

  @Override
  public boolean isCongested() {
    return next.isCongested();
  }

  @Override
  public boolean isFull() {
    return next.isFull();
  }

  @Override
  public boolean hold(Hold hold) {
    return next.hold(hold);
  }

  @Override
  public void whenReady(Runnable action) {
    next.whenReady(action);
  }
}
