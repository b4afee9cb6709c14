// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.PasswordOwner;
import io.stoa.operation.event.BindKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one operation that access rules test. Names are parsed at the first use.
 *
 * <p>Threading: event loop.
 */
final class AccessRequest {
  /**
   * Extended operations of the client's own connection, which no rule denies. Stoa itself uses Who
   * Am I to learn the identity after a SASL bind.
   */
  static final Set<String> EXEMPT = Set.of(Oids.START_TLS, Oids.CANCEL, Oids.WHO_AM_I);

  /** Extended operations that name no entry: the writes of a transaction are judged themselves. */
  private static final Set<String> WITHOUT_ENTRY = Set.of(Oids.TXN_START, Oids.TXN_END);

  private static final int BASE_SCOPE = 0;
  private static final int ONE_LEVEL = 1;

  private final Operation operation;
  private final AccessOperation kind;
  private final ServerProfile profile;
  private @Nullable ClientName client;
  private @Nullable List<DnTarget> targets;
  private boolean unknownTarget;

  AccessRequest(Operation operation, AccessOperation kind, ServerProfile profile) {
    this.operation = operation;
    this.kind = kind;
    this.profile = profile;
  }

  AccessOperation kind() {
    return kind;
  }

  Operation operation() {
    return operation;
  }

  /** Returns the OID of an extended operation; empty for others. */
  String oid() {
    return operation.request().op() instanceof ExtendedOp extended ? extended.oid() : "";
  }

  /** Returns the kind of a bind. */
  static BindKind bindKind(BindOp bind) {
    if (bind.authentication() != BindAuthentication.SIMPLE) {
      return BindKind.SASL;
    }
    if (bind.credentialsLength() > 0) {
      return BindKind.SIMPLE;
    }
    return bind.name().length == 0 ? BindKind.ANONYMOUS : BindKind.UNAUTHENTICATED;
  }

  /** True if a bind uses one of these methods. */
  boolean usesMethod(List<String> methods) {
    if (!(operation.request().op() instanceof BindOp bind)) {
      return false;
    }
    String method = bindKind(bind).name().toLowerCase(Locale.ROOT);
    String mechanism = String.valueOf(bind.saslMechanism()).toUpperCase(Locale.ROOT);
    return methods.contains(method)
        || (bind.saslMechanism() != null && methods.contains(mechanism));
  }

  /**
   * Returns whether the client matches one of these patterns. A simple bind is judged by its name.
   * A SASL bind matches none, since its identity is not known before its end.
   */
  RuleMatch isBy(List<IdentityPattern> patterns) {
    if (operation.request().op() instanceof BindOp bind && bindKind(bind) == BindKind.SASL) {
      return RuleMatch.NO;
    }
    ClientName name = client();
    RuleMatch match = RuleMatch.NO;
    for (IdentityPattern pattern : patterns) {
      match = match.or(pattern.matches(name));
    }
    return match;
  }

  private ClientName client() {
    ClientName known = client;
    if (known == null) {
      known =
          operation.request().op() instanceof BindOp bind
              ? bound(bind)
              : ClientName.of(operation.session(), profile);
      client = known;
    }
    return known;
  }

  private ClientName bound(BindOp bind) {
    return bindKind(bind) == BindKind.SIMPLE
        ? ClientName.bindName(bind.name(), profile)
        : ClientName.ANONYMOUS;
  }

  /**
   * Returns whether the operation concerns these subtrees. The match is certain if all entries that
   * it names are in one of them.
   */
  RuleMatch isIn(List<DnScope> bases) {
    List<DnTarget> all = targets();
    if (unknownTarget) {
      return RuleMatch.MAYBE;
    }
    RuleMatch some = RuleMatch.NO;
    RuleMatch every = all.isEmpty() ? RuleMatch.NO : RuleMatch.YES;
    for (DnTarget target : all) {
      RuleMatch one = RuleMatch.NO;
      for (DnScope base : bases) {
        one = one.or(base.affectedBy(target));
      }
      some = some.or(one);
      every = every.and(one);
    }
    return every == RuleMatch.YES ? RuleMatch.YES : some.and(RuleMatch.MAYBE);
  }

  private List<DnTarget> targets() {
    List<DnTarget> known = targets;
    if (known == null) {
      known = new ArrayList<>(3);
      collect(operation.request(), known);
      targets = known;
    }
    return known;
  }

  private void collect(Request request, List<DnTarget> into) {
    RequestOp op = request.op();
    byte[] entry = op.target();
    if (op instanceof BindOp bind) {
      if (bind.name().length > 0 && bindKind(bind) != BindKind.SASL) {
        into.add(DnTarget.of(bind.name(), DnTarget.ENTRY, profile));
      }
    } else if (op instanceof ExtendedOp extended) {
      collect(request, extended, into);
    } else if (entry == null) {
      unknownTarget = true;
    } else {
      into.add(DnTarget.of(entry, reach(request), profile));
      if (op instanceof ModifyDnOp rename) {
        collectNew(rename, into);
      }
    }
  }

  private void collect(Request request, ExtendedOp extended, List<DnTarget> into) {
    byte[] owner = PasswordOwner.of(operation, request);
    if (owner != null) {
      into.add(DnTarget.of(owner, DnTarget.ENTRY, profile));
    } else {
      unknownTarget = !WITHOUT_ENTRY.contains(extended.oid());
    }
  }

  /** Adds the new superior and the new name of a renamed entry (RFC 4511, section 4.9). */
  private void collectNew(ModifyDnOp rename, List<DnTarget> into) {
    byte[] superior = rename.newSuperior();
    if (superior != null) {
      into.add(DnTarget.of(superior, DnTarget.ENTRY, profile));
    }
    String name = newName(rename);
    NormalDn moved = NormalDn.moved(rename.entry(), rename.newRdn(), superior, profile);
    if (moved == null) {
      unknownTarget = true;
    } else if (name.isEmpty()) {
      into.add(new DnTarget("", moved, DnTarget.ENTRY));
    } else {
      into.add(DnTarget.of(name.getBytes(UTF_8), DnTarget.ENTRY, profile));
    }
  }

  /** Returns the new name as text; empty if the old superior cannot be cut out of the old name. */
  private static String newName(ModifyDnOp rename) {
    byte[] superior = rename.newSuperior();
    String rdn = new String(rename.newRdn(), UTF_8);
    if (superior != null) {
      return rdn + "," + new String(superior, UTF_8).strip();
    }
    String entry = new String(rename.entry(), UTF_8).strip();
    boolean plain = entry.chars().noneMatch(letter -> letter == '\\' || letter == '"');
    int comma = entry.indexOf(',');
    return plain && comma > 0 ? rdn + "," + entry.substring(comma + 1).strip() : "";
  }

  private static int reach(Request request) {
    if (request.op() instanceof SearchOp search) {
      return switch (search.scope()) {
        case BASE_SCOPE -> DnTarget.ENTRY;
        case ONE_LEVEL -> DnTarget.CHILDREN;
        default -> DnTarget.SUBTREE;
      };
    }
    boolean tree =
        request.op() instanceof ModifyDnOp
            || (request.op() instanceof DeleteOp
                && request.controls().stream()
                    .anyMatch(control -> control.oid().equals(Oids.TREE_DELETE)));
    return tree ? DnTarget.SUBTREE : DnTarget.ENTRY;
  }
}
