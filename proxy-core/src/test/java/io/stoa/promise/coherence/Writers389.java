// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.OracleState389.city;
import static io.stoa.promise.coherence.OracleState389.dn;
import static io.stoa.promise.coherence.OracleState389.state;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.testing.People;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Those who write to a 389-ds, and keep what they have written. Each of the methods is confined to
 * one thread, since whatever is written has one writer.
 */
final class Writers389 {
  private final Ds389WithFeed fed;
  private final OracleState389 known;
  private final AtomicLong written = new AtomicLong();

  /** Confined to who writes through Stoa: what is in the server; null if that is not known. */
  private String stored;

  Writers389(Ds389WithFeed fed, OracleState389 known) {
    this.fed = fed;
    this.known = known;
  }

  /** Something that may fail without anybody knowing whether it was done. */
  private interface Attempt {
    void run() throws LDAPException;
  }

  /** How many writes were answered. */
  long written() {
    return written.get();
  }

  /** What people are, past Stoa. */
  void round(LDAPConnection root, Random random) throws LDAPException {
    int which = random.nextInt(20);
    String uid = which == 0 ? "hidden" : "user." + random.nextInt(OracleState389.PEOPLE);
    if (uid.equals(OracleState389.THROUGH)) {
      giveUp(root);
      return;
    }
    EntryHistory history = known.people().get(uid);
    String next = successor(history);
    boolean passing = random.nextInt(3) == 0 && isPassing(uid);
    pause(random.nextInt(30));
    if (OracleState389.isAbsent(history.last())) {
      write(history, next, () -> put(root, uid, next), ResultCode.SUCCESS);
    } else if (passing) {
      write(history, "-" + next, () -> root.delete(dn(uid)), ResultCode.NO_SUCH_OBJECT);
    } else {
      write(history, next, () -> root.modify(dn(uid), state(next)), ResultCode.SUCCESS);
    }
  }

  /** What was to be deleted may be there as it was: nobody has said that it was deleted. */
  private static void put(LDAPConnection root, String uid, String state) throws LDAPException {
    try {
      root.add(entry(uid, state));
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.ENTRY_ALREADY_EXISTS)) {
        throw e;
      }
      root.modify(dn(uid), state(state));
    }
  }

  private static String successor(EntryHistory history) {
    String last = history.last();
    String number = OracleState389.isAbsent(last) ? last.substring(1) : last;
    return String.valueOf(1 + Long.parseLong(number));
  }

  private static boolean isPassing(String uid) {
    return uid.startsWith("user.") && Integer.parseInt(uid.substring(5)) < OracleState389.PASSING;
  }

  private static Entry entry(String uid, String version) {
    Entry entry = Ds389WithFeed.person(Integer.parseInt(uid.substring(uid.indexOf('.') + 1)));
    entry.setAttribute("st", version);
    entry.setAttribute("l", city(version));
    entry.setAttribute("description", dn(uid));
    return entry;
  }

  /**
   * Writes what becomes so in any case: it is written once more if nobody knows.
   *
   * @param before what is answered if it had been done before
   */
  private void write(EntryHistory history, String state, Attempt attempt, ResultCode before)
      throws LDAPException {
    int number = history.begin(state);
    try {
      attempt.run();
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(before)) {
        throw e;
      }
    }
    history.end(number, false);
    written.incrementAndGet();
  }

  /** It is begun, and undone by the plug-in that finds that it cannot be. */
  private static void giveUp(LDAPConnection root) throws LDAPException {
    try {
      root.modify(
          Ds389WithFeed.GROUP,
          new Modification(ModificationType.ADD, "member", Ds389WithFeed.HIDDEN));
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.OBJECT_CLASS_VIOLATION)) {
        throw e;
      }
    }
  }

  /** Somebody joins a group or leaves it, past Stoa. */
  void member(LDAPConnection root, Random random) throws LDAPException {
    String group = OracleState389.GROUPS.get(random.nextInt(OracleState389.GROUPS.size()));
    String uid = OracleState389.MEMBERS.get(random.nextInt(OracleState389.MEMBERS.size()));
    EntryHistory history = known.membership(group, uid);
    boolean joins = history.last().equals(OracleState389.OUT);
    ModificationType how = joins ? ModificationType.ADD : ModificationType.DELETE;
    Modification change = new Modification(how, "member", dn(uid));
    write(
        history,
        joins ? OracleState389.IN : OracleState389.OUT,
        () -> root.modify(group, change),
        joins ? ResultCode.ATTRIBUTE_OR_VALUE_EXISTS : ResultCode.NO_SUCH_ATTRIBUTE);
    pause(random.nextInt(200));
  }

  /** A subtree gets another name, past Stoa. */
  void move(LDAPConnection root, Random random) throws LDAPException {
    EntryHistory place = known.place();
    String now = place.last();
    String next = now.equals("place") ? "moved" : "place";
    write(
        place,
        next,
        () -> root.modifyDN("ou=" + now + "," + People.SUFFIX, "ou=" + next, true),
        ResultCode.NO_SUCH_OBJECT);
    pause(50 + random.nextInt(300));
  }

  /**
   * Through Stoa, by who then wants to see it at once. What was asked for and not answered may be
   * done late: so each write replaces one state and no other.
   */
  void through(LDAPConnection stoa, Random random) throws LDAPException {
    EntryHistory history = known.people().get(OracleState389.THROUGH);
    String next = successor(history);
    int number = history.begin(next);
    while (!isReplaced(stoa, next)) {
      stored = null;
    }
    history.end(number, true);
    stored = next;
    written.incrementAndGet();
    pause(random.nextInt(20));
  }

  private boolean isReplaced(LDAPConnection stoa, String next) throws LDAPException {
    String before = stored == null ? read() : stored;
    stored = null;
    try {
      stoa.modify(
          dn(OracleState389.THROUGH),
          new Modification(ModificationType.DELETE, "st", before),
          new Modification(ModificationType.ADD, "st", next),
          new Modification(ModificationType.REPLACE, "l", city(next)));
      return true;
    } catch (LDAPException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_ATTRIBUTE)) {
        return false;
      }
      throw e;
    }
  }

  private String read() throws LDAPException {
    try (LDAPConnection root = fed.newRoot()) {
      return root.getEntry(dn(OracleState389.THROUGH), "st").getAttributeValue("st");
    }
  }

  private static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
