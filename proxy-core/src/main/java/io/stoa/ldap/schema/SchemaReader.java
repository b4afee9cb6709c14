// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.AttributeTypeDefinition;
import com.unboundid.ldap.sdk.schema.AttributeUsage;
import com.unboundid.ldap.sdk.schema.ObjectClassDefinition;
import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeType.Derived;
import io.stoa.ldap.schema.AttributeType.Matching;
import io.stoa.ldap.schema.Schema.Folding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Schema} from the definitions of a subschema entry. Definitions that cannot be
 * parsed are left out. Names that two definitions claim are ambiguous.
 *
 * <p>Threading: confined to one thread.
 */
final class SchemaReader {
  /** Maximum length of a chain of supertypes: 64. A longer chain is a loop. */
  private static final int MAX_SUPERTYPES = 64;

  private final ServerKind kind;
  private final Map<Octets, AttributeTypeDefinition> types = new LinkedHashMap<>();
  private final Map<Octets, ObjectClassDefinition> classes = new LinkedHashMap<>();
  private final Names typeNames = new Names();
  private final Names classNames = new Names();
  private final Map<Octets, Set<Octets>> ancestors = new HashMap<>();
  private final Map<Octets, Set<Octets>> related = new HashMap<>();

  /** True if every definition could be parsed. Only then does an unknown name belong to no type. */
  private boolean complete = true;

  private SchemaReader(ServerKind kind) {
    this.kind = kind;
  }

  static Schema read(ServerKind kind, List<String> attributeTypes, List<String> objectClasses) {
    SchemaReader reader = new SchemaReader(kind);
    attributeTypes.forEach(reader::readType);
    objectClasses.forEach(reader::readClass);
    reader.typeNames.resolve();
    reader.classNames.resolve();
    return reader.schema();
  }

  private void readType(String text) {
    try {
      AttributeTypeDefinition type = new AttributeTypeDefinition(text);
      types.put(typeNames.claim(type.getOID(), type.getNames()), type);
    } catch (LDAPException e) {
      complete = false;
    }
  }

  private void readClass(String text) {
    try {
      ObjectClassDefinition type = new ObjectClassDefinition(text);
      classes.put(classNames.claim(type.getOID(), type.getNames()), type);
    } catch (LDAPException e) {
      complete = false;
    }
  }

  private Schema schema() {
    types.keySet().forEach(key -> ancestors.put(key, ancestorsOf(key)));
    ancestors.forEach(
        (key, above) -> {
          related.computeIfAbsent(key, k -> new HashSet<>()).addAll(above);
          above.forEach(a -> related.computeIfAbsent(a, k -> new HashSet<>()).add(key));
        });
    Map<Octets, AttributeType> byKey = new HashMap<>();
    types.forEach((key, definition) -> byKey.put(key, type(key, definition)));
    Map<Octets, AttributeType> byName = new HashMap<>(typeNames.owners.size() * 2);
    typeNames.owners.forEach((name, key) -> byName.put(name, byKey.get(key)));
    Map<Octets, AttributeType> ambiguous = new HashMap<>();
    typeNames.ambiguous.forEach(name -> ambiguous.put(name, AttributeType.ambiguous(kind, name)));
    Map<Octets, Set<Octets>> above = new HashMap<>();
    classes.keySet().forEach(key -> above.put(key, superclasses(key)));
    return new Schema(kind, byName, ambiguous, new ClassTree(classNames.owners, above), complete);
  }

  private AttributeType type(Octets key, AttributeTypeDefinition definition) {
    List<AttributeTypeDefinition> chain = chain(key);
    Set<Octets> family = related.getOrDefault(key, Set.of());
    boolean operational = definition.getUsage() != AttributeUsage.USER_APPLICATIONS;
    Matching equality = matching(chain, AttributeTypeDefinition::getEqualityMatchingRule);
    Matching substrings = matching(chain, AttributeTypeDefinition::getSubstringMatchingRule);
    return new AttributeType(
        kind,
        key,
        Ascii.lowerKey(definition.getNameOrOID()),
        equality,
        matching(chain, AttributeTypeDefinition::getOrderingMatchingRule),
        substrings,
        ValueFolding.of(
            Folding.of(kind),
            key.equals(AttributeType.OBJECT_CLASS),
            equality.rule(),
            substrings.rule(),
            first(chain, AttributeTypeDefinition::getBaseSyntaxOID)),
        operational,
        !operational || WellKnownAttributes.isProjectable(definition.getNames()),
        isVolatile(key, family),
        derived(definition),
        WellKnownAttributes.isSecret(definition.getNames()),
        Set.copyOf(ancestors.getOrDefault(key, Set.of())),
        Set.copyOf(family),
        chain.get(chain.size() - 1).getSuperiorType() == null);
  }

  private static Derived derived(AttributeTypeDefinition type) {
    if (type.isCollective()) {
      return Derived.COLLECTIVE;
    }
    if (WellKnownAttributes.isFromGroups(type.getNames())) {
      return Derived.FROM_GROUPS;
    }
    return WellKnownAttributes.isDerived(type.getNames()) ? Derived.OTHERWISE : Derived.NOT;
  }

  /**
   * True if the type or one of its subtypes is volatile. A request for a type returns its subtypes,
   * too.
   */
  private boolean isVolatile(Octets key, Set<Octets> family) {
    for (Octets member : family) {
      AttributeTypeDefinition definition = types.get(member);
      if (definition != null
          && ancestors.getOrDefault(member, Set.of()).contains(key)
          && WellKnownAttributes.isVolatile(definition.getNames())) {
        return true;
      }
    }
    return false;
  }

  private Set<Octets> ancestorsOf(Octets key) {
    Set<Octets> chain = new HashSet<>();
    for (AttributeTypeDefinition definition : chain(key)) {
      chain.add(Ascii.lowerKey(definition.getOID()));
    }
    return chain;
  }

  private static Matching matching(
      List<AttributeTypeDefinition> chain,
      Function<AttributeTypeDefinition, @Nullable String> rule) {
    return Matching.of(first(chain, rule));
  }

  /** Returns a property of the type or of the nearest supertype that has it. */
  private static @Nullable String first(
      List<AttributeTypeDefinition> chain,
      Function<AttributeTypeDefinition, @Nullable String> property) {
    return chain.stream().map(property).filter(value -> value != null).findFirst().orElse(null);
  }

  /** Returns the type and its known supertypes. */
  private List<AttributeTypeDefinition> chain(Octets key) {
    List<AttributeTypeDefinition> chain = new ArrayList<>();
    AttributeTypeDefinition next = types.get(key);
    while (next != null && chain.size() < MAX_SUPERTYPES) {
      chain.add(next);
      String superior = next.getSuperiorType();
      Octets above = superior == null ? null : typeNames.owners.get(Ascii.lowerKey(superior));
      next = above == null ? null : types.get(above);
    }
    return chain;
  }

  private Set<Octets> superclasses(Octets key) {
    Set<Octets> found = new HashSet<>();
    List<Octets> open = new ArrayList<>(List.of(key));
    while (!open.isEmpty()) {
      Octets next = open.remove(open.size() - 1);
      ObjectClassDefinition type = classes.get(next);
      if (found.add(next) && type != null) {
        for (String superior : type.getSuperiorClasses()) {
          Octets name = Ascii.lowerKey(superior);
          open.add(classNames.owners.getOrDefault(name, name));
        }
      }
    }
    return Set.copyOf(found);
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
      Octets key = Ascii.lowerKey(oid);
      claim(key, key);
      if (!seen.add(key)) {
        ambiguous.add(key);
      }
      for (String name : names) {
        claim(Ascii.lowerKey(name), key);
      }
      return key;
    }

    private void claim(Octets name, Octets key) {
      Octets owner = owners.putIfAbsent(name, key);
      if (owner != null && !owner.equals(key)) {
        ambiguous.add(name);
      }
    }

    /** Removes ambiguous names, and the names of ambiguous OIDs, from the owners. */
    void resolve() {
      List<Octets> more =
          owners.keySet().stream().filter(name -> ambiguous.contains(owners.get(name))).toList();
      ambiguous.addAll(more);
      owners.keySet().removeAll(ambiguous);
    }
  }
}
