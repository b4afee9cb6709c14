// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

/** A published experiment that can be repeated. */
public interface Experiment {
  /** Returns the name on the command line. */
  String name();

  /** Returns one line of description. */
  String about();

  /** Measures, and adds tables and charts to the report. */
  void run(Bench bench);
}
