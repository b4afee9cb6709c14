// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import picocli.CommandLine.IVersionProvider;

/** The product and its version. Immutable. */
public final class StoaVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {product(), "Java " + Runtime.version()};
  }

  /** Both in one word each; without a jar the version is not known. */
  static String product() {
    String version = StoaVersion.class.getPackage().getImplementationVersion();
    return "Stoa " + (version == null ? "development" : version);
  }
}
