// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.cache.result.RequestTemplate.Verdict;
import io.stoa.cache.sharing.SharedAttributes;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.filter.QueryTemplate;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.TrackingValue;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.SiblingNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests may use the caches, from the schema of the directory and the exclusions of
 * the administrator.
 *
 * <p>Threading: immutable.
 */
final class Cacheability {
  private static final int BASE = 0;
  private static final int SUBTREE = 2;

  /** Trees of the server itself, and trees whose entries change without a write. */
  private static final List<String> VOLATILE_TREES =
      List.of(
          "cn=monitor", "cn=config", "cn=configuration", "cn=changelog", "cn=accesslog", "cn=log");

  /** Controls that change the answer. Their octets become part of the key. */
  private static final Set<String> IN_KEY = Set.of(Oids.MANAGE_DSA_IT, Oids.SUBENTRIES);

  private final int generation;
  private final ServerProfile profile;
  private final QueryNormalizer normalizer;
  private final List<NormalDn> excludedTrees;
  private final boolean excludesTrees;
  private final SecretTypes secrets;
  private final Set<Octets> excludedAttributes;
  private final SharedAttributes coverage;

  /**
   * Creates the rules.
   *
   * @param generation number of the rules, which is part of keys
   */
  Cacheability(int generation, ServerProfile profile, CacheConfig config) {
    this.generation = generation;
    this.profile = profile;
    this.normalizer = new QueryNormalizer(profile);
    this.excludedTrees = new ArrayList<>(dns(VOLATILE_TREES));
    this.excludedTrees.addAll(dns(config.exclusions().subtrees()));
    this.excludesTrees = !config.exclusions().subtrees().isEmpty();
    this.secrets = new SecretTypes(keys(config.secrets()), profile);
    this.excludedAttributes = keys(config.exclusions().filterAttributes());
    this.coverage = new SharedAttributes(config.sharing().classes(), profile);
  }

  private List<NormalDn> dns(List<String> texts) {
    return texts.stream().map(dn -> NormalDn.of(octets(dn), profile)).toList();
  }

  private Set<Octets> keys(Collection<String> attributes) {
    return attributes.stream()
        .map(name -> profile.attributeKey(octets(name)))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** True if a returned attribute must not be stored. */
  boolean isSecret(byte[] attributeType) {
    return secrets.contains(attributeType, 0, attributeType.length);
  }

  /** Outcome of the check of a returned entry. */
  enum EntryCheck {
    /** The entry may be stored. */
    STORABLE,
    /** The entry holds an attribute that must not be stored. */
    SECRET,
    /** The entry cannot be parsed. */
    MALFORMED
  }

  /** Checks a returned entry. */
  EntryCheck check(byte[] op) {
    SecretSearch search = new SecretSearch(secrets);
    if (!SearchEntry.check(op, search)) {
      return EntryCheck.MALFORMED;
    }
    return search.found ? EntryCheck.SECRET : EntryCheck.STORABLE;
  }

  /** Looks for secret attributes in one entry. Threading: confined to one thread. */
  private static final class SecretSearch implements SearchEntry.TypeListener {
    private final SecretTypes secrets;
    private boolean found;

    SecretSearch(SecretTypes secrets) {
      this.secrets = secrets;
    }

    @Override
    public void onType(byte[] op, int from, int to) {
      found |= secrets.contains(op, from, to);
    }
  }

  /** Returns the template of one request. */
  RequestTemplate template(Request request) {
    RequestTemplate template = template(request, null);
    return template == null ? RequestTemplate.bypass(Verdict.CONTROL) : template;
  }

  /**
   * Returns the template of a request.
   *
   * @param scanned the same request, for the template of all requests of its shape; null for the
   *     template of this one
   * @return null if requests of the shape may differ in more than their values
   */
  @Nullable RequestTemplate template(Request request, @Nullable RequestScanner scanned) {
    Octets controls = request.irregular() ? null : controlsKey(request.controls());
    byte[] name = scanned != null && scanned.splitsName() ? request.op().target() : null;
    SiblingNames names = null;
    if (name != null && scanned != null) {
      names = SiblingNames.of(name, scanned.value(0), profile);
      if (names == null || distinguishes(names)) {
        return null;
      }
    }
    if (request.op() instanceof SearchOp search) {
      return template(search, names, controls, scanned != null);
    }
    return request.op() instanceof CompareOp compare
        ? template(compare, names, controls, scanned != null)
        : RequestTemplate.bypass(Verdict.CONTROL);
  }

  /** True if the rules treat some of these entries differently from others. */
  private boolean distinguishes(SiblingNames names) {
    NormalDn parent = names.parent();
    return !parent.isDn()
        || excludedTrees.stream().anyMatch(tree -> tree.isBelow(parent))
        || coverage.distinguishesBelow(parent);
  }

  private @Nullable RequestTemplate template(
      SearchOp search, @Nullable SiblingNames names, @Nullable Octets controls, boolean ofShape) {
    FilterAttributes filter = FilterAttributes.of(search.filter(), profile);
    if (filter.touches(secrets.keys())) {
      return RequestTemplate.bypass(Verdict.SECRET);
    }
    AttributeSelection selection = AttributeSelection.of(search.attributes(), profile);
    NormalDn base = NormalDn.of(search.base(), profile);
    Verdict verdict = verdict(filter, controls, base, search.scope(), search.followsAliases());
    if (verdict == Verdict.CACHE && selection.namesVolatile()) {
      verdict = Verdict.VOLATILE;
    }
    if (controls == null || verdict != Verdict.CACHE) {
      return RequestTemplate.bypass(verdict);
    }
    QueryTemplate values = ofShape ? normalizer.searchTemplate(search, names, controls) : null;
    Octets key = ofShape ? null : normalizer.searchKey(search, controls);
    NormalQuery query = query(values, key, Reach.of(search, base));
    Octets form =
        showsAlike(base, filter)
            ? normalizer.entryKey(search, names, controls, filter.named())
            : null;
    return query == null
        ? null
        : new RequestTemplate(
            Verdict.CACHE,
            query,
            null,
            values,
            form,
            selection,
            search.sizeLimit(),
            search.typesOnly(),
            coverage.of(search, filter),
            null,
            null,
            null);
  }

  private @Nullable NormalQuery query(
      @Nullable QueryTemplate template, @Nullable Octets key, Reach reach) {
    if (key != null) {
      return NormalQuery.of(generation, key, reach);
    }
    return template == null ? null : NormalQuery.of(generation, template, reach);
  }

  /**
   * True if the values that a filter asserts never change how an entry is returned.
   *
   * <p>Overlays of slapd compute attributes depending on the attributes that the filter names. The
   * root DSE of Active Directory depends on the asserted values. Other servers are unknown, so the
   * answer is false for them.
   */
  private boolean showsAlike(NormalDn base, FilterAttributes filter) {
    return isKnownKind() && !base.isRoot() && !filter.any();
  }

  private boolean isKnownKind() {
    return profile.kind() == ServerKind.OPENLDAP || profile.kind() == ServerKind.DS389;
  }

  private Verdict verdict(
      FilterAttributes assertions,
      @Nullable Octets controls,
      NormalDn base,
      int scope,
      boolean follows) {
    if (controls == null) {
      return Verdict.CONTROL;
    }
    if (scope < BASE || scope > SUBTREE) {
      return Verdict.SCOPE;
    }
    if (assertions.namesVolatile()) {
      return Verdict.VOLATILE;
    }
    if (assertions.touches(excludedAttributes)) {
      return Verdict.EXCLUDED_ATTRIBUTE;
    }
    boolean reaches = (follows && excludesTrees) || reachesExcludedTree(base, scope);
    return reaches ? Verdict.EXCLUDED_SUBTREE : Verdict.CACHE;
  }

  private @Nullable RequestTemplate template(
      CompareOp compare, @Nullable SiblingNames names, @Nullable Octets controls, boolean ofShape) {
    FilterAttributes assertion = FilterAttributes.of(compare, profile);
    if (assertion.touches(secrets.keys())) {
      return RequestTemplate.bypass(Verdict.SECRET);
    }
    NormalDn entry = NormalDn.of(compare.entry(), profile);
    Verdict verdict = verdict(assertion, controls, entry, BASE, false);
    if (controls == null || verdict != Verdict.CACHE) {
      return RequestTemplate.bypass(verdict);
    }
    QueryTemplate values = ofShape ? normalizer.compareTemplate(compare, names, controls) : null;
    Octets key = ofShape ? null : normalizer.compareKey(compare, controls);
    NormalQuery query = query(values, key, Reach.of(entry));
    return query == null
        ? null
        : new RequestTemplate(
            Verdict.CACHE,
            query,
            null,
            values,
            Octets.EMPTY,
            null,
            0,
            false,
            coverage.of(compare, assertion),
            null,
            null,
            null);
  }

  /**
   * True if a search can reach an excluded tree. The trees of the server itself are at the top, so
   * only a search from the root DN reaches them from above.
   */
  private boolean reachesExcludedTree(NormalDn base, int scope) {
    if (!base.isDn()) {
      return excludesTrees; // a name that only some servers accept may lie anywhere
    }
    for (NormalDn tree : excludedTrees) { // hot path: a stream is slower
      if (base.isBelowOrEqual(tree) || (scope != BASE && tree.isBelowOrEqual(base))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the key of the controls that change the answer, or null if a control forces a bypass.
   */
  private static @Nullable Octets controlsKey(List<Control> controls) {
    if (controls.isEmpty()) {
      return Octets.EMPTY;
    }
    List<Control> inKey = new ArrayList<>();
    for (Control control : controls) {
      if (IN_KEY.contains(control.oid())) {
        inKey.add(control);
      } else if (!changesNothing(control)) {
        return null;
      }
    }
    return encode(inKey);
  }

  /** True for a control that names the session of the client. */
  static boolean isTracking(Control control) {
    return control.oid().equals(Oids.SESSION_TRACKING);
  }

  private static boolean changesNothing(Control control) {
    return isTracking(control) && !control.critical() && TrackingValue.isHarmless(control.value());
  }

  /**
   * Encodes the controls in the order of the request. Directories differ in how they treat a
   * repeated control.
   */
  private static Octets encode(List<Control> controls) {
    BerWriter key = new BerWriter();
    for (Control control : controls) {
      key.octets(BerReader.OCTET_STRING, octets(control.oid()));
      key.bool(BerReader.BOOLEAN, control.critical());
      byte[] value = control.value();
      if (value != null) {
        key.octets(BerReader.OCTET_STRING, value);
      }
    }
    return Octets.of(key.toByteArray());
  }
}
