// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.PasswordOwner;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import io.stoa.routing.directory.SuffixTable.Part;
import io.stoa.upstream.auth.DedicatedConnections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hands each operation to the directory that holds its entry: a bind to that of the name which
 * binds, and everything else as whom the client is there. A search above several directories is put
 * together of what each of them finds. Event-loop confined.
 */
public final class TopologyStage implements Stage {
  private final SuffixTable suffixes;
  private final List<? extends Stage> directories;
  private final ForeignSessions guests;

  /**
   * Makes the link before several others.
   *
   * @param directories what leads to each directory, in the order of the suffixes
   * @param owners for whom the service account never acts; null if there is no service account
   */
  public TopologyStage(
      SuffixTable suffixes,
      List<? extends Stage> directories,
      @Nullable DedicatedConnections owners) {
    this.suffixes = suffixes;
    this.directories = List.copyOf(directories);
    this.guests = new ForeignSessions(suffixes, owners);
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    RequestOp op = operation.request().op();
    if (op instanceof BindOp bind) {
      directories.get(ofBind(bind)).handle(operation);
    } else if (op instanceof SearchOp search) {
      search(operation, search);
    } else if (op instanceof ModifyDnOp move && leaves(move)) {
      operation.sink().reject(Rejection.OTHER_DIRECTORY);
    } else {
      send(operation, of(operation, op));
    }
  }

  /** A name that is no DN, and a SASL bind, of which nobody knows the name yet, are for one. */
  private int ofBind(BindOp bind) {
    boolean simple = bind.authentication() == BindAuthentication.SIMPLE;
    return simple ? suffixes.of(bind.name()) : suffixes.fallback();
  }

  /** A new name can be that of another directory's suffix without a new superior. */
  private boolean leaves(ModifyDnOp move) {
    byte[] superior = move.newSuperior();
    int here = suffixes.of(move.entry());
    NormalDn name = NormalDn.moved(move.entry(), move.newRdn(), superior, ServerProfile.EXACT);
    return (superior != null && suffixes.of(superior) != here)
        || (name != null && suffixes.of(name) != here);
  }

  private int of(Operation operation, RequestOp op) throws LdapProtocolException {
    byte[] name = op instanceof ExtendedOp ? concerned(operation) : op.target();
    return name == null ? guests.home(operation.session()) : suffixes.of(name);
  }

  /** Whose password is to be changed, by a DN; null if nobody's is, or that is the client's. */
  private static byte @Nullable [] concerned(Operation operation) throws LdapProtocolException {
    byte[] user = PasswordOwner.named(operation.message(), operation.request());
    return user != null && SuffixTable.dn(user).isDn() ? user : null;
  }

  private void search(Operation operation, SearchOp search) throws LdapProtocolException {
    List<Part> parts = suffixes.parts(search.base(), search.scope());
    if (parts.size() == 1 && parts.get(0).base() == search.base()) {
      send(operation, parts.get(0).directory());
    } else {
      new MergedSearch(this, suffixes, operation, search, parts).begin();
    }
  }

  private void send(Operation operation, int directory) throws LdapProtocolException {
    ClientSession there = guests.in(directory, operation.session());
    if (there == operation.session()) {
      directories.get(directory).handle(operation);
    } else {
      SubOperation.send(operation, there, directories.get(directory));
    }
  }

  /** The client of an operation as it acts in a directory. */
  ClientSession guest(Operation operation, int directory) {
    return guests.in(directory, operation.session());
  }

  /** What leads to a directory. */
  Stage directory(int directory) {
    return directories.get(directory);
  }
}
