// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.search;

import io.stoa.server.differential.Script;
import io.stoa.testing.SearchBuilder;
import java.util.List;
import java.util.stream.Stream;

/** What a server tells of itself. */
final class DiscoveryRows {
  private static final List<String> SCHEMAS =
      List.of(
          "cn=Subschema", "cn=schema", "CN=Aggregate,CN=Schema,CN=Configuration,DC=example,DC=com");

  private DiscoveryRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.always("RFC 4512, 5.1", "root DSE: all attributes", DiscoveryRows::rootDse),
        Row.always("RFC 4512, 5.1", "root DSE: single attributes", DiscoveryRows::rest),
        Row.always("RFC 4512, 4.2", "subschema", DiscoveryRows::schema),
        Row.always("no specification", "cn=monitor", DiscoveryRows::monitor),
        Row.always(
            "no specification", "cn=config, cn=changelog, cn=accesslog", DiscoveryRows::inside));
  }

  private static void rootDse(Script script, Names names) {
    script.documented(Difference.ROOT_DSE.name());
    for (String who : new String[] {"anonymous", "alice"}) {
      if (who.equals("alice")) {
        as(who, script, names);
      }
      script.on(who).either(search("").baseScope().attributes("*", "+").request());
      script.either(search("").baseScope().request());
      script.either(search("").baseScope().filter("(cn=x)").request());
      script.either(search("").baseScope().attributes("supportedExtension").request());
      script.either(search("").baseScope().attributes("supportedSASLMechanisms").request());
      script.either(search("").baseScope().attributes("supportedLDAPVersion").request());
    }
  }

  private static void rest(Script script, Names names) {
    script.on("anonymous");
    for (int i = 0; i < 2; i++) {
      for (String attribute :
          new String[] {
            "namingContexts",
            "subschemaSubentry",
            "supportedControl",
            "supportedFeatures",
            "vendorName",
            "altServer",
            "OBJECTCLASS",
            "1.1"
          }) {
        script.either(search("").baseScope().attributes(attribute).request());
      }
      as("alice", script, names);
    }
    script.either(search("").oneLevel().request());
  }

  private static void schema(Script script, Names names) {
    as("alice", script, names);
    for (String schema : SCHEMAS) {
      script.either(search(schema).baseScope().attributes("objectClasses").request());
      script.either(search(schema).baseScope().attributes("attributeTypes", "cn").request());
      script.either(search(schema).baseScope().attributes("cn", "objectClass").request());
      script.either(search(schema).baseScope().filter("(objectClass=subschema)").request());
    }
  }

  private static void monitor(Script script, Names names) {
    script.otherwise(Difference.MONITOR.name());
    as("alice", script, names);
    script.either(search("cn=monitor").baseScope().attributes("cn").request());
    script.either(search("cn=monitor").oneLevel().attributes("cn").request());
  }

  /** What changes without a write, and not everybody may read. */
  private static void inside(Script script, Names names) {
    for (String who : new String[] {"alice", "root"}) {
      script.on(who).once(bind(names.person("alice"), "pw-alice"));
      if (who.equals("root")) {
        script.once(bind(names.root(), names.rootPassword()));
      }
      for (String base : new String[] {"cn=config", "cn=accesslog", "cn=schema,cn=config"}) {
        script.either(search(base).baseScope().attributes("cn", "objectClass").request());
      }
      SearchBuilder changes = search("cn=changelog").attributes("targetDn", "changeType");
      script.either(changes.filter("(changeNumber<=3)").request());
      script.either(search("cn=features,cn=config").attributes("cn").request());
    }
  }
}
