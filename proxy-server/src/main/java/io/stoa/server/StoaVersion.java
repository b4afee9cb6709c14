// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import picocli.CommandLine.IVersionProvider;

/** The product and its version. Threading: immutable. */
public final class StoaVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {product(), "Java " + Runtime.version()};
  }

  /**
   * Returns the product and the version, each as one word; {@code development} outside of a jar.
   */
  static String product() {
    String version = StoaVersion.class.getPackage().getImplementationVersion();
    return "Stoa " + (version == null ? "development" : version);
  }
}
