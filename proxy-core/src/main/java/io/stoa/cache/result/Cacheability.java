// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CacheRequest.Verdict;
import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.cache.sharing.SharedAttributes;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.TrackingValue;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which requests may use the caches, by what is known of the directory and by what the
 * administrator excludes. Immutable.
 */
final class Cacheability {
  private static final int BASE = 0;
  private static final int SUBTREE = 2;

  /** Trees whose entries change by themselves, or are of the server itself. */
  private static final List<String> VOLATILE_TREES =
      List.of(
          "cn=monitor", "cn=config", "cn=configuration", "cn=changelog", "cn=accesslog", "cn=log");

  /** Controls that change the answer, and are part of the key. */
  private static final Set<String> IN_KEY = Set.of(Oids.MANAGE_DSA_IT, Oids.SUBENTRIES);

  private final ServerProfile profile;
  private final QueryNormalizer normalizer;
  private final List<NormalDn> excludedTrees;
  private final boolean excludesTrees;
  private final Set<Octets> secrets;
  private final Set<Octets> excludedAttributes;
  private final SharedAttributes coverage;

  Cacheability(ServerProfile profile, CacheConfig config) {
    this.profile = profile;
    this.normalizer = new QueryNormalizer(profile);
    this.excludedTrees = new ArrayList<>(dns(VOLATILE_TREES));
    this.excludedTrees.addAll(dns(config.exclusions().subtrees()));
    this.excludesTrees = !config.exclusions().subtrees().isEmpty();
    this.secrets = keys(config.secrets());
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

  /** Whether a returned attribute may not be stored. */
  boolean isSecret(byte[] attributeType) {
    return secrets.contains(profile.attributeKey(attributeType));
  }

  /** Whether an entry holds such an attribute, or none that can be told. */
  boolean isSecretEntry(byte[] op) {
    try {
      return holdsSecret(SearchEntry.parse(op));
    } catch (LdapProtocolException e) {
      return true;
    }
  }

  /** Whether one of the attributes of an entry may not be stored. */
  boolean holdsSecret(SearchEntry entry) {
    for (SearchEntry.AttributeOctets attribute : entry.attributes()) {
      if (isSecret(attribute.type())) {
        return true;
      }
    }
    return false;
  }

  /** Decides on a request. */
  CacheRequest plan(Request request) {
    Octets controls = request.irregular() ? null : controlsKey(request.controls());
    if (request.op() instanceof SearchOp search) {
      return plan(search, controls);
    }
    return request.op() instanceof CompareOp compare
        ? plan(compare, controls)
        : CacheRequest.none(Verdict.CONTROL);
  }

  private CacheRequest plan(SearchOp search, @Nullable Octets controls) {
    FilterAttributes filter = FilterAttributes.of(search.filter(), profile);
    if (filter.touches(secrets)) {
      return CacheRequest.none(Verdict.SECRET);
    }
    AttributeSelection selection = AttributeSelection.of(search.attributes(), profile);
    NormalDn base = NormalDn.of(search.base(), profile);
    Verdict verdict = verdict(filter, controls, base, search.scope(), search.followsAliases());
    if (verdict == Verdict.CACHE && selection.namesVolatile()) {
      verdict = Verdict.VOLATILE;
    }
    if (controls == null || verdict != Verdict.CACHE) {
      return CacheRequest.none(verdict);
    }
    Octets query = normalizer.searchKey(search, controls);
    return new CacheRequest(
        Verdict.CACHE,
        query,
        showsAlike(base, filter) ? normalizer.entryKey(search, controls, filter.named()) : query,
        selection,
        search.sizeLimit(),
        search.typesOnly(),
        Reach.of(search, base),
        Octets.EMPTY,
        coverage.of(search, filter));
  }

  /**
   * Whether the values that a filter asserts never change how an entry is shown. Overlays of slapd
   * compute attributes by which attributes the filter names. The root DSE of Active Directory
   * answers what the filter asserts. Of other servers nothing is known.
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

  private CacheRequest plan(CompareOp compare, @Nullable Octets controls) {
    FilterAttributes assertion = FilterAttributes.of(compare, profile);
    if (assertion.touches(secrets)) {
      return CacheRequest.none(Verdict.SECRET);
    }
    NormalDn entry = NormalDn.of(compare.entry(), profile);
    Verdict verdict = verdict(assertion, controls, entry, BASE, false);
    if (controls == null || verdict != Verdict.CACHE) {
      return CacheRequest.none(verdict);
    }
    Octets key = normalizer.compareKey(compare, controls);
    Reach reach = Reach.of(entry);
    return new CacheRequest(
        Verdict.CACHE,
        key,
        Octets.EMPTY,
        null,
        0,
        false,
        reach,
        Octets.EMPTY,
        coverage.of(compare, assertion));
  }

  /** A search above a volatile tree of the server's own reaches it only from the very root. */
  private boolean reachesExcludedTree(NormalDn base, int scope) {
    if (!base.isDn()) {
      return excludesTrees; // what some servers take for a name may lie anywhere
    }
    for (NormalDn tree : excludedTrees) { // on the path of every request: a stream takes longer
      if (base.isBelowOrEqual(tree) || (scope != BASE && tree.isBelowOrEqual(base))) {
        return true;
      }
    }
    return false;
  }

  /** The controls that change the answer; null if one of them keeps it out of the caches. */
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

  private static boolean changesNothing(Control control) {
    return control.oid().equals(Oids.SESSION_TRACKING)
        && !control.critical()
        && TrackingValue.isHarmless(control.value());
  }

  /** In the order of the request: what a directory makes of one control twice is its own affair. */
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
