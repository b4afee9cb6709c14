// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.ModificationType;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseSink;
import io.stoa.server.admin.action.Action.ActionResult;
import io.stoa.testing.Await;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ActionsTest {
  private static final String ENTRY = "cn=a,cn=monitor";
  private static final int MAX = 128;

  private final List<Integer> codes = new CopyOnWriteArrayList<>();
  private final List<String> done = new CopyOnWriteArrayList<>();

  private void take(Actions actions, List<Action> offered, String text)
      throws LdapProtocolException {
    RawRequest request =
        Requests.modify(
            ENTRY,
            new com.unboundid.ldap.sdk.Modification(ModificationType.ADD, "stoaAction", text));
    Operation operation =
        new Operation(
            new InternalSession(ImmediateEventExecutor.INSTANCE),
            LdapMessage.parse(Unpooled.wrappedBuffer(request.encode(1))),
            new RequestDecoder(() -> DecodeLimits.DEFAULTS),
            System.nanoTime(),
            own -> sink());
    actions.submit(operation, ENTRY, offered, Modification.of(operation.message().copyOp()));
  }

  private ResponseSink sink() {
    return (ResponseSink)
        Proxy.newProxyInstance(
            ActionsTest.class.getClassLoader(),
            new Class<?>[] {ResponseSink.class},
            (self, method, arguments) -> {
              codes.add(LdapResult.codeOf(((EncodedResponse) arguments[0]).op()));
              return null;
            });
  }

  @Test
  void queuedActionsAreLimitedAndRunInOrder() throws LdapProtocolException {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Action block =
        Action.of(
            "block",
            none -> {
              begun.countDown();
              awaitQuietly(blocked);
              return new ActionResult("blocked");
            });
    Action note =
        Action.of(
            "note",
            "N",
            number -> {
              done.add(number);
              return new ActionResult("noted");
            });
    List<String> wanted = new ArrayList<>();
    try (Actions actions = new Actions()) {
      take(actions, List.of(block), "block");
      awaitQuietly(begun);
      for (int i = 0; i < MAX; i++) {
        wanted.add(Integer.toString(i));
        take(actions, List.of(note), "note " + i);
      }
      assertThat(codes).isEmpty();
      take(actions, List.of(note), "note too much");
      assertThat(codes).containsExactly(ActionException.BUSY);
      blocked.countDown();
      Await.until("all are done", () -> codes.size() == MAX + 2);
    }
    assertThat(codes.subList(1, codes.size())).containsOnly(0);
    assertThat(done).isEqualTo(wanted);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theLongestMatchingVerbWins() throws LdapProtocolException {
    List<Action> offered =
        List.of(
            Action.of("flush", none -> noted("all")),
            Action.of("flush entry", "DN", dn -> noted("entry " + dn)));
    try (Actions actions = new Actions()) {
      take(actions, offered, "flush");
      take(actions, offered, " flush entry  cn=a b ");
      take(actions, offered, "flushed");
      take(actions, offered, "flush entryway");
      Await.until("all are answered", () -> codes.size() == 4);
    }
    assertThat(done).containsExactly("all", "entry cn=a b");
    assertThat(codes).containsOnly(0, ActionException.INVALID_ATTRIBUTE_SYNTAX);
  }

  private ActionResult noted(String what) {
    done.add(what);
    return new ActionResult(what);
  }
}
