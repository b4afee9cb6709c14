// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.SearchScope;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Approximate;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Extensible;
import io.stoa.ldap.protocol.FilterNode.GreaterOrEqual;
import io.stoa.ldap.protocol.FilterNode.LessOrEqual;
import io.stoa.ldap.protocol.FilterNode.Not;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.FilterNode.Substrings;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.AddOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the SDK encodes and we decode gives the same octets when the SDK encodes what we found. So
 * nothing is lost, exchanged or invented.
 */
class RequestDecoderOracleTest {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void decodesRequestsAsTheSdkEncodedThem(long seed) throws Exception {
    for (LDAPMessage expected : new SampleMessages(seed).requests(1100).toList()) {
      byte[] frame = expected.encode().encode();
      LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(frame));
      Request request = DECODER.decode(message);
      assertThat(request.irregular()).isFalse();
      assertControls(request.controls(), expected.getControls());
      ProtocolOp original = expected.getProtocolOp();
      ProtocolOp found = encodable(request.op(), message.body(), original);
      assertThat(SampleMessages.encode(message.messageId(), found))
          .isEqualTo(SampleMessages.encode(message.messageId(), original));
    }
  }

  /** The same requests with longer lengths at every level are the same requests. */
  @ParameterizedTest
  @ValueSource(longs = {6, 7})
  void longerLengthsChangeNothing(long seed) throws Exception {
    for (LDAPMessage message : new SampleMessages(seed).requests(1100).toList()) {
      byte[] frame = message.encode().encode();
      LdapMessage shortest = LdapMessage.parse(Unpooled.wrappedBuffer(frame));
      LdapMessage longer =
          LdapMessage.parse(Unpooled.wrappedBuffer(LongFormLengths.fourOctets(frame)));
      assertThat(CanonicalText.of(DECODER.decode(longer), longer.body()))
          .isEqualTo(CanonicalText.of(DECODER.decode(shortest), shortest.body()));
    }
  }

  private static void assertControls(
      List<Control> found, List<com.unboundid.ldap.sdk.Control> expected) {
    assertThat(found)
        .isEqualTo(
            expected.stream()
                .map(control -> new Control(control.getOID(), control.isCritical(), value(control)))
                .toList());
  }

  private static byte @Nullable [] value(com.unboundid.ldap.sdk.Control control) {
    return control.getValue() == null ? null : control.getValue().getValue();
  }

  /** The values of updates are the original's: we do not decode them. */
  private static ProtocolOp encodable(RequestOp op, ByteBuf body, ProtocolOp original)
      throws Exception {
    if (op instanceof SearchOp search) {
      return search(search);
    } else if (op instanceof CompareOp compare) {
      return new CompareRequestProtocolOp(
          text(compare.entry()), text(compare.attribute()), new ASN1OctetString(compare.value()));
    } else if (op instanceof AddOp add) {
      return new AddRequestProtocolOp(
          text(add.entry()), ((AddRequestProtocolOp) original).getAttributes());
    } else if (op instanceof ModifyOp modify) {
      return new ModifyRequestProtocolOp(
          text(modify.entry()), ((ModifyRequestProtocolOp) original).getModifications());
    } else if (op instanceof DeleteOp delete) {
      return new DeleteRequestProtocolOp(text(delete.entry()));
    } else if (op instanceof ModifyDnOp rename) {
      return new ModifyDNRequestProtocolOp(
          text(rename.entry()),
          text(rename.newRdn()),
          rename.deleteOldRdn(),
          rename.newSuperior() == null ? null : text(rename.newSuperior()));
    } else if (op instanceof BindOp bind) {
      return bind(bind, body);
    } else if (op instanceof ExtendedOp extended) {
      return new ExtendedRequestProtocolOp(
          extended.oid(), pointedAt(body, extended.valueOffset(), extended.valueLength()));
    } else if (op instanceof AbandonOp abandon) {
      return new AbandonRequestProtocolOp(abandon.id());
    }
    return new UnbindRequestProtocolOp();
  }

  private static ProtocolOp bind(BindOp bind, ByteBuf body) {
    ASN1OctetString credentials =
        pointedAt(body, bind.credentialsOffset(), bind.credentialsLength());
    return bind.saslMechanism() == null
        ? new BindRequestProtocolOp(text(bind.name()), credentials.getValue())
        : new BindRequestProtocolOp(text(bind.name()), bind.saslMechanism(), credentials);
  }

  private static ProtocolOp search(SearchOp search) {
    return new SearchRequestProtocolOp(
        text(search.base()),
        SearchScope.valueOf(search.scope()),
        DereferencePolicy.valueOf(search.derefAliases()),
        search.sizeLimit(),
        search.timeLimit(),
        search.typesOnly(),
        filter(search.filter()),
        search.attributes().stream().map(RequestDecoderOracleTest::text).toList());
  }

  private static Filter filter(FilterNode node) {
    if (node instanceof And and) {
      return Filter.createANDFilter(filters(and.members()));
    } else if (node instanceof Or or) {
      return Filter.createORFilter(filters(or.members()));
    } else if (node instanceof Not not) {
      return Filter.createNOTFilter(filter(not.member()));
    } else if (node instanceof Equality item) {
      return Filter.createEqualityFilter(text(item.attribute()), item.value());
    } else if (node instanceof GreaterOrEqual item) {
      return Filter.createGreaterOrEqualFilter(text(item.attribute()), item.value());
    } else if (node instanceof LessOrEqual item) {
      return Filter.createLessOrEqualFilter(text(item.attribute()), item.value());
    } else if (node instanceof Approximate item) {
      return Filter.createApproximateMatchFilter(text(item.attribute()), item.value());
    } else if (node instanceof Present item) {
      return Filter.createPresenceFilter(text(item.attribute()));
    } else if (node instanceof Substrings item) {
      return Filter.createSubstringFilter(
          text(item.attribute()), item.initial(), item.any().toArray(byte[][]::new), item.last());
    }
    Extensible item = (Extensible) node;
    return Filter.createExtensibleMatchFilter(
        item.attribute() == null ? null : text(item.attribute()),
        item.rule() == null ? null : text(item.rule()),
        item.dnAttributes(),
        item.value());
  }

  private static List<Filter> filters(List<FilterNode> members) {
    return members.stream().map(RequestDecoderOracleTest::filter).toList();
  }

  private static @Nullable ASN1OctetString pointedAt(ByteBuf body, int offset, int length) {
    return length < 0
        ? null
        : new ASN1OctetString(ByteBufUtil.getBytes(body, body.readerIndex() + offset, length));
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
