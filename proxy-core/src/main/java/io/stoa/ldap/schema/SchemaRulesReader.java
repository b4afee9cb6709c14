// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.AttributeTypeDefinition;
import com.unboundid.ldap.sdk.schema.ObjectClassDefinition;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.TypeRules.Matching;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link SchemaRules} from the definitions of a subschema entry. Definitions that cannot be
 * parsed, and names that two definitions claim, are left out.
 *
 * <p>Threading: confined to one thread.
 */
final class SchemaRulesReader {
  /** Maximum length of a chain of supertypes or superclasses: 64. A longer chain is a loop. */
  private static final int MAX_SUPERIORS = 64;

  /**
   * Attributes that the directory computes for each response, or changes without reporting it to a
   * feed.
   */
  private static final Set<String> DERIVED =
      Set.of(
          "hassubordinates",
          "numsubordinates",
          "numallsubordinates",
          "tombstonenumsubordinates",
          "subschemasubentry",
          "structuralobjectclass",
          "governingstructurerule",
          "collectiveattributesubentries",
          "nsrole",
          "ldapentry",
          "copyingfrom",
          "parentid",
          "entryid",
          "aci",
          "entry",
          "children");

  /** Attributes that change with groups. Changes of the groups are reported. */
  private static final Set<String> FROM_GROUPS = Set.of("memberof", "ismemberof");

  private static final Set<String> SECRET =
      Set.of("userpassword", "authpassword", "unicodepwd", "pwdhistory", "passwordhistory");

  private final ServerKind kind;
  private final Map<Octets, AttributeTypeDefinition> types = new LinkedHashMap<>();
  private final Map<Octets, ObjectClassDefinition> classes = new LinkedHashMap<>();
  private final Names typeNames = new Names();
  private final Names classNames = new Names();

  /** True if every definition could be parsed. Only then does an unknown name belong to no type. */
  private boolean whole = true;

  private SchemaRulesReader(ServerKind kind) {
    this.kind = kind;
  }

  static SchemaRules read(ServerKind kind, SearchEntry subschema) {
    SchemaRulesReader reader = new SchemaRulesReader(kind);
    texts(subschema, "attributeTypes").forEach(reader::readType);
    texts(subschema, "objectClasses").forEach(reader::readClass);
    return reader.rules();
  }

  private void readType(String text) {
    try {
      AttributeTypeDefinition type = new AttributeTypeDefinition(text);
      types.put(typeNames.claim(type.getOID(), type.getNames()), type);
    } catch (LDAPException e) {
      whole = false;
    }
  }

  private void readClass(String text) {
    try {
      ObjectClassDefinition type = new ObjectClassDefinition(text);
      classes.put(classNames.claim(type.getOID(), type.getNames()), type);
    } catch (LDAPException e) {
      whole = false;
    }
  }

  private SchemaRules rules() {
    Map<Octets, TypeRules> byName = new HashMap<>();
    Map<Octets, TypeRules> byKey = new HashMap<>();
    types.keySet().forEach(key -> byKey.put(key, rules(key)));
    typeNames.ambiguous.forEach(name -> byName.put(name, TypeRules.doubtful(kind, name)));
    typeNames.unambiguous().forEach((name, key) -> byName.put(name, byKey.get(key)));
    Map<Octets, Octets> names = classNames.unambiguous();
    Map<Octets, Set<Octets>> above = new HashMap<>();
    classes.keySet().forEach(key -> above.put(key, superclasses(key, names)));
    return new SchemaRules(kind, byName, whole, new ClassTree(names, above));
  }

  private TypeRules rules(Octets key) {
    List<AttributeTypeDefinition> chain = chain(key);
    if (chain.get(chain.size() - 1).getSuperiorType() != null) {
      return TypeRules.doubtful(kind, key);
    }
    return new TypeRules(
        kind,
        key,
        ancestors(chain),
        Syntax.of(first(chain, AttributeTypeDefinition::getEqualityMatchingRule)),
        Matching.of(first(chain, AttributeTypeDefinition::getEqualityMatchingRule)),
        Matching.of(first(chain, AttributeTypeDefinition::getOrderingMatchingRule)),
        Matching.of(first(chain, AttributeTypeDefinition::getSubstringMatchingRule)),
        derived(chain.get(0)),
        isNamed(chain.get(0), SECRET));
  }

  private static TypeRules.Derived derived(AttributeTypeDefinition type) {
    if (type.isCollective()) {
      return TypeRules.Derived.COLLECTIVE;
    }
    if (isNamed(type, FROM_GROUPS)) {
      return TypeRules.Derived.FROM_GROUPS;
    }
    return isNamed(type, DERIVED) ? TypeRules.Derived.OTHERWISE : TypeRules.Derived.NOT;
  }

  /**
   * Returns the keys of the types whose assertions match values of this type. For 389-ds an
   * assertion about a type does not match its subtypes.
   */
  private Set<Octets> ancestors(List<AttributeTypeDefinition> chain) {
    int generations = kind == ServerKind.DS389 ? 1 : chain.size();
    return chain.stream()
        .limit(generations)
        .map(type -> key(type.getOID()))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isNamed(AttributeTypeDefinition type, Set<String> names) {
    for (String name : type.getNames()) {
      if (names.contains(name.toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  /** Returns a property of the type or of the nearest supertype that has it. */
  private static @Nullable String first(
      List<AttributeTypeDefinition> chain,
      Function<AttributeTypeDefinition, @Nullable String> property) {
    return chain.stream().map(property).filter(value -> value != null).findFirst().orElse(null);
  }

  private List<AttributeTypeDefinition> chain(Octets key) {
    List<AttributeTypeDefinition> chain = new ArrayList<>();
    AttributeTypeDefinition next = types.get(key);
    while (next != null && chain.size() < MAX_SUPERIORS) {
      chain.add(next);
      String superior = next.getSuperiorType();
      Octets above = superior == null ? null : typeNames.owner(key(superior));
      next = above == null ? null : types.get(above);
    }
    return chain;
  }

  private Set<Octets> superclasses(Octets key, Map<Octets, Octets> names) {
    Set<Octets> found = new HashSet<>();
    List<Octets> open = new ArrayList<>(List.of(key));
    while (!open.isEmpty()) {
      Octets next = open.remove(open.size() - 1);
      ObjectClassDefinition type = classes.get(next);
      if (found.add(next) && type != null) {
        for (String superior : type.getSuperiorClasses()) {
          Octets above = names.get(key(superior));
          open.add(above == null ? key(superior) : above);
        }
      }
    }
    return Set.copyOf(found);
  }

  private static Octets key(String name) {
    byte[] octets = name.getBytes(UTF_8);
    return AttributeName.lower(octets, octets.length);
  }

  private static List<String> texts(SearchEntry entry, String attribute) {
    List<String> texts = new ArrayList<>();
    for (SearchEntry.AttributeOctets candidate : entry.attributes()) {
      if (attribute.equalsIgnoreCase(new String(candidate.type(), UTF_8))) {
        candidate.values().forEach(value -> texts.add(new String(value, UTF_8)));
      }
    }
    return texts;
  }

  /**
   * Collects the names that definitions claim. A name claimed by two definitions is dropped. An OID
   * claimed by two definitions is dropped with all its names.
   */
  private static final class Names {
    private final Map<Octets, Octets> owners = new HashMap<>();
    private final Set<Octets> ambiguous = new HashSet<>();
    private final Set<Octets> seen = new HashSet<>();

    Octets claim(String oid, String[] names) {
      Octets key = key(oid);
      claim(key, key);
      if (!seen.add(key)) {
        ambiguous.add(key);
      }
      for (String name : names) {
        claim(key(name), key);
      }
      return key;
    }

    private static Octets key(String name) {
      return SchemaRulesReader.key(name);
    }

    private void claim(Octets name, Octets key) {
      Octets owner = owners.putIfAbsent(name, key);
      if (owner != null && !owner.equals(key)) {
        ambiguous.add(name);
      }
    }

    @Nullable Octets owner(Octets name) {
      return ambiguous.contains(name) ? null : owners.get(name);
    }

    Map<Octets, Octets> unambiguous() {
      owners.values().removeIf(ambiguous::contains);
      owners.keySet().removeAll(ambiguous);
      return owners;
    }
  }
}
