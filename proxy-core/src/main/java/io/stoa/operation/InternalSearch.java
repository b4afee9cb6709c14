// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A base search of Stoa's own, for what it must know of a directory. Stateless. */
public final class InternalSearch {
  private static final int PRESENT = 0x87;
  private static final int BASE_OBJECT = 0;
  private static final int NEVER_DEREF = 0;

  /** A schema may be that large. */
  private static final int MOST_OCTETS = 16 * 1024 * 1024;

  private InternalSearch() {}

  /**
   * Makes the operation that reads one entry.
   *
   * @param dn the entry's DN
   * @param attributes what is asked for
   * @param outcome hears the entry, or null if it could not be read
   */
  public static Operation read(
      InternalSession session,
      RequestDecoder decoder,
      byte[] dn,
      List<String> attributes,
      Consumer<byte @Nullable []> outcome) {
    return new Operation(
        session,
        message(dn, attributes),
        decoder,
        System.nanoTime(),
        read -> new EntrySink(read, outcome));
  }

  /**
   * Makes the operation that reads one entry as the client of another operation, which needs it.
   *
   * @param outcome hears the entry, or null if it could not be read
   */
  public static Operation read(
      Operation client, byte[] dn, List<String> attributes, Consumer<byte @Nullable []> outcome) {
    return client.derived(message(dn, attributes), read -> new EntrySink(read, outcome));
  }

  private static LdapMessage message(byte[] dn, List<String> attributes) {
    try {
      return LdapMessage.parse(Unpooled.wrappedBuffer(encode(dn, attributes)));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }

  private static byte[] encode(byte[] dn, List<String> attributes) {
    BerWriter request = new BerWriter();
    int message = request.begin(BerReader.SEQUENCE);
    request.integer(BerReader.INTEGER, 1);
    int search = request.begin(OpType.SEARCH_REQUEST.tag());
    request.octets(BerReader.OCTET_STRING, dn);
    request.integer(BerReader.ENUMERATED, BASE_OBJECT);
    request.integer(BerReader.ENUMERATED, NEVER_DEREF);
    request.integer(BerReader.INTEGER, 0).integer(BerReader.INTEGER, 0);
    request.bool(BerReader.BOOLEAN, false).octets(PRESENT, octets("objectClass"));
    int list = request.begin(BerReader.SEQUENCE);
    attributes.forEach(name -> request.octets(BerReader.OCTET_STRING, octets(name)));
    return request.end(list).end(search).end(message).toByteArray();
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Takes the answer to a base search of Stoa's own: the entry, or null if it could not be read.
   */
  private static final class EntrySink extends OwnSink {
    private final Consumer<byte @Nullable []> outcome;
    private byte @Nullable [] entry;

    EntrySink(Operation operation, Consumer<byte @Nullable []> outcome) {
      super(operation);
      this.outcome = outcome;
    }

    @Override
    public void respond(LdapMessage response) {
      if (response.type() == OpType.SEARCH_RESULT_ENTRY) {
        respond(response.copyOp());
      }
      response.release();
    }

    @Override
    public void respond(byte[] op) {
      entry = op;
    }

    @Override
    public void complete(LdapMessage response) {
      boolean success = LdapResult.codeOf(response.body()) == 0;
      response.release();
      end(success ? entry : null);
    }

    @Override
    public void complete(byte[] op) {
      end(LdapResult.codeOf(op) == 0 ? entry : null);
    }

    @Override
    public void respond(LargeMessage response) {
      if (response.type() == OpType.SEARCH_RESULT_ENTRY && response.bodyLength() <= MOST_OCTETS) {
        response.readBy(new Collector(response));
      }
    }

    /** The result of a base search is never that large. */
    @Override
    public void complete(LargeMessage response) {
      end(null);
    }

    /** Collects the entry. */
    private final class Collector implements LargeMessage.Reader {
      private final ByteBuf body;
      private final int opLength;

      Collector(LargeMessage large) {
        body = Unpooled.buffer(large.bodyLength());
        opLength = large.opLength();
      }

      @Override
      public void piece(ByteBuf piece) {
        body.writeBytes(piece);
        piece.release();
      }

      @Override
      public void end() {
        respond(ByteBufUtil.getBytes(body, 0, opLength));
      }

      @Override
      public void cutOff() {
        // The operation is sent again, or refused.
      }

      @Override
      public boolean wanted() {
        return !ended();
      }

      @Override
      public boolean congested() {
        return false;
      }

      @Override
      public void whenReady(Runnable action) {
        action.run();
      }
    }

    @Override
    public void reject(Rejection reason) {
      end(null);
    }

    @Override
    public void abandoned() {
      outcome.accept(null);
    }

    private void end(byte @Nullable [] found) {
      if (end()) {
        outcome.accept(found);
      }
    }

    @Override
    public boolean restart() {
      entry = null;
      return super.restart();
    }
  }
}
