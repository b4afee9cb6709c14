// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.change.Position;
import io.stoa.sim.check.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A primary, which takes all writes, and perhaps a replica, which gets them in the same order some
 * time later. Keeps all states that there were. Thread-confined.
 */
final class SimDirectory implements Timeline {
  private static final int NO_SUCH_OBJECT = 32;

  private final VirtualTime time;
  private final Faults faults;
  private final List<SimTree> states = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();
  private final Map<Object, Asked> asked = new HashMap<>();
  private final Server primary = new Server("primary");
  private final List<Server> servers = new ArrayList<>(List.of(primary));
  private long delivered;

  /** Holds the first state since ever. */
  SimDirectory(VirtualTime time, Faults faults, SimTree first, boolean replicated) {
    this.time = time;
    this.faults = faults;
    states.add(first);
    times.add(Long.MIN_VALUE);
    if (replicated) {
      servers.add(new Server("replica"));
    }
  }

  /** A directory server, which is in one of the states. Thread-confined. */
  static final class Server {
    /** Marks are compared as text. */
    private static final int FIRST_MARK = 10_000_000;

    private final String name;
    private int state;

    Server(String name) {
      this.name = name;
    }

    int state() {
      return state;
    }

    Position position() {
      return Position.of(Map.of(World.SUFFIX + "#001", String.valueOf(FIRST_MARK + state)));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  Server primary() {
    return primary;
  }

  List<Server> servers() {
    return servers;
  }

  /**
   * Does it at the primary, now.
   *
   * @return the result code
   */
  int commit(SimChange change) {
    SimTree.Changed changed = states.get(primary.state).with(change, states.size());
    if (changed.code() == 0) {
      states.add(changed.tree());
      times.add(time.now());
      primary.state = states.size() - 1;
      servers.stream().filter(one -> one != primary).forEach(this::replicate);
    }
    return changed.code();
  }

  private void replicate(Server replica) {
    int state = primary.state;
    delivered = Math.max(delivered + 1, faults.arrival(state, time.now()));
    time.at(delivered, () -> replica.state = state);
  }

  @Override
  public int at(long when) {
    int state = states.size() - 1;
    while (times.get(state) > when) {
      state--;
    }
    return state;
  }

  @Override
  public int code(int state, Object question) {
    SimSearch search = (SimSearch) question;
    return entry(state, search.base(), search) == null ? NO_SUCH_OBJECT : 0;
  }

  @Override
  public Map<String, String> shown(int state, Object question) {
    return asked(question).inState(state);
  }

  @Override
  public @Nullable String entry(int state, String dn, Object question) {
    Entry entry = states.get(state).get(dn);
    return entry == null ? null : asked(question).shown(entry);
  }

  private Asked asked(Object question) {
    return asked.computeIfAbsent(question, one -> new Asked((SimSearch) one));
  }

  /** What a search shows of entries, found out once for each form of each. Thread-confined. */
  private final class Asked {
    private static final String HIDDEN = "";

    private final SimSearch search;
    private final Filter filter;
    private final IdentityHashMap<Entry, String> views = new IdentityHashMap<>();
    private final Map<Integer, Map<String, String>> results = new HashMap<>();

    Asked(SimSearch search) {
      this.search = search;
      this.filter = search.compiled();
    }

    Map<String, String> inState(int state) {
      return results.computeIfAbsent(state, this::find);
    }

    private Map<String, String> find(int state) {
      Map<String, String> found = new TreeMap<>();
      if (code(state, search) == 0) {
        for (Entry entry : search.candidates(states.get(state))) {
          String shown = matches(entry) ? shown(entry) : null;
          if (shown != null) {
            found.put(entry.getDN(), shown);
          }
        }
      }
      return found;
    }

    private boolean matches(Entry entry) {
      Entry visible = World.visible(search.identity(), entry);
      try {
        return visible != null && filter.matchesEntry(visible);
      } catch (LDAPException e) {
        throw new AssertionError("the filter of " + search + " cannot be evaluated", e);
      }
    }

    @Nullable String shown(Entry entry) {
      String view = views.computeIfAbsent(entry, this::view);
      return view.equals(HIDDEN) ? null : view;
    }

    private String view(Entry entry) {
      Entry visible = World.visible(search.identity(), entry);
      return visible == null ? HIDDEN : search.shown(visible);
    }
  }
}
