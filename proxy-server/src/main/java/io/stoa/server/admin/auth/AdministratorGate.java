// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Keeps the administrator and the directories apart, and limits access to Stoa's own trees. The
 * gate stands before all stages that answer operations.
 *
 * <p>Operations of the administrator enter a chain of their own: Stoa's trees, the root DSE, then a
 * refusal. So none of their octets reaches a directory. Operations on Stoa's trees are refused to
 * clients of other networks or listeners than the configured ones. All other operations pass the
 * stages of these trees by: only the gate reads the end of their names.
 *
 * <p>Threading: event loop.
 */
public final class AdministratorGate implements Stage {
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;

  /** Last letters of the names of Stoa's own trees. */
  private static final byte[][] ENDINGS = {
    "configuration".getBytes(US_ASCII), "monitor".getBytes(US_ASCII)
  };

  private final Supplier<AdministratorConfig> config;
  private final OwnTrees ownTrees;
  private final Consumer<Operation> refused;
  private final Stage administratorChain;
  private final Stage ownTreesChain;
  private final Stage next;

  /**
   * Creates the gate.
   *
   * @param config supplies the present configuration of the administrator
   * @param rootDse creates the stage that answers the administrator's requests for the root DSE,
   *     before a given stage
   * @param trees creates the stage that answers requests for Stoa's own trees, before a given stage
   * @param next stage for all other operations
   * @param refused called for each operation that is refused
   */
  public AdministratorGate(
      Supplier<AdministratorConfig> config,
      UnaryOperator<Stage> rootDse,
      UnaryOperator<Stage> trees,
      Stage next,
      Consumer<Operation> refused) {
    this.config = config;
    this.ownTrees = config.get().trees();
    this.refused = refused;
    this.administratorChain = trees.apply(rootDse.apply(this::refuse));
    this.ownTreesChain = trees.apply(next);
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    boolean administrator = operation.session().identity().isAdministrator();
    boolean own = isOwn(operation);
    boolean limited = own && operation.type() != OpType.BIND_REQUEST;
    if (administrator || limited) {
      operation.onAdministrative();
    }
    if (limited && !config.get().permits(operation.session().peer())) {
      refuse(operation);
    } else if (administrator) {
      administratorChain.handle(operation);
    } else {
      (own ? ownTreesChain : next).handle(operation);
    }
  }

  /** True if the name of the request is in one of Stoa's own trees. The request is not decoded. */
  private boolean isOwn(Operation operation) {
    if (!TargetName.mayEndWith(operation.message(), ENDINGS)) {
      return false;
    }
    byte[] name = TargetName.decidingPart(operation.message());
    return name != null && ownTrees.contains(NormalDn.of(name, ServerProfile.EXACT));
  }

  private void refuse(Operation operation) {
    refused.accept(operation);
    operation
        .sink()
        .complete(LdapResult.encode(operation.type().response(), INSUFFICIENT_ACCESS_RIGHTS, ""));
  }
}
