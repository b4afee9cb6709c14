// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import io.stoa.server.localtree.Tree;
import io.stoa.server.localtree.TreeAnswer;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.server.localtree.TreeSuffix;
import java.util.List;
import java.util.function.Consumer;

/**
 * Answers the administrator's requests for the root DSE (RFC 4512, section 5.1). The answer
 * describes Stoa's own trees, as the administrator reaches no directory.
 *
 * <p>Threading: event loop.
 */
public final class OwnRootDse implements Stage {
  private final Stage next;
  private final Consumer<Operation> onAnswered;
  private final Tree root;

  /**
   * Creates the stage before {@code next}.
   *
   * @param onAnswered called for each operation that this stage answers
   * @param monitor true if {@code cn=monitor} exists
   */
  public OwnRootDse(Stage next, Consumer<Operation> onAnswered, String product, boolean monitor) {
    this.next = next;
    this.onAnswered = onAnswered;
    this.root = new Tree(new TreeSuffix(""), () -> List.of(entry(product, monitor)));
  }

  private static TreeEntry entry(String product, boolean monitor) {
    return new TreeEntry("")
        .add("objectClass", "top")
        .operational("configContext", "cn=configuration")
        .operational("monitorContext", monitor ? new String[] {"cn=monitor"} : new String[0])
        .operational("supportedExtension", Oids.WHO_AM_I)
        .operational("supportedLDAPVersion", "3")
        .operational("vendorName", "Stoa")
        .operational("vendorVersion", product);
  }

  @Override
  public void handle(Operation operation) {
    if (!TargetName.isRootDse(operation.message())) {
      next.handle(operation);
    } else if (TreeAnswer.refusesLarge(operation)) {
      onAnswered.accept(operation);
    } else {
      TreeAnswer answer = new TreeAnswer(operation);
      onAnswered.accept(operation);
      answer.read(root);
    }
  }
}
