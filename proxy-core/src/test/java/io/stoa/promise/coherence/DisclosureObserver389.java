// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.FaultInjectingProxy;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Received;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Listens to what a 389-ds itself shows to whom: attribute {@code description} of an entry is for
 * whom the entry is of. If the server shows it to somebody else, by a connection that is bound as
 * him, that is the server's doing and not Stoa's: which it is, nobody can tell who only sees what
 * Stoa answers. Thread-safe.
 */
final class DisclosureObserver389 implements FaultInjectingProxy.Observer {
  private static final int REMEMBERED = 24;
  private static final int BIND_RESPONSE = 0x61;
  private static final String PROXIED = "2.16.840.1.113730.3.4.18";
  private static final Set<String> MAY_SEE = Set.of(key(Ds389WithFeed.FEED), key(Ds389Config.ROOT));

  private final Map<Integer, Link> links = new HashMap<>();
  private final Set<Shown> shown = new HashSet<>();
  private final List<String> evidence = new ArrayList<>();
  private long count;

  /** One state of an entry, with what the one who was shown it must not see. */
  private record Shown(String to, String dn, String state) {}

  /** One connection; under the lock of its recorder (confined to it). */
  private static final class Link {
    private final Map<Integer, String> binding = new HashMap<>();
    private final Map<Integer, String> underWay = new HashMap<>();
    private final Deque<String> recent = new ArrayDeque<>();
    private String bound = "";

    void note(String what) {
      if (recent.size() == REMEMBERED) {
        recent.remove();
      }
      recent.add(Instant.now() + " " + what);
    }

    String evidence(int connection) {
      return "by connection %d 389-ds shows %s what is not for him; under way: %s; before:\n  %s"
          .formatted(connection, bound, underWay.values(), String.join("\n  ", recent));
    }
  }

  @Override
  public synchronized void request(int connection, RawMessage message) {
    Link link = links.computeIfAbsent(connection, number -> new Link());
    String what = requestText(message);
    if (message.opTag() == Received.BIND) {
      String name = message.decoded().getBindRequestProtocolOp().getBindDN();
      link.binding.put(message.messageId(), key(name));
      what = "bind " + name;
    }
    link.underWay.put(message.messageId(), what);
    link.note("> " + message.messageId() + " " + what);
  }

  private static String requestText(RawMessage message) {
    if (message.opTag() != Received.SEARCH) {
      return Integer.toHexString(message.opTag());
    }
    SearchRequestProtocolOp op = message.decoded().getSearchRequestProtocolOp();
    String as = message.mentions(PROXIED) ? " as somebody else" : "";
    return "search " + op.getBaseDN() + " " + op.getFilter() + " " + op.getAttributes() + as;
  }

  @Override
  public synchronized void response(int connection, RawMessage message) {
    Link link = links.computeIfAbsent(connection, number -> new Link());
    if (message.opTag() == RawMessage.SEARCH_ENTRY) {
      entry(connection, link, message);
    } else if (message.isFinal()) {
      String name = link.binding.remove(message.messageId());
      if (message.opTag() == BIND_RESPONSE) {
        link.bound = message.resultCode() == 0 && name != null ? name : "";
      }
      link.underWay.remove(message.messageId());
      link.note("< " + message.messageId() + " result " + message.resultCode());
    }
  }

  private void entry(int connection, Link link, RawMessage message) {
    SearchResultEntryProtocolOp op = message.decoded().getSearchResultEntryProtocolOp();
    SearchResultEntry entry = new SearchResultEntry(op.getDN(), op.getAttributes());
    boolean told = entry.hasAttribute("description");
    link.note("< " + message.messageId() + " " + entry.getDN() + (told ? " description" : ""));
    String dn = key(entry.getDN());
    if (told && !dn.equals(link.bound) && !MAY_SEE.contains(link.bound)) {
      shown.add(new Shown(link.bound, dn, entry.getAttributeValue("st")));
      evidence.add(link.evidence(connection));
      count++;
    }
  }

  private static String key(String dn) {
    return dn.toLowerCase(Locale.ROOT);
  }

  /**
   * Whether the server itself has shown somebody what is not for him, of that state of an entry.
   */
  synchronized boolean hasShown(String to, String dn, String state) {
    return shown.contains(new Shown(key(to), key(dn), state));
  }

  /** How often the server has shown somebody what is not for him. */
  synchronized long count() {
    return count;
  }

  /** What was seen of that since this was asked last, and what had been asked before it. */
  synchronized List<String> evidence() {
    List<String> all = List.copyOf(evidence);
    evidence.clear();
    return all;
  }
}
