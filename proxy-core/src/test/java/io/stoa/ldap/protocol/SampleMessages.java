// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.AddResponseProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareResponseProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNResponseProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyResponseProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.protocol.SearchResultReferenceProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Random messages of every kind, made by the SDK. The same seed gives the same messages. Not
 * thread-safe.
 */
public final class SampleMessages {
  private static final int KINDS_OF_REQUEST = 11;
  private static final int KINDS_OF_RESPONSE = 11;

  private final Random random;

  public SampleMessages(long seed) {
    random = new Random(seed);
  }

  public static byte[] encode(int id, ProtocolOp op, Control... controls) {
    return new LDAPMessage(id, op, controls).encode().encode();
  }

  /** Requests of every kind in turn, each another one. */
  public Stream<LDAPMessage> requests(int count) {
    return IntStream.range(0, count).mapToObj(index -> message(request(index % KINDS_OF_REQUEST)));
  }

  /** Responses of every kind in turn, each another one. */
  public Stream<LDAPMessage> responses(int count) {
    return IntStream.range(0, count)
        .mapToObj(index -> message(response(index % KINDS_OF_RESPONSE)));
  }

  public SearchRequestProtocolOp search() {
    return new SearchRequestProtocolOp(
        dn(),
        SearchScope.valueOf(random.nextInt(4)),
        DereferencePolicy.valueOf(random.nextInt(4)),
        number(),
        number(),
        random.nextBoolean(),
        filter(3),
        list(4, this::name));
  }

  public Filter filter(int depth) {
    return switch (random.nextInt(depth == 0 ? 7 : 10)) {
      case 0 -> Filter.createEqualityFilter(name(), value());
      case 1 -> Filter.createGreaterOrEqualFilter(name(), value());
      case 2 -> Filter.createLessOrEqualFilter(name(), value());
      case 3 -> Filter.createApproximateMatchFilter(name(), value());
      case 4 -> Filter.createPresenceFilter(name());
      case 5 -> substrings();
      case 6 ->
          Filter.createExtensibleMatchFilter(
              name(), random.nextBoolean() ? oid() : null, random.nextBoolean(), value());
      case 7 -> Filter.createANDFilter(list(4, () -> filter(depth - 1)));
      case 8 -> Filter.createORFilter(list(4, () -> filter(depth - 1)));
      default -> Filter.createNOTFilter(filter(depth - 1));
    };
  }

  private Filter substrings() {
    byte[] initial = random.nextBoolean() ? octets(1) : null;
    byte[] last = random.nextBoolean() ? octets(2) : null;
    List<byte[]> any = list(3, () -> octets(3));
    if (initial == null && last == null) {
      any = List.of(octets(1), octets(4));
    }
    return Filter.createSubstringFilter(name(), initial, any.toArray(byte[][]::new), last);
  }

  private ProtocolOp request(int kind) {
    return switch (kind) {
      case 0 -> search();
      case 1 -> new CompareRequestProtocolOp(dn(), name(), new ASN1OctetString(value()));
      case 2 -> new AddRequestProtocolOp(dn(), list(5, this::attribute));
      case 3 -> new ModifyRequestProtocolOp(dn(), list(5, this::modification));
      case 4 -> new DeleteRequestProtocolOp(dn());
      case 5 ->
          new ModifyDNRequestProtocolOp(
              dn(), "cn=" + name(), random.nextBoolean(), random.nextBoolean() ? dn() : null);
      case 6 -> new BindRequestProtocolOp(dn(), value());
      case 7 ->
          new BindRequestProtocolOp(
              dn(), name(), random.nextBoolean() ? new ASN1OctetString(value()) : null);
      case 8 -> new ExtendedRequestProtocolOp(oid(), optionalValue());
      case 9 -> new AbandonRequestProtocolOp(id());
      default -> new UnbindRequestProtocolOp();
    };
  }

  private ProtocolOp response(int kind) {
    int code = random.nextInt(130);
    String matched = random.nextBoolean() ? dn() : null;
    String text = random.nextBoolean() ? name() : null;
    List<String> urls = random.nextInt(4) == 0 ? List.of("ldap://" + name() + "/") : List.of();
    return switch (kind) {
      case 0 -> new SearchResultEntryProtocolOp(dn(), list(6, this::attribute));
      case 1 -> new SearchResultReferenceProtocolOp(List.of("ldap://a/", "ldap://b/"));
      case 2 -> new SearchResultDoneProtocolOp(code, matched, text, urls);
      case 3 -> new CompareResponseProtocolOp(code, matched, text, urls);
      case 4 -> new AddResponseProtocolOp(code, matched, text, urls);
      case 5 -> new ModifyResponseProtocolOp(code, matched, text, urls);
      case 6 -> new DeleteResponseProtocolOp(code, matched, text, urls);
      case 7 -> new ModifyDNResponseProtocolOp(code, matched, text, urls);
      case 8 -> new BindResponseProtocolOp(code, matched, text, urls, optionalValue());
      case 9 -> new ExtendedResponseProtocolOp(code, matched, text, urls, oid(), optionalValue());
      default -> new IntermediateResponseProtocolOp(oid(), optionalValue());
    };
  }

  private LDAPMessage message(ProtocolOp op) {
    List<Control> controls = random.nextInt(3) == 0 ? list(3, this::control) : List.of();
    return new LDAPMessage(id(), op, controls);
  }

  private Control control() {
    return new Control("1.2.3." + random.nextInt(1000), random.nextBoolean(), optionalValue());
  }

  private Attribute attribute() {
    return new Attribute(name(), list(4, this::value).toArray(byte[][]::new));
  }

  private Modification modification() {
    ModificationType type = ModificationType.valueOf(random.nextInt(4));
    return new Modification(type, name(), list(3, this::value).toArray(byte[][]::new));
  }

  private @Nullable ASN1OctetString optionalValue() {
    return random.nextBoolean() ? new ASN1OctetString(value()) : null;
  }

  private byte[] value() {
    return octets(random.nextInt(20) == 0 ? random.nextInt(70_000) : random.nextInt(12));
  }

  private byte[] octets(int length) {
    byte[] octets = new byte[length];
    random.nextBytes(octets);
    return octets;
  }

  private String dn() {
    return random.nextInt(10) == 0 ? "" : "uid=" + name() + ",ou=\u00e9t\u00e9,dc=example,dc=com";
  }

  private String name() {
    return random
        .ints(1 + random.nextInt(12), 'a', 'z' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private String oid() {
    return "1.3.6.1.4.1." + random.nextInt(100_000);
  }

  private int id() {
    return random.nextInt() >>> (1 + random.nextInt(31));
  }

  private int number() {
    return random.nextInt() >>> (1 + random.nextInt(31));
  }

  private <T> List<T> list(int bound, Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int count = random.nextInt(bound); count > 0; count--) {
      list.add(element.get());
    }
    return list;
  }
}
