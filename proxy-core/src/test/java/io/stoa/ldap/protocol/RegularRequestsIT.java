// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.sdk.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connections to a directory are shared, so nothing may be sent over them that makes it end one:
 * whatever the decoder calls regular, however damaged it is, a real slapd answers.
 */
@Tag("soak")
class RegularRequestsIT {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);
  private static final int FIRST_ID = 0x01000000;
  private static final int MAX_LENGTH = 2000;
  private static final List<String> OIDS =
      List.of(
          Oids.ASSERTION,
          Oids.MATCHED_VALUES,
          Oids.PAGED,
          Oids.SORT_REQUEST,
          Oids.VLV_REQUEST,
          Oids.PRE_READ,
          Oids.POST_READ,
          Oids.SUBENTRIES,
          Oids.MANAGE_DSA_IT,
          Oids.DONT_USE_COPY,
          Oids.PROXIED_AUTHZ_V2,
          Oids.PASSWORD_POLICY,
          Oids.SESSION_TRACKING);

  private final Random random = new Random(Soak.seed());
  private final Mutations mutations = new Mutations(random);
  private final SampleMessages samples = new SampleMessages(Soak.seed());
  private int regular;
  private int others;

  @Test
  void slapdAnswersEveryRegularRequest() {
    int wanted = Soak.scale(10_000, 500_000);
    try (Slapd slapd = Slapd.start(People.slapd(5));
        RawLdapClient client = RawLdapClient.connect(slapd.address())) {
      while (regular < wanted) {
        samples.requests(110).forEach(sample -> offer(sample, client));
      }
    }
    Soak.record(regular + " regular requests answered, " + others + " others not sent");
    assertThat(others).isGreaterThan(wanted / 10);
  }

  private void offer(LDAPMessage sample, RawLdapClient client) {
    byte[] body = body(sample);
    Request request = body.length < MAX_LENGTH ? decode(body) : null;
    if (request == null || request.irregular() || hasNoPlainAnswer(request.op())) {
      others++;
      return;
    }
    int id = FIRST_ID + regular++;
    ByteBuf frame = Unpooled.buffer();
    Envelope.write(frame, id, body);
    client.sendOctets(ByteBufUtil.getBytes(frame));
    if (!(request.op() instanceof AbandonOp)) {
      await(id, body, client);
    }
  }

  private static void await(int id, byte[] body, RawLdapClient client) {
    try {
      client.await(id);
    } catch (AssertionError e) {
      throw new AssertionError("slapd does not answer " + Hex.of(body), e);
    }
  }

  /** Unbind, SASL in several steps and StartTLS change the connection, as they should. */
  private static boolean hasNoPlainAnswer(RequestOp op) {
    return op.type() == OpType.UNBIND_REQUEST
        || (op instanceof BindOp bind && bind.saslMechanism() != null)
        || (op instanceof ExtendedOp extended && extended.oid().equals(Oids.START_TLS));
  }

  private byte[] body(LDAPMessage sample) {
    byte[] frame =
        random.nextInt(3) == 0
            ? SampleMessages.encode(1, sample.getProtocolOp(), control())
            : sample.encode().encode();
    byte[] body = parse(frame).copyBody();
    return random.nextInt(4) == 0 ? body : mutations.of(body);
  }

  private Control control() {
    byte[] filter = samples.filter(2).encode().encode();
    byte[] value =
        switch (random.nextInt(4)) {
          case 0 -> filter;
          case 1 -> mutations.of(filter);
          case 2 -> new ASN1Sequence(samples.filter(0).encode()).encode();
          default -> mutations.of(new ASN1Sequence(samples.filter(0).encode()).encode());
        };
    String oid = OIDS.get(random.nextInt(OIDS.size()));
    return new Control(oid, random.nextBoolean(), new ASN1OctetString(value));
  }

  private static LdapMessage parse(byte[] frame) {
    try {
      return LdapMessage.parse(Unpooled.wrappedBuffer(frame));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  /** Null if it is refused. */
  private static Request decode(byte[] body) {
    ByteBuf frame = Unpooled.buffer();
    Envelope.write(frame, 1, body);
    try {
      return DECODER.decode(LdapMessage.parse(frame));
    } catch (LdapProtocolException e) {
      return null;
    }
  }
}
