// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Texts of operations for other places than logs. They show names and values as far as the access
 * log may show them, and no passwords.
 *
 * <p>Threading: confined to one thread.
 */
public final class OperationText {
  /** Memory for texts of repeated requests: 512 KiB, since traces are short. */
  private static final int MEMORY = 512 << 10;

  private final ValueText values;
  private final OpenLdapFormat format;
  private final LineBuffer scratch = new LineBuffer(512);

  /** Creates texts by the configuration of the access log, whatever its format is. */
  public OperationText(AccessLogConfig config) {
    values = AccessLogs.values(config);
    format = new OpenLdapFormat(values, MEMORY);
  }

  /** Returns the request as slapd logs it, in one line of ASCII. */
  public String request(CompletedOperation operation) {
    if (operation.type() == OpType.UNBIND_REQUEST) {
      return "UNBIND";
    }
    Text text = format.request(operation);
    String first = new String(text.first(), US_ASCII);
    String second = new String(text.second(), US_ASCII);
    return first + second.substring(Math.max(0, second.indexOf(' ')));
  }

  /** Returns the identity of the client; empty if it is anonymous. */
  public String identity(CompletedOperation operation) {
    scratch.clear();
    values.name(scratch, ClientIdentity.labelOf(operation.identity()));
    return new String(scratch.toByteArray(), US_ASCII);
  }

  /** Returns the host and port of an address, or the path of a socket. */
  public static String address(@Nullable SocketAddress address) {
    return Results.address(address);
  }

  /** Returns the port of an address; 0 if it has none. */
  public static int port(@Nullable SocketAddress address) {
    return Results.port(address);
  }

  /**
   * Tests if the filter of a search contains another one: as a whole, or as a member. Upper and
   * lower case are equal. The result of a repeated search is kept.
   *
   * <p>Threading: confined to one thread.
   */
  public static final class FilterTest {
    private static final Text MATCH = new Text(new byte[] {1}, new byte[0]);

    private final ValueText values;
    private final LineBuffer line = new LineBuffer(512);
    private final String wanted;
    private final RequestTexts searches =
        new RequestTexts(request -> contains(request) ? MATCH : Text.NONE, this::hasSecret, MEMORY);

    /**
     * Creates the test.
     *
     * @param config names the secret attributes, whose values are not compared
     * @param filter the filter in BER
     * @throws IllegalArgumentException if Stoa cannot decode it
     */
    public FilterTest(AccessLogConfig config, byte[] filter) {
      values = new ValueText(ValueMode.FULL, AccessLogs.secrets(config));
      byte[] search = SearchOp.encode(new byte[0], 0, filter, List.of());
      RequestDecoder decoder = RequestDecoder.OF_ACCEPTED;
      try {
        Request decoded = decoder.decode(OpType.SEARCH_REQUEST, Unpooled.wrappedBuffer(search));
        wanted = canonical(((SearchOp) decoded.op()).filter());
      } catch (LdapProtocolException e) {
        throw new IllegalArgumentException("the filter has too many parts", e);
      }
    }

    /** True if the operation is a search with such a filter. */
    public boolean matches(CompletedOperation operation) {
      return operation.type() == OpType.SEARCH_REQUEST && searches.of(operation).first().length > 0;
    }

    private boolean hasSecret(Request request) {
      return values.hasSecret(request);
    }

    private boolean contains(Request request) {
      return request.op() instanceof SearchOp search && canonical(search.filter()).contains(wanted);
    }

    /** Parentheses in values are escaped, so that each one in the text begins or ends a member. */
    private String canonical(FilterNode filter) {
      line.clear();
      values.filter(line, filter);
      return new String(line.toByteArray(), US_ASCII).toLowerCase(Locale.ROOT);
    }
  }
}
