// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Samples;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Entries that change at random, and queries that some of them match. Single-threaded. */
final class SampleWorld {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final List<String> PARENTS =
      List.of(SUFFIX, "ou=a," + SUFFIX, "ou=b," + SUFFIX, "telephoneNumber=1 2,ou=b," + SUFFIX);
  private static final List<String> VALUES =
      List.of("one", "Two", "three", "M\u00fcller", "Stra\u00dfe", "strasse", "onefold");
  private static final List<String> NAMES = List.of("cn", "sn", "uid", "cn;lang-de", "exactName");

  /** Below that entries are added only: by chance alone none would be left at some time. */
  private static final int FEWEST = 20;

  private final Random random;
  private final Map<Uuid, Image> entries = new LinkedHashMap<>();
  private long last;

  /** A query, and how it is written. */
  record SampleQuery(Query query, String text) {}

  /** One change: the entry before and after, and what the index is told. */
  record Step(
      Uuid uuid, @Nullable Image was, @Nullable Image now, boolean moved, EntryChange touched) {}

  SampleWorld(Random random) {
    this.random = random;
    PARENTS.forEach(dn -> put(next(), Samples.entry(dn, "objectClass: top", "ou: x")));
    for (int count = 0; count < 60; count++) {
      put(next(), entry(name()));
    }
  }

  private Uuid next() {
    return new Uuid(7, ++last);
  }

  private void put(Uuid uuid, SearchEntry entry) {
    entries.put(uuid, Samples.image(entry));
  }

  Collection<Image> images() {
    return entries.values();
  }

  NormalDn dn(Uuid uuid) {
    return Objects.requireNonNull(entries.get(uuid)).dn();
  }

  Set<Uuid> members(Query query) {
    return entries.entrySet().stream()
        .filter(entry -> query.matches(entry.getValue()) == Truth.TRUE)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private String name() {
    String value = pick(VALUES) + random.nextInt(9);
    String rdn = random.nextInt(9) == 0 ? "telephoneNumber=" + random.nextInt(99) : "cn=" + value;
    return rdn + "," + pick(PARENTS);
  }

  private SearchEntry entry(String dn) {
    List<String> lines = new ArrayList<>();
    lines.add("objectClass: " + pick(List.of("person", "inetOrgPerson", "groupOfNames")));
    if (random.nextInt(30) == 0) {
      lines.add("objectClass: referral");
    }
    for (String name : NAMES) {
      for (int count = random.nextInt(3); count > 0; count--) {
        lines.add(name + ": " + pick(VALUES));
      }
    }
    for (int count = random.nextInt(4); count > 0; count--) {
      lines.add("member: " + member());
    }
    lines.add("uidNumber: " + random.nextInt(5));
    return Samples.entry(dn, lines.toArray(String[]::new));
  }

  private String member() {
    return "cn=" + pick(VALUES) + random.nextInt(9) + "," + SUFFIX;
  }

  SampleQuery query() {
    String base = random.nextInt(4) == 0 ? name() : pick(PARENTS);
    return query(base, random.nextInt(3), filter(2));
  }

  SampleQuery query(String base, int scope, String filter) {
    return new SampleQuery(
        Samples.query(base, scope, filter), "%s %d %s".formatted(base, scope, filter));
  }

  private String filter(int depth) {
    return switch (depth == 0 ? 9 : random.nextInt(10)) {
      case 0, 1 -> "(&" + filter(depth - 1) + filter(depth - 1) + ")";
      case 2 -> "(|" + filter(depth - 1) + filter(depth - 1) + ")";
      case 3 -> "(!" + filter(depth - 1) + ")";
      default -> leaf();
    };
  }

  private String leaf() {
    String value = pick(VALUES);
    return switch (random.nextInt(12)) {
      case 0 -> "(objectClass=" + pick(List.of("*", "person", "top", "groupOfNames")) + ")";
      case 1 -> "(member=" + member() + ")";
      case 2 -> "(uidNumber>=" + random.nextInt(5) + ")";
      case 3 -> "(" + pick(NAMES) + "=*)";
      case 4 -> "(" + pick(NAMES) + "=" + value.substring(0, 3) + "*)";
      case 5 -> "(" + pick(NAMES) + "=*" + value.substring(1) + ")";
      case 6 -> "(name=" + value + ")";
      case 7 -> "(cn~=" + value + ")";
      case 8 -> "(nobodyKnows=" + value + ")";
      default -> "(" + pick(NAMES) + "=" + value + ")";
    };
  }

  Step change() {
    if (entries.size() < FEWEST) {
      return step(next(), null, entry(name()));
    }
    Uuid uuid = pick(new ArrayList<>(entries.keySet()));
    return switch (random.nextInt(8)) {
      case 0 -> step(next(), null, entry(name()));
      case 1 -> step(uuid, entries.get(uuid), null);
      case 2 -> step(uuid, entries.get(uuid), renamed(uuid));
      default -> step(uuid, entries.get(uuid), modified(uuid));
    };
  }

  private SearchEntry renamed(Uuid uuid) {
    SearchEntry old = Objects.requireNonNull(entries.get(uuid)).entry();
    return parsed(name(), old.attributes().stream().map(a -> a.encoded()).toList());
  }

  /** One attribute is another one's, or there at all. */
  private SearchEntry modified(Uuid uuid) {
    SearchEntry old = Objects.requireNonNull(entries.get(uuid)).entry();
    SearchEntry other = entry("cn=other");
    int from = random.nextInt(other.attributes().size());
    byte[] type = other.attributes().get(from).type();
    List<byte[]> kept = new ArrayList<>();
    for (SearchEntry.AttributeOctets attribute : old.attributes()) {
      if (!Arrays.equals(attribute.type(), type)) {
        kept.add(attribute.encoded());
      }
    }
    if (random.nextInt(4) > 0) {
      kept.add(other.attributes().get(from).encoded());
    }
    return parsed(new String(old.dn(), StandardCharsets.UTF_8), kept);
  }

  private static SearchEntry parsed(String dn, List<byte[]> attributes) {
    try {
      return SearchEntry.parse(SearchEntry.encode(dn.getBytes(StandardCharsets.UTF_8), attributes));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private Step step(Uuid uuid, @Nullable Image was, @Nullable SearchEntry entry) {
    Image now = entry == null ? null : Samples.image(entry);
    if (now == null) {
      entries.remove(uuid);
    } else {
      entries.put(uuid, now);
    }
    boolean moved = was == null || now == null || !was.dn().equals(now.dn());
    EntryChange touched =
        new EntryChange(
            uuid, reported(now), was == null ? null : was.dn(), now == null ? null : now.dn());
    return new Step(uuid, was, now, moved, touched);
  }

  /** Sometimes the image, sometimes less of it, sometimes none. */
  private @Nullable Image reported(@Nullable Image now) {
    if (now == null || random.nextInt(6) == 0) {
      return null;
    }
    if (random.nextInt(6) > 0) {
      return now;
    }
    List<byte[]> some =
        now.entry().attributes().stream()
            .filter(attribute -> random.nextBoolean())
            .map(SearchEntry.AttributeOctets::encoded)
            .toList();
    SearchEntry less = parsed(new String(now.entry().dn(), StandardCharsets.UTF_8), some);
    return Image.of(less, false, Samples.SLAPD_PROFILE);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
