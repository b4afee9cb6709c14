// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import com.unboundid.ldap.sdk.Entry;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CoreDsl;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapAnswer;
import io.stoa.loadtest.engine.LdapCheck;
import io.stoa.loadtest.engine.LdapProtocol;
import io.stoa.loadtest.engine.Schedule;
import io.stoa.loadtest.engine.Text;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The imports of a simulation, beside Gatling's {@code CoreDsl}: the protocol, the operations and
 * the checks. All texts may contain Gatling's expressions ({@code #{name}}).
 *
 * <p>Threading: stateless.
 */
public final class LdapDsl {
  private LdapDsl() {}

  /** Returns a server in plain LDAP, for {@code protocols(…)}. */
  public static LdapProtocol ldap(InetSocketAddress server) {
    return LdapProtocol.to(server);
  }

  /** Returns the operations, for {@code exec(…)}. The name is the one in the reports. */
  public static LdapOperations ldap(String name) {
    return new LdapOperations(new Label(Text.el(name), Label.DEFAULT_CONNECTION));
  }

  /**
   * Waits until the user's next request is due, one interval after the previous one was. The
   * latency of the next request counts from that time, even if a late answer delays the request.
   */
  public static ChainBuilder due(Duration interval) {
    return CoreDsl.pause(session -> Schedule.untilDue(session, interval));
  }

  /** Checks the result code. */
  public static LdapCheck resultCode(int code) {
    return new LdapCheck() {
      @Override
      public Optional<String> mistake(LdapAnswer answer, Session session) {
        return unless(
            answer.resultCode() == code,
            "result code " + answer.resultCode() + " instead of " + code + " " + answer.text());
      }

      @Override
      public boolean judgesResult() {
        return true;
      }
    };
  }

  /** Checks the number of entries. */
  public static LdapCheck entries(int count) {
    return (answer, session) ->
        unless(answer.entryCount() == count, answer.entryCount() + " entries instead of " + count);
  }

  /** Checks the minimum number of entries. */
  public static LdapCheck entriesAtLeast(int count) {
    return (answer, session) ->
        unless(
            answer.entryCount() >= count,
            answer.entryCount() + " entries instead of at least " + count);
  }

  /** Checks the name of the first entry. */
  public static LdapCheck dn(String expected) {
    Text text = Text.el(expected);
    return entry(
        (first, session) ->
            unless(first.getDN().equals(text.of(session.asScala())), "the entry " + first.getDN()));
  }

  /** Checks that the first entry has this value of an attribute. */
  public static LdapCheck attribute(String name, String expected) {
    Text text = Text.el(expected);
    return entry(
        (first, session) ->
            unless(
                first.hasAttributeValue(name, text.of(session.asScala())),
                name + " does not have the value"));
  }

  /** Stores the name of the first entry in the user's session. */
  public static LdapCheck saveDn(String key) {
    return new EntryCheck((first, session) -> Optional.empty()) {
      @Override
      public Session save(LdapAnswer answer, Session session) {
        return session.set(key, answer.entries().get(0).getDN());
      }
    };
  }

  private static LdapCheck entry(BiFunction<Entry, Session, Optional<String>> mistake) {
    return new EntryCheck(mistake);
  }

  private static Optional<String> unless(boolean right, String mistake) {
    return right ? Optional.empty() : Optional.of(mistake);
  }

  private static class EntryCheck implements LdapCheck {
    private final BiFunction<Entry, Session, Optional<String>> mistake;

    EntryCheck(BiFunction<Entry, Session, Optional<String>> mistake) {
      this.mistake = mistake;
    }

    @Override
    public Optional<String> mistake(LdapAnswer answer, Session session) {
      return answer.entries().isEmpty()
          ? Optional.of("no entry")
          : mistake.apply(answer.entries().get(0), session);
    }

    @Override
    public boolean readsEntries() {
      return true;
    }
  }
}
