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

  /** Every operation, control and selection, and what a directory refuses. */
  static Script everything() {
    Script script = thousand();
    AssertionSteps.addTo(script);
    ShapeSteps.addTo(script);
    PageSteps.addTo(script);
    MixedControlSteps.addTo(script);
    return farewell(script);
  }

  /** A thousand of these, for whoever differs in how it connects or binds only. */
  static Script most() {
    return farewell(thousand());
  }

  /** What finds out whether the key of the caches has lost something. */
  static Script keys() {
    Script script = new Script();
    BindSteps.addIdentities(script);
    KeySteps.addTo(script);
    return script;
  }

  private static Script thousand() {
    Script script = keys();
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
    IdentitySteps.addTo(script);
    PipelineSteps.addTo(script);
    SequenceSteps.addTo(script);
    MatchingSteps.addTo(script);
    SpellingSteps.addTo(script);
    return script;
  }

  private static Script farewell(Script script) {
    KeySteps.addTo(script.on("alice"));
    BindSteps.addFarewells(script);
    return script;
  }
}
