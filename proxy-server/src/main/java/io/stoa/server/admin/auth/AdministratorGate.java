// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stoa.ldap.protocol.LdapProtocolException;
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
 * Keeps the administrator to Stoa's own trees, and others out of them where they may not be read:
 * the first link of a chain. What the administrator asks for goes another way than what all others
 * do, which ends here: no octet of it can reach a directory. Event-loop confined.
 */
public final class AdministratorGate implements Stage {
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final byte[] CONFIGURATION = "configuration".getBytes(US_ASCII);
  private static final byte[] MONITOR = "monitor".getBytes(US_ASCII);

  private final Supplier<AdministratorConfig> config;
  private final OwnTrees own;
  private final Consumer<Operation> refused;
  private final Stage ofAdministrator;
  private final Stage ofOthers;

  /**
   * Makes it.
   *
   * @param config who administers Stoa now
   * @param rootDse makes the stage that answers what concerns no tree, of the one that refuses
   * @param trees makes the stage that answers what concerns Stoa's own trees, of the one behind it
   * @param next what all others get to
   * @param refused hears of each operation that is refused
   */
  public AdministratorGate(
      Supplier<AdministratorConfig> config,
      UnaryOperator<Stage> rootDse,
      UnaryOperator<Stage> trees,
      Stage next,
      Consumer<Operation> refused) {
    this.config = config;
    this.own = config.get().trees();
    this.refused = refused;
    this.ofAdministrator = trees.apply(rootDse.apply(this::refuse));
    this.ofOthers = trees.apply(next);
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    boolean administrator = operation.session().identity().isAdministrator();
    if (isOwn(operation) && !config.get().admits(operation.session().peer())) {
      refuse(operation);
    } else {
      (administrator ? ofAdministrator : ofOthers).handle(operation);
    }
  }

  /** Decodes no request: its name decides. */
  private boolean isOwn(Operation operation) {
    if (operation.type() == OpType.BIND_REQUEST
        || !(TargetName.mayEndWith(operation.message(), CONFIGURATION)
            || TargetName.mayEndWith(operation.message(), MONITOR))) {
      return false;
    }
    byte[] name = TargetName.end(operation.message());
    return name != null && own.contain(NormalDn.of(name, ServerProfile.EXACT));
  }

  private void refuse(Operation operation) {
    refused.accept(operation);
    operation
        .sink()
        .complete(LdapResult.encode(operation.type().response(), INSUFFICIENT_ACCESS_RIGHTS, ""));
  }
}
