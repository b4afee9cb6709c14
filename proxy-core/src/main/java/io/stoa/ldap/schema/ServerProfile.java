// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Interner;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a directory: its kind, its naming contexts and its schema. Normal forms can be
 * compared only if they were made under the same profile.
 *
 * <p>Threading: immutable, except for the table of {@link #shared}, which is thread-safe.
 */
public final class ServerProfile {
  /** Profile of an unknown directory: nothing is folded. */
  public static final ServerProfile EXACT =
      new ServerProfile(ServerKind.UNKNOWN, Schema.NONE, Contexts.NONE, false, Set.of());

  /**
   * Maximum octets of a shared part: 512. Clients choose the parts, and the table keeps the last
   * thousands of them.
   */
  private static final int MAX_SHARED = 512;

  /** Maximum number of shared parts of names: 4,096. */
  private static final int SHARED = 4096;

  private final ServerKind kind;
  private final Schema schema;
  private final Contexts contexts;
  private final boolean paging;
  private final Set<String> supported;
  private final Interner interner = new Interner(SHARED, MAX_SHARED);

  /**
   * Naming contexts, normalized and as the directory spells them.
   *
   * <p>Threading: immutable.
   */
  private record Contexts(List<NormalDn> places, List<String> names) {
    private static final Contexts NONE = new Contexts(List.of(), List.of());

    Contexts and(Contexts other) {
      return new Contexts(both(places, other.places), both(names, other.names));
    }

    private static <T> List<T> both(List<T> one, List<T> other) {
      return Stream.concat(one.stream(), other.stream()).toList();
    }
  }

  private ServerProfile(
      ServerKind kind, Schema schema, Contexts contexts, boolean paging, Set<String> supported) {
    this.kind = kind;
    this.schema = schema;
    this.contexts = contexts;
    this.paging = paging;
    this.supported = Set.copyOf(supported);
  }

  /**
   * Creates a profile from the entries in which a directory describes itself.
   *
   * @param rootDse as returned to a request for user and operational attributes
   * @param subschema the entry named by {@code subschemaSubentry} of the root DSE; null if it
   *     cannot be read, and then nothing is folded
   */
  public static ServerProfile of(SearchEntry rootDse, @Nullable SearchEntry subschema) {
    ServerKind kind = kind(rootDse);
    Schema schema =
        subschema == null
            ? Schema.NONE
            : SchemaReader.read(
                kind, texts(subschema, "attributeTypes"), texts(subschema, "objectClasses"));
    List<NormalDn> names =
        values(rootDse, "namingContexts").stream().map(dn -> NormalDn.of(dn, schema)).toList();
    Contexts contexts = new Contexts(names, texts(rootDse, "namingContexts"));
    Set<String> supported = new HashSet<>(texts(rootDse, "supportedControl"));
    boolean paging = supported.contains(Oids.PAGED);
    supported.addAll(texts(rootDse, "supportedExtension"));
    supported.addAll(texts(rootDse, "supportedFeatures"));
    return new ServerProfile(kind, schema, contexts, paging, supported);
  }

  /**
   * Returns a profile for two directories behind one proxy. Only facts that both share are used for
   * folding. If one directory is unknown, the result is {@link #EXACT}.
   */
  public ServerProfile and(ServerProfile other) {
    if (kind == ServerKind.UNKNOWN || other.kind == ServerKind.UNKNOWN) {
      return EXACT;
    }
    Set<String> both = new HashSet<>(supported);
    both.retainAll(other.supported);
    return new ServerProfile(
        kind.and(other.kind),
        schema.and(other.schema),
        contexts.and(other.contexts),
        paging && other.paging,
        both);
  }

  private static ServerKind kind(SearchEntry root) {
    if (texts(root, "objectClass").stream().anyMatch("OpenLDAProotDSE"::equalsIgnoreCase)) {
      return ServerKind.OPENLDAP;
    }
    boolean ds389 =
        texts(root, "vendorName").stream().anyMatch(name -> name.startsWith("389 "))
            || texts(root, "vendorVersion").stream().anyMatch(name -> name.startsWith("389-"));
    return ds389 ? ServerKind.DS389 : ServerKind.OTHER;
  }

  private static List<String> texts(SearchEntry entry, String attribute) {
    return values(entry, attribute).stream().map(v -> new String(v, UTF_8)).toList();
  }

  /** Returns the values of an attribute; empty if the entry lacks it. */
  private static List<byte[]> values(SearchEntry entry, String attribute) {
    List<byte[]> values = new ArrayList<>();
    for (SearchEntry.AttributeOctets candidate : entry.attributes()) {
      if (attribute.equalsIgnoreCase(new String(candidate.type(), UTF_8))) {
        values.addAll(candidate.values());
      }
    }
    return values;
  }

  /**
   * Returns the profile of the same directory after a proof that it is local: all its entries come
   * from its own databases, and no overlay changes how they are shown.
   */
  public ServerProfile ofLocal() {
    return new ServerProfile(kind, schema.ofLocal(), contexts, paging, supported);
  }

  public ServerKind kind() {
    return kind;
  }

  /** False until a schema was read, and if it has no attribute types. */
  public boolean isSchemaKnown() {
    return schema.isKnown();
  }

  public List<NormalDn> namingContexts() {
    return contexts.places;
  }

  /** Returns the naming contexts as the directory spells them. */
  public List<String> contextNames() {
    return contexts.names;
  }

  /** True if the directory announces the paged results control (RFC 2696). */
  public boolean supportsPaging() {
    return paging;
  }

  /** True if the root DSE announces a control, an extended operation or a feature. */
  public boolean supports(String oid) {
    return supported.contains(oid);
  }

  /**
   * Returns one key for all names of an attribute type, without options; unknown names in lower
   * case. For lists of names, such as secrets and exclusions: folds more than keys of requests do.
   */
  public Octets attributeKey(byte[] description) {
    return schema.wideKey(description);
  }

  /**
   * Returns the SearchResultDone with which this directory ends a search at the client's size
   * limit; null if unknown.
   *
   * @return a new array
   */
  public @Nullable EncodedResponse sizeLimitExceededOp() {
    return switch (kind) {
      case OPENLDAP, DS389 -> new EncodedResponse(new byte[] {0x65, 7, 0x0a, 1, 4, 4, 0, 4, 0});
      case OTHER, UNKNOWN -> null;
    };
  }

  /**
   * Returns one object for equal immutable objects of this profile, so that each is kept once. The
   * queries of many results have equal parts, such as their base.
   *
   * @param octets the size of the part; a part larger than {@link #MAX_SHARED} is returned as it is
   */
  public <T> T shared(T part, int octets) {
    return interner.intern(part, octets);
  }

  /** Returns the schema for keys of requests. */
  public Schema schema() {
    return schema;
  }

  /**
   * Returns the schema by which filters are evaluated. A profile of several directories, and of
   * servers other than slapd and 389-ds, has {@link Schema#NONE}.
   */
  public Schema evaluationSchema() {
    return schema.isExact() ? schema : Schema.NONE;
  }
}
