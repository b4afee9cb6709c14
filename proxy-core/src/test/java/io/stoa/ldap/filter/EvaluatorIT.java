// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Soak;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Where Stoa says TRUE, the directory returns the entry; where it says FALSE or UNDEFINED, it does
 * not. Values of all syntaxes that are evaluated, spelled in many ways, and filters over them.
 */
@Tag("soak")
class EvaluatorIT {
  /** Of filters as clients write them, slapd 2.5. */
  private static final double TOLERABLE_UNKNOWN = 0.05;

  /**
   * 389-ds does not do what is written with negations in disjunctions, so nothing is said of it.
   */
  private static final double TOLERABLE_OF_DS389 = 0.07;

  private static final Set<ResultCode> REFUSALS =
      Set.of(ResultCode.INVALID_ATTRIBUTE_SYNTAX, ResultCode.ATTRIBUTE_OR_VALUE_EXISTS);

  private final Random random = new Random(Soak.seed());

  @Test
  void slapd() {
    List<Entry> entries = EvaluatedTree.entries(new Random(5), false);
    SlapdConfig config =
        SlapdConfig.stock()
            .global(EvaluatedSchema.slapdLines())
            .database(EvaluatedTree.SUFFIX, "", EvaluatedTree.ldif(entries));
    try (Slapd slapd = Slapd.start(config);
        RawLdapClient client = RawLdapClient.connect(slapd.address())) {
      client.bind(SlapdConfig.ROOT_RDN + "," + EvaluatedTree.SUFFIX, SlapdConfig.ROOT_PASSWORD);
      Evaluation evaluation = new Evaluation(client, "cn=Subschema");
      assertThat(evaluation.profile().kind()).isEqualTo(ServerKind.OPENLDAP);
      compare(evaluation, entries.size(), "slapd", Soak.scale(20_000, 1_000_000));
    }
  }

  @Test
  void ds389() throws LDAPException {
    List<Entry> entries = EvaluatedTree.entries(new Random(5), true);
    Ldif root = Ldif.forDs389();
    root.entry(EvaluatedTree.SUFFIX, "objectClass: domain", "dc: example");
    Ds389Config config = Ds389Config.stock().database(EvaluatedTree.SUFFIX, root);
    try (Ds389 server = Ds389.start(config);
        RawLdapClient client = RawLdapClient.connect(server.address())) {
      client.bind(Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD);
      load(server, entries);
      Evaluation evaluation = new Evaluation(client, "cn=schema");
      assertThat(evaluation.profile().kind()).isEqualTo(ServerKind.DS389);
      compare(evaluation, entries.size(), "389-ds", Soak.scale(10_000, 300_000));
    }
  }

  private static void load(Ds389 server, List<Entry> entries) throws LDAPException {
    try (LDAPConnection connection =
        new LDAPConnection(
            "127.0.0.1", server.address().getPort(), Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      for (EvaluatedSchema.Type type : EvaluatedSchema.TYPES) {
        connection.modify("cn=schema", add("attributeTypes", type.definition()));
      }
      for (String definition : EvaluatedSchema.CLASSES) {
        connection.modify("cn=schema", add("objectClasses", definition));
      }
      for (Entry entry : entries.subList(1, entries.size())) {
        add(connection, entry);
      }
    }
  }

  /** Whatever values of a syntax it refuses, the others are there. */
  private static void add(LDAPConnection connection, Entry entry) throws LDAPException {
    Entry plain = entry.duplicate();
    entry.getAttributes().stream()
        .filter(attribute -> attribute.getBaseName().startsWith("stoa"))
        .forEach(attribute -> plain.removeAttribute(attribute.getName()));
    connection.add(plain);
    for (Attribute attribute : entry.getAttributes()) {
      if (!plain.hasAttribute(attribute.getName())) {
        addIfTaken(connection, entry.getDN(), attribute);
      }
    }
  }

  private static void addIfTaken(LDAPConnection connection, String dn, Attribute attribute)
      throws LDAPException {
    try {
      connection.modify(
          dn, new Modification(ModificationType.ADD, attribute.getName(), attribute.getValues()));
    } catch (LDAPException e) {
      if (!REFUSALS.contains(e.getResultCode())) {
        throw e;
      }
    }
  }

  private static Modification add(String attribute, String value) {
    return new Modification(ModificationType.ADD, attribute, value);
  }

  private void compare(Evaluation evaluation, int entries, String server, int rounds) {
    assertThat(evaluation.entries()).isEqualTo(entries);
    FilterGenerator any = new FilterGenerator(random, false);
    for (int round = 0; round < rounds; round++) {
      evaluation.compare(any.filter(), random);
    }
    Soak.record(evaluation.summary(server + ", any filters"));
    evaluation.verify();
    evaluation.reset();
    FilterGenerator usual = new FilterGenerator(random, true);
    for (int round = 0; round < rounds / 4; round++) {
      evaluation.compare(usual.filter(), random);
    }
    Soak.record(evaluation.summary(server + ", usual filters"));
    evaluation.verify();
    boolean ds389 = evaluation.profile().kind() == ServerKind.DS389;
    assertThat(evaluation.unknownShare())
        .isLessThan(ds389 ? TOLERABLE_OF_DS389 : TOLERABLE_UNKNOWN);
  }
}
