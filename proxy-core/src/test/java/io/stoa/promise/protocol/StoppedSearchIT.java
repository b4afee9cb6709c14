// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.OperationLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Tlv;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Searches that take a directory seconds, and searches without end, as real directories know them:
 * their logs say that nothing of it goes on when nobody waits for it any more, with Stoa between as
 * without.
 */
class StoppedSearchIT {
  private static final String SUFFIX = People.SUFFIX;
  private static final String READER = "cn=reader," + SUFFIX;
  private static final int ENTRIES = 400;
  private static final int VALUES = 100;
  private static final int TERMS = 2000;
  private static final int SEARCH = 70;
  private static final int CANCELED = 118;

  private static Slapd slapd;
  private static Ds389 ds389;
  private static int searches;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path scratch;

  /** A directory. */
  enum Directory {
    SLAPD {
      @Override
      InetSocketAddress address() {
        return slapd.address();
      }

      @Override
      OperationLog operations() {
        return OperationLog.of(slapd);
      }

      @Override
      Control endless() {
        byte[] value = Tlv.of(0x30, Tlv.integer(0x0a, 3));
        return new Control(Oids.SYNC_REQUEST, true, new ASN1OctetString(value));
      }
    },

    DS389 {
      @Override
      InetSocketAddress address() {
        return ds389.address();
      }

      @Override
      OperationLog operations() {
        return OperationLog.of(ds389);
      }

      @Override
      Control endless() {
        return new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true);
      }
    };

    abstract InetSocketAddress address();

    abstract OperationLog operations();

    /** What makes a search one that goes on until somebody ends it. */
    abstract Control endless();
  }

  @BeforeAll
  static void startServers() {
    CompletableFuture<Ds389> other = CompletableFuture.supplyAsync(StoppedSearchIT::startDs389);
    SlapdConfig config =
        SlapdConfig.stock()
            .module("syncprov")
            .global("authz-policy to")
            .database(SUFFIX, "overlay syncprov", content(new Ldif()));
    slapd = Slapd.start(config);
    slapd.logOperations();
    ds389 = other.join();
  }

  private static Ds389 startDs389() {
    String rule =
        "aci: (targetattr!=\"aci\")(version 3.0; acl \"%s\"; allow (%s) userdn=\"ldap:///%s\";)";
    Ldif ldif =
        content(
            Ldif.forDs389(),
            rule.formatted("a", "read,search", "all"),
            rule.formatted("b", "proxy", ServiceWatch.DN));
    Ds389 server = Ds389.start(Ds389Config.stock().logOperations().database(SUFFIX, ldif));
    ServiceWatch.letActOnRoot(server);
    return server;
  }

  @AfterAll
  static void stopServers() {
    slapd.close();
    ds389.close();
  }

  /** A few entries with many values: to look through all of them again and again takes long. */
  private static Ldif content(Ldif ldif, String... rules) {
    Stream<String> suffix = Stream.of("objectClass: domain", "dc: example");
    ldif.entry(SUFFIX, Stream.concat(suffix, Stream.of(rules)).toArray(String[]::new));
    person(ldif, READER, "reader", "sn: Reader");
    String may = rules.length > 0 ? "sn: Stoa" : "sn: Stoa\nauthzTo: dn.exact:" + READER;
    person(ldif, ServiceWatch.DN, ServiceWatch.PASSWORD, may);
    String[] lines = new String[VALUES + 2];
    lines[0] = "objectClass: device";
    for (int i = 0; i < VALUES; i++) {
      lines[i + 2] = "description: value " + i;
    }
    for (int i = 0; i < ENTRIES; i++) {
      lines[1] = "cn: " + i;
      ldif.entry("cn=" + i + "," + SUFFIX, lines);
    }
    return ldif;
  }

  private static void person(Ldif ldif, String dn, String password, String more) {
    String name = "cn: " + dn.substring(3, dn.indexOf(','));
    ldif.entry(dn, "objectClass: person", name, more, "userPassword: " + password);
  }

  /** A search that nobody has asked for yet, known by its text. */
  private static String slow(String text) {
    StringBuilder filter = new StringBuilder("(|(description=*" + text + "*)");
    for (int i = 0; i < TERMS; i++) {
      filter.append("(description=*no").append(i).append("*)");
    }
    return filter.append(')').toString();
  }

  private static RawRequest find(String filter) {
    return search(SUFFIX).filter(filter).attributes("1.1").request();
  }

  /** Does the same straight to the directory and through Stoa, in both modes. */
  private void everyWay(Directory directory, BiConsumer<RawLdapClient, String> script) {
    ProxySetup before = ProxySetup.before(directory.address().getPort());
    ProxySetup proxied = before.upstream("identity", ServiceWatch.identity(scratch));
    try (RunningProxy proxy = before.start();
        RunningProxy service = proxied.start()) {
      for (InetSocketAddress way :
          List.of(directory.address(), proxy.address(), service.address())) {
        try (RawLdapClient client = RawLdapClient.connect(way).bind(READER, "reader")) {
          script.accept(client, "search-" + ++searches);
        }
      }
    }
  }

  /** Sends the slow search and returns when the directory works on it. */
  private static OperationLog begin(Directory directory, RawLdapClient client, String text) {
    client.send(SEARCH, find(slow(text)));
    return directory.operations().awaitBegun(text);
  }

  /** The directory has stopped before it came to the end, which it would have told. */
  private static void assertStopped(OperationLog operations) {
    operations.awaitStopped();
    assertThat(operations.isAnswered()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void anAbandonStopsTheSearch(Directory directory) {
    everyWay(
        directory,
        (client, text) -> {
          OperationLog operations = begin(directory, client, text);
          client.send(Requests.abandon(SEARCH));
          operations.awaitAbandoned();
          assertThat(client.code(search("").baseScope().request())).isZero();
          assertStopped(operations);
          assertThat(client.take(SEARCH)).isEmpty();
        });
  }

  /** 389-ds does not know the operation. */
  @Test
  void aCancelStopsTheSearchAndBothAreAnswered() {
    everyWay(
        Directory.SLAPD,
        (client, text) -> {
          OperationLog operations = begin(Directory.SLAPD, client, text);
          CancelExtendedRequest cancel = new CancelExtendedRequest(SEARCH);
          byte[] value = cancel.getValue().getValue();
          assertThat(client.code(Requests.extended(cancel.getOID(), value))).isZero();
          assertThat(client.await(SEARCH))
              .extracting(RawMessage::resultCode)
              .containsOnly(CANCELED);
          operations.awaitStopped();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aLostClientStopsItsSearch(Directory directory) {
    everyWay(
        directory,
        (client, text) -> {
          OperationLog operations = begin(directory, client, text);
          client.reset();
          assertStopped(operations);
        });
  }

  /** Who has closed the sending half is taken for gone, and gets no answer any more. */
  @ParameterizedTest
  @EnumSource
  void aHalfClosedConnectionIsClosedAndItsSearchStopped(Directory directory) {
    everyWay(
        directory,
        (client, text) -> {
          OperationLog operations = begin(directory, client, text);
          client.halfClose();
          assertThat(client.drain()).isEmpty();
          assertStopped(operations);
        });
  }

  @ParameterizedTest
  @EnumSource
  void anEndlessSearchEndsWithItsClient(Directory directory) {
    everyWay(
        directory,
        (client, text) -> {
          client.send(SEARCH, find("(description=" + text + ")").with(directory.endless()));
          OperationLog operations = directory.operations().awaitBegun(text);
          client.reset();
          operations.awaitDisconnected();
          assertThat(operations.isAnswered()).isFalse();
        });
  }
}
