// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

/** The scripts that are run. */
final class Scripts {
  private Scripts() {}

  /** For slapd: {@link #everything()}, and what is worded as slapd words it. */
  static Script forSlapd() {
    Script script = everything();
    RefusalSteps.addVersionsTo(script);
    return script;
  }

  /** Everything: every operation, control and selection, and what a directory refuses. */
  static Script everything() {
    Script script = new Script();
    BindSteps.addIdentities(script);
    KeySteps.addTo(script);
    SearchSteps.addTo(script);
    SelectionSteps.addTo(script);
    CompareSteps.addTo(script);
    ControlSteps.addTo(script);
    StatefulSteps.addTo(script);
    RefusalSteps.addTo(script);
    BindSteps.addTo(script);
    ExtendedSteps.addTo(script);
    WriteSteps.addTo(script);
    WriteControlSteps.addTo(script);
    KeySteps.addTo(script.on("alice"));
    BindSteps.addFarewells(script);
    return script;
  }
}
