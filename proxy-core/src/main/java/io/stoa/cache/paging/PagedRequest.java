// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search for a page of its result (RFC 2696, section 2):
 *
 * <pre>
 * realSearchControlValue ::= SEQUENCE {
 *     size   INTEGER (0..maxInt), -- requested page size
 *     cookie OCTET STRING }
 * </pre>
 *
 * <p>Immutable, as long as nobody modifies the arrays.
 *
 * @param search the request without its controls
 * @param op its octets
 * @param size entries that the page may hold
 * @param cookie where the page begins; empty for the first
 * @param others the controls beside that of paging
 * @param plain whether nothing else stands against an answer from memory
 */
record PagedRequest(
    SearchOp search, byte[] op, int size, byte[] cookie, List<Control> others, boolean plain) {
  private static final int BASE = 0;

  /** What may stand beside paging: it does not concern which entries make up a page. */
  private static final Set<String> NEUTRAL = Set.of(Oids.MANAGE_DSA_IT, Oids.SESSION_TRACKING);

  /** The request; null if a server would refuse it, or could read it otherwise than Stoa. */
  static @Nullable PagedRequest of(Operation operation) throws LdapProtocolException {
    Request request = operation.request();
    List<Control> others = new ArrayList<>(request.controls());
    others.removeIf(control -> control.oid().equals(Oids.PAGED));
    boolean once = others.size() == request.controls().size() - 1;
    return once ? of(operation, others, !request.irregular()) : null;
  }

  private static @Nullable PagedRequest of(
      Operation operation, List<Control> others, boolean regular) throws LdapProtocolException {
    SearchOp search = (SearchOp) operation.request().op();
    BerReader value = value(operation.request().controls());
    if (value == null) {
      return null;
    }
    try {
      int sequence = value.enter(BerReader.SEQUENCE);
      int size = value.integer(BerReader.INTEGER);
      byte[] cookie = value.octets(BerReader.OCTET_STRING);
      value.finish(sequence);
      boolean plain = regular && others.stream().allMatch(c -> NEUTRAL.contains(c.oid()));
      return new PagedRequest(search, operation.message().copyOp(), size, cookie, others, plain);
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private static @Nullable BerReader value(List<Control> controls) {
    return controls.stream()
        .filter(control -> control.oid().equals(Oids.PAGED))
        .map(Control::value)
        .filter(value -> value != null)
        .findFirst()
        .map(value -> new BerReader(value, ProtocolError.MALFORMED_REQUEST))
        .orElse(null);
  }

  /** Whether it is the first of its pages and may be answered from memory. */
  boolean begins() {
    return plain && size > 0 && cookie.length == 0 && !isRootDse();
  }

  /** Its page is one of a kind, and servers differ in whether they call it a page. */
  private boolean isRootDse() {
    return search.base().length == 0 && search.scope() == BASE;
  }

  /**
   * Whether the first page holds whatever the size limit lets through: a server should ignore the
   * control then (RFC 2696, section 3).
   */
  boolean isLimitedToOnePage() {
    return search.sizeLimit() > 0 && size >= search.sizeLimit();
  }

  /** Whether both ask for pages of the same result: all else must be equal (section 3). */
  boolean continues(PagedRequest earlier) {
    return Arrays.equals(op, earlier.op) && others.equals(earlier.others);
  }

  /** The search for the whole result. */
  LdapMessage whole(int messageId) {
    return LdapMessage.of(messageId, op, others);
  }

  /** The search for the whole result if it has no more entries than this. */
  LdapMessage whole(int messageId, int mostEntries) throws LdapProtocolException {
    int limit = search.sizeLimit();
    boolean limited = limit > 0 && limit <= mostEntries;
    return limited ? whole(messageId) : LdapMessage.of(messageId, limited(mostEntries), others);
  }

  /** The protocolOp with another size limit. */
  private byte[] limited(int sizeLimit) throws LdapProtocolException {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_REQUEST);
    reader.enter(op[0]);
    int start = reader.index();
    reader.skip(BerReader.OCTET_STRING);
    reader.skip(BerReader.ENUMERATED);
    reader.skip(BerReader.ENUMERATED);
    BerWriter writer = new BerWriter(op.length + Integer.BYTES);
    int content = writer.begin(op[0]);
    writer.raw(reader.copySince(start)).integer(BerReader.INTEGER, sizeLimit);
    reader.skip(BerReader.INTEGER);
    return writer.raw(Arrays.copyOfRange(op, reader.index(), op.length)).end(content).toByteArray();
  }
}
