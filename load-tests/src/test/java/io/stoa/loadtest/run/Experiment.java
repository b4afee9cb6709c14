// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

/** A published experiment that can be repeated. */
public interface Experiment {
  /** As it is called on the command line. */
  String name();

  /** One line of what it shows. */
  String about();

  /** Measures, and puts tables and charts in the report. */
  void run(Bench bench);
}
