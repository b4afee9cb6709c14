// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.cache.paging.PageContext;
import io.stoa.cache.paging.PageStage;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Explanation;
import io.stoa.cache.result.Explanation.Answer;
import io.stoa.cache.result.Explanation.Question;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.WaitingChanges.Concern;
import java.util.ArrayList;
import java.util.List;

/**
 * Explains whether a search would be a hit. An operation of its own passes the same stages as a
 * client's, up to the caches, and is then abandoned.
 *
 * <p>Threading: thread-safe.
 */
final class Explainer {
  private static final int MESSAGE_ID = 1;

  private final PageContext pages;
  private final Caches caches;
  private final SessionGuarantees guarantees;
  private final RequestDecoder decoder;

  /**
   * Creates an explainer.
   *
   * @param pages the configuration of paged searches
   */
  Explainer(
      PageContext pages, Caches caches, SessionGuarantees guarantees, RequestDecoder decoder) {
    this.pages = pages;
    this.caches = caches;
    this.guarantees = guarantees;
    this.decoder = decoder;
  }

  /** Explains a search, on any thread. */
  Explanation explain(Question question) {
    List<Control> controls =
        question.controls().stream()
            .filter(control -> !control.oid().equals(Oids.EXPLAIN))
            .toList();
    Operation search =
        operation(question.identity(), LdapMessage.of(MESSAGE_ID, question.op(), controls));
    try {
      Explanation explanation = explainSearch(search);
      Concern concern = guarantees.waiting().concern(search);
      if (concern != null) {
        explanation.addReason(Reason.WINDOW, concern.certain());
      }
      return explanation;
    } finally {
      search.abandon();
    }
  }

  private Explanation explainSearch(Operation search) {
    List<Explanation> all = new ArrayList<>();
    for (LdapMessage message : PageStage.lookupMessages(search, pages)) {
      all.add(explainSearch(search, message));
    }
    return all.stream()
        .filter(explanation -> explanation.answer() == Answer.HIT)
        .findFirst()
        .orElse(all.get(all.size() - 1));
  }

  private Explanation explainSearch(Operation search, LdapMessage message) {
    Operation lookup = operation(search.session().identity(), message);
    try {
      return new CacheStage(caches, guarantees, operation -> {}).explain(lookup);
    } finally {
      lookup.abandon();
    }
  }

  /** Creates an operation that belongs to the calling thread and is never sent. */
  private Operation operation(ClientIdentity identity, LdapMessage message) {
    InternalSession session = new InternalSession(ImmediateEventExecutor.INSTANCE, identity);
    return new Operation(session, message, decoder, System.nanoTime(), InternalSink::new);
  }
}
