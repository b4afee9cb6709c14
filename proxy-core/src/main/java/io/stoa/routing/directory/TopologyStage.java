// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

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
import io.stoa.upstream.auth.NeverProxied;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routes each operation to the directory that holds its entry. A bind goes to the directory of its
 * name. A search above several directories is merged from their parts.
 *
 * <p>Threading: event loop.
 */
public final class TopologyStage implements Stage {
  private final SuffixTable suffixes;
  private final List<? extends Stage> directories;
  private final ForeignSessions foreignSessions;

  /**
   * Creates the stage.
   *
   * @param directories first stage of each directory, in the order of the suffixes
   * @param neverProxied identities for which the service account never acts; null without a service
   *     account
   */
  public TopologyStage(
      SuffixTable suffixes,
      List<? extends Stage> directories,
      @Nullable NeverProxied neverProxied) {
    this.suffixes = suffixes;
    this.directories = List.copyOf(directories);
    this.foreignSessions = new ForeignSessions(suffixes, neverProxied);
  }

  @Override
  public void handle(Operation operation) {
    RequestOp op = operation.request().op();
    if (op instanceof BindOp bind) {
      directories.get(ofBind(bind)).handle(operation);
    } else if (op instanceof SearchOp search) {
      search(operation, search);
    } else if (op instanceof ModifyDnOp move && changesDirectory(move)) {
      operation.sink().reject(Rejection.OTHER_DIRECTORY);
    } else {
      send(operation, directoryOf(operation, op));
    }
  }

  /**
   * Returns the directory of a bind. A SASL bind, with a name not known yet, and a name that is not
   * a DN go to the fallback.
   */
  private int ofBind(BindOp bind) {
    boolean simple = bind.authentication() == BindAuthentication.SIMPLE;
    return simple ? suffixes.of(bind.name()) : suffixes.fallback();
  }

  /** True if a rename moves an entry to another directory. A new RDN alone may do so, too. */
  private boolean changesDirectory(ModifyDnOp move) {
    byte[] superior = move.newSuperior();
    int here = suffixes.of(move.entry());
    NormalDn name = NormalDn.moved(move.entry(), move.newRdn(), superior, ServerProfile.EXACT);
    return (superior != null && suffixes.of(superior) != here)
        || (name != null && suffixes.of(name) != here);
  }

  private int directoryOf(Operation operation, RequestOp op) {
    byte[] name = op instanceof ExtendedOp ? passwordOwner(operation) : op.target();
    return name == null ? foreignSessions.home(operation.session()) : suffixes.of(name);
  }

  /**
   * Returns the DN of the user whose password is changed. Null if there is none, or if it is the
   * client itself.
   */
  private static byte @Nullable [] passwordOwner(Operation operation) {
    byte[] user = PasswordOwner.named(operation.message(), operation.request());
    return user != null && SuffixTable.dn(user).isDn() ? user : null;
  }

  private void search(Operation operation, SearchOp search) {
    List<Part> parts = suffixes.parts(search.base(), search.scope());
    if (parts.size() == 1 && parts.get(0).base() == search.base()) {
      send(operation, parts.get(0).directory());
    } else {
      new MergedSearch(this, suffixes, operation, search, parts).begin();
    }
  }

  private void send(Operation operation, int directory) {
    ClientSession session = foreignSessions.session(directory, operation.session());
    if (session == operation.session()) {
      directories.get(directory).handle(operation);
    } else {
      SubOperation.send(operation, session, directories.get(directory));
    }
  }

  /** Returns the session of an operation's client in a directory. */
  ClientSession foreignSession(Operation operation, int directory) {
    return foreignSessions.session(directory, operation.session());
  }

  /** Returns the first stage of a directory. */
  Stage directory(int directory) {
    return directories.get(directory);
  }
}
