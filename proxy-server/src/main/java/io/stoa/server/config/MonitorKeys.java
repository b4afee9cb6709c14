// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;

import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.util.List;

/** The keys of the section {@code monitor}. Threading: immutable. */
final class MonitorKeys {
  static final KeySection KEYS = new KeySection("monitor.");

  private static final Scalar<String> READER =
      new Scalar<>(
          "DN or *",
          JsonSchema.string("\\*|" + ValueTypes.DN_FORM),
          MonitorKeys::reader,
          ValueTypes::quote);

  static final ConfigKey<Boolean> TREE =
      KEYS.key(
          "tree",
          BOOLEAN,
          true,
          "Entries of cn=monitor. False: operations below it go to the directory.");

  static final ConfigKey<Boolean> IBM_TIMES =
      KEYS.key(
          "ibmTimes",
          BOOLEAN,
          false,
          "Times in cn=monitor in the format of IBM Directory Server, instead of GeneralizedTime.");

  static final ConfigKey<List<String>> READERS =
      KEYS.live(
          "readers",
          new Sequence<>(READER, true, "'cn=monitoring,dc=example,dc=com'"),
          List.of(),
          "DNs of the clients that may read servers, feeds, sharing classes and write windows in"
              + " cn=monitor; '*' for all clients. Others read counters only, the administrator"
              + " reads everything.");

  private MonitorKeys() {}

  private static String reader(String text) {
    return text.equals(AdministratorConfig.ALL_CLIENTS) ? text : ValueTypes.DN.parser().apply(text);
  }
}
