// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the primary itself, one write at a time, and knows what has become of each. Whoever is
 * about to do something to the primary has it wait. Thread-safe.
 */
final class OracleWriter {
  private static final String SUFFIX = OracleWorld.SUFFIX;

  /** What is answered to a write that has been done before. */
  private static final Set<ResultCode> DONE_BEFORE =
      Set.of(
          ResultCode.NO_SUCH_OBJECT,
          ResultCode.ENTRY_ALREADY_EXISTS,
          ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
          ResultCode.NO_SUCH_ATTRIBUTE);

  private final SlapdWithFeed people;
  private final OracleTree tree;
  private final OracleRules rules;
  private final Random random;
  private final ReentrantLock lock = new ReentrantLock();
  private int version;

  /** When the primary began to abort a transaction; null if it has died of that. */
  private @Nullable Long aborted;

  private final AtomicLong written = new AtomicLong();

  OracleWriter(SlapdWithFeed people, OracleTree tree, long seed) {
    this.people = people;
    this.tree = tree;
    this.rules = new OracleRules(people.servers(), people.ways().size() - 1, tree);
    this.random = new Random(seed);
  }

  /** One of the writes that can be done. */
  private interface Done {
    void at(LDAPConnection primary) throws LDAPException;
  }

  /** A change of the rules of access. */
  private interface Ruling {
    void run() throws LDAPException;
  }

  /** Does something while nothing is written, and all who live have what was. */
  void pausing(Runnable work) {
    lock.lock();
    try {
      follow();
      work.run();
    } finally {
      lock.unlock();
    }
  }

  /** How many writes were done since this was asked last. */
  long written() {
    return written.getAndSet(0);
  }

  /** What nobody has who lives nobody can read. */
  private void follow() {
    try {
      people.servers().awaitFollowed();
    } catch (AssertionError e) {
      if (!revived()) {
        throw e;
      }
      people.servers().awaitFollowed();
    }
  }

  /**
   * Starts the primary again if it has died of a transaction, which slapd 2.5 does when it aborts
   * one, or a while later.
   */
  private boolean revived() {
    Long since = aborted;
    if (since == null || !people.slapd().hasEnded()) {
      return false;
    }
    Soak.record("the primary has died of a transaction");
    people.slapd().restart();
    people.connect();
    aborted = null;
    ruling(() -> rules.restarted(people.slapd(), since));
    return true;
  }

  /** All servers, which are there, get other rules of access. */
  void rule() {
    ruling(rules::change);
  }

  /** A server that was killed then is there again, and has the rules that it began with. */
  void restarted(Slapd server, long since) {
    ruling(() -> rules.restarted(server, since));
  }

  private void ruling(Ruling change) {
    lock.lock();
    try {
      rule(change);
    } catch (LDAPException e) {
      throw new AssertionError("a rule is refused", e);
    } finally {
      lock.unlock();
    }
  }

  /** The primary is the first to be told: if it has died of a transaction, nobody was. */
  private void rule(Ruling change) throws LDAPException {
    try {
      change.run();
    } catch (LDAPException e) {
      if (!revived()) {
        throw e;
      }
      change.run();
    }
  }

  /**
   * Begins a transaction of which nothing comes. Its change is told to whoever follows; it is set
   * right at once by a change that is done.
   *
   * @return whether the primary has lived through it
   */
  boolean abort() {
    lock.lock();
    try {
      String dn = OracleWorld.person(random, tree.now());
      if (dn == null) {
        return true;
      }
      SortedMap<String, String> never = new TreeMap<>(tree.now().get(dn));
      never.put("employeeNumber", "never " + ++version);
      long from = System.nanoTime();
      aborted = from;
      boolean alive = AbortedTransaction.lived(people.root(), replacing(dn, never)) || !revived();
      SortedMap<String, SortedMap<String, String>> next = new TreeMap<>(tree.now());
      Done done = modify(dn, next);
      long sent = System.nanoTime();
      surely(done);
      follow();
      tree.never(dn, never, from, System.nanoTime());
      tree.becomes(next, sent, System.nanoTime());
      return alive;
    } catch (LDAPException e) {
      throw new AssertionError("a write is refused", e);
    } finally {
      lock.unlock();
    }
  }

  /** Does it, and once more if the primary has died of a transaction meanwhile. */
  private void surely(Done done) throws LDAPException {
    try {
      done.at(people.root());
    } catch (LDAPException e) {
      if (e.getResultCode().isConnectionUsable() || !revived()) {
        throw e;
      }
      again(done);
    }
  }

  private void again(Done done) throws LDAPException {
    try {
      done.at(people.root());
    } catch (LDAPException e) {
      if (!DONE_BEFORE.contains(e.getResultCode())) {
        throw e;
      }
    }
  }

  private static ModifyRequest replacing(String dn, SortedMap<String, String> values) {
    return new ModifyRequest(dn, replace("employeeNumber", values));
  }

  /** Writes something. */
  void write() {
    lock.lock();
    try {
      int kind = random.nextInt(100);
      SortedMap<String, SortedMap<String, String>> next = new TreeMap<>(tree.now());
      Done done = kind < 97 ? one(kind, next) : subtree(next);
      if (done != null) {
        long sent = System.nanoTime();
        surely(done);
        tree.becomes(next, sent, System.nanoTime());
        written.incrementAndGet();
      }
    } catch (LDAPException e) {
      throw new AssertionError("a write is refused", e);
    } finally {
      lock.unlock();
    }
  }

  private Done one(int kind, SortedMap<String, SortedMap<String, String>> next) {
    String dn = OracleWorld.person(random, next);
    if (kind < 60 && dn != null) {
      return modify(dn, next);
    }
    if (kind < 72) {
      return add(next);
    }
    if (kind < 80 && dn != null) {
      next.remove(dn);
      return primary -> primary.delete(dn);
    }
    return kind < 87 && dn != null ? move(dn, next) : member(next);
  }

  private Done modify(String dn, SortedMap<String, SortedMap<String, String>> next) {
    SortedMap<String, String> changed = new TreeMap<>(next.get(dn));
    changed.put("employeeNumber", "v" + ++version);
    changed.put("l", OracleWorld.flag(random));
    next.put(dn, changed);
    return primary -> primary.modify(dn, replace("employeeNumber", changed), replace("l", changed));
  }

  private static Modification replace(String attribute, SortedMap<String, String> values) {
    return new Modification(ModificationType.REPLACE, attribute, values.get(attribute));
  }

  private Done add(SortedMap<String, SortedMap<String, String>> next) {
    String parent = OracleWorld.container(random, next);
    String name = "cn=e" + random.nextInt(OracleWorld.PEOPLE);
    String dn = name + "," + parent;
    if (next.containsKey(dn)) {
      return null;
    }
    SortedMap<String, String> person =
        OracleWorld.person("v" + ++version, OracleWorld.flag(random));
    next.put(dn, person);
    List<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute("objectClass", "inetOrgPerson"));
    attributes.add(new Attribute("cn", name.substring(3)));
    attributes.add(new Attribute("sn", "s"));
    person.forEach((type, value) -> attributes.add(new Attribute(type, value)));
    return primary -> primary.add(dn, attributes);
  }

  /** Below another container. */
  private Done move(String dn, SortedMap<String, SortedMap<String, String>> next) {
    String parent = OracleWorld.container(random, next);
    String rdn = dn.substring(0, dn.indexOf(','));
    String to = rdn + "," + parent;
    if (next.containsKey(to)) {
      return null;
    }
    next.put(to, next.remove(dn));
    return primary -> primary.modifyDN(dn, rdn, false, parent);
  }

  private Done member(SortedMap<String, SortedMap<String, String>> next) {
    String group = OracleWorld.group(random.nextInt(OracleWorld.GROUPS));
    String somebody = "cn=e" + random.nextInt(5) + ",ou=b," + SUFFIX;
    SortedMap<String, String> changed = new TreeMap<>(next.get(group));
    List<String> members = new ArrayList<>(Arrays.asList(changed.get("member").split("[|]", -1)));
    boolean leaves = members.remove(somebody);
    if (!leaves) {
      members.add(somebody);
    }
    members.sort(null);
    changed.put("member", String.join("|", members));
    next.put(group, changed);
    derive(somebody, group, leaves, next);
    ModificationType how = leaves ? ModificationType.DELETE : ModificationType.ADD;
    return primary -> primary.modify(group, new Modification(how, "member", somebody));
  }

  /** Whom a group names at the moment he exists is told of it; he keeps that if he moves away. */
  private static void derive(
      String dn, String group, boolean leaves, SortedMap<String, SortedMap<String, String>> next) {
    SortedMap<String, String> person = next.get(dn);
    if (person != null) {
      SortedMap<String, String> changed = new TreeMap<>(person);
      SortedSet<String> groups = new TreeSet<>();
      if (changed.containsKey(OracleSearch.DERIVED)) {
        groups.addAll(Arrays.asList(changed.get(OracleSearch.DERIVED).split("[|]", -1)));
      }
      if (leaves) {
        groups.remove(group);
      } else {
        groups.add(group);
      }
      changed.remove(OracleSearch.DERIVED);
      if (!groups.isEmpty()) {
        changed.put(OracleSearch.DERIVED, String.join("|", groups));
      }
      next.put(dn, changed);
    }
  }

  /** One of the containers gets another name, and all below it. */
  private Done subtree(SortedMap<String, SortedMap<String, String>> next) {
    boolean there = next.containsKey(OracleWorld.MOVING);
    String from = there ? OracleWorld.MOVING : OracleWorld.MOVED;
    String to = there ? OracleWorld.MOVED : OracleWorld.MOVING;
    for (String dn : List.copyOf(next.keySet())) {
      if (dn.equals(from) || dn.endsWith("," + from)) {
        String kept = dn.substring(0, dn.length() - from.length());
        next.put(kept + to, next.remove(dn));
      }
    }
    return primary -> primary.modifyDN(from, to.substring(0, to.indexOf(',')), true);
  }
}
