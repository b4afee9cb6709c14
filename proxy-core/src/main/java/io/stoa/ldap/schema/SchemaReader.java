// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.AttributeTypeDefinition;
import com.unboundid.ldap.sdk.schema.AttributeUsage;
import com.unboundid.ldap.sdk.schema.ObjectClassDefinition;
import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
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
 * Builds a {@link Schema} from the definitions of a subschema entry. Definitions that cannot be
 * parsed, and names that two definitions claim, are left out. An unknown name is always safe.
 *
 * <p>Threading: confined to one thread.
 */
final class SchemaReader {
  /** Maximum length of a chain of supertypes: 64. A longer chain is a loop. */
  private static final int MAX_SUPERTYPES = 64;

  private final Folding folding;
  private final Map<Octets, AttributeTypeDefinition> definitions = new LinkedHashMap<>();
  private final Map<Octets, Octets> typeNames = new HashMap<>();
  private final Map<Octets, Octets> classNames = new HashMap<>();
  private final Map<Octets, Set<Octets>> ancestors = new HashMap<>();
  private final Map<Octets, Set<Octets>> related = new HashMap<>();

  private SchemaReader(ServerKind kind) {
    folding = Folding.of(kind);
  }

  static Schema read(ServerKind kind, List<String> attributeTypes, List<String> objectClasses) {
    SchemaReader reader = new SchemaReader(kind);
    reader.readAttributeTypes(attributeTypes);
    reader.readObjectClasses(objectClasses);
    return reader.schema();
  }

  private void readAttributeTypes(List<String> texts) {
    Names names = new Names();
    for (String text : texts) {
      AttributeTypeDefinition definition = attributeType(text);
      if (definition != null) {
        definitions.put(names.claim(definition.getOID(), definition.getNames()), definition);
      }
    }
    typeNames.putAll(names.unambiguous());
  }

  private void readObjectClasses(List<String> texts) {
    Names names = new Names();
    for (String text : texts) {
      ObjectClassDefinition definition = objectClass(text);
      if (definition != null) {
        names.claim(definition.getOID(), definition.getNames());
      }
    }
    classNames.putAll(names.unambiguous());
  }

  private static @Nullable AttributeTypeDefinition attributeType(String text) {
    try {
      return new AttributeTypeDefinition(text);
    } catch (LDAPException e) {
      return null;
    }
  }

  private static @Nullable ObjectClassDefinition objectClass(String text) {
    try {
      return new ObjectClassDefinition(text);
    } catch (LDAPException e) {
      return null;
    }
  }

  private Schema schema() {
    definitions.keySet().forEach(key -> ancestors.put(key, ancestorsOf(key)));
    ancestors.forEach(
        (key, above) -> {
          related.computeIfAbsent(key, k -> new HashSet<>()).addAll(above);
          above.forEach(a -> related.computeIfAbsent(a, k -> new HashSet<>()).add(key));
        });
    Map<Octets, AttributeType> types = new HashMap<>();
    definitions.forEach((key, definition) -> types.put(key, type(key, definition)));
    Map<Octets, AttributeType> byName = new HashMap<>(typeNames.size() * 2);
    typeNames.forEach((name, key) -> byName.computeIfAbsent(name, unused -> types.get(key)));
    return new Schema(folding, byName, classNames);
  }

  private AttributeType type(Octets key, AttributeTypeDefinition definition) {
    Set<Octets> above = ancestors.getOrDefault(key, Set.of());
    Set<Octets> family = related.getOrDefault(key, Set.of());
    boolean operational = definition.getUsage() != AttributeUsage.USER_APPLICATIONS;
    MatchingRules rules = rules(key);
    return new AttributeType(
        key,
        Ascii.lowerKey(definition.getNameOrOID()),
        rules.valueRule(folding, isObjectClass(definition)),
        folding.letterCase() ? rules.caseIgnored() : null,
        folding.letterCase() && rules.isText(),
        folding.letterCase() && rules.ignoresCaseInSubstrings(),
        operational,
        !operational || WellKnownAttributes.isProjectable(definition.getNames()),
        Set.copyOf(above),
        Set.copyOf(family),
        isVolatile(key, family));
  }

  private static boolean isObjectClass(AttributeTypeDefinition definition) {
    return definition.getOID().equals("2.5.4.0");
  }

  /**
   * True if the type or one of its subtypes is volatile. A request for a type returns its subtypes,
   * too.
   */
  private boolean isVolatile(Octets key, Set<Octets> family) {
    for (Octets member : family) {
      AttributeTypeDefinition definition = definitions.get(member);
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

  /** Returns the rules of the type, each inherited from the nearest supertype that names one. */
  private MatchingRules rules(Octets key) {
    List<AttributeTypeDefinition> chain = chain(key);
    return new MatchingRules(
        first(chain, AttributeTypeDefinition::getEqualityMatchingRule),
        first(chain, AttributeTypeDefinition::getSubstringMatchingRule),
        first(chain, AttributeTypeDefinition::getBaseSyntaxOID));
  }

  private static @Nullable String first(
      List<AttributeTypeDefinition> chain,
      Function<AttributeTypeDefinition, @Nullable String> property) {
    return chain.stream().map(property).filter(value -> value != null).findFirst().orElse(null);
  }

  /** Returns the type and its known supertypes. */
  private List<AttributeTypeDefinition> chain(Octets key) {
    List<AttributeTypeDefinition> chain = new ArrayList<>();
    AttributeTypeDefinition next = definitions.get(key);
    while (next != null && chain.size() < MAX_SUPERTYPES) {
      chain.add(next);
      String superior = next.getSuperiorType();
      Octets above = superior == null ? null : typeNames.get(Ascii.lowerKey(superior));
      next = above == null ? null : definitions.get(above);
    }
    return chain;
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

    Map<Octets, Octets> unambiguous() {
      owners.values().removeIf(ambiguous::contains);
      owners.keySet().removeAll(ambiguous);
      return owners;
    }
  }
}
