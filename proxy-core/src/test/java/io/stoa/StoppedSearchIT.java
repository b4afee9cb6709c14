// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import io.stoa.ldap.Oids;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.OperationLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Tlv;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Searches that take a directory seconds, and searches without end, as real directories know them:
 * their logs say that nothing of it goes on when nobody waits for it any more, with Stoa between as
 * without.
 */
class StoppedSearchIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int ENTRIES = 400;
  private static final int VALUES = 100;
  private static final int TERMS = 2000;
  private static final int SEARCH = 70;
  private static final int CANCELED = 118;

  private static Slapd slapd;
  private static Ds389 ds389;
  private static int searches;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** A directory, and who may look at everything in it. */
  enum Directory {
    SLAPD("cn=admin," + SUFFIX, SlapdConfig.ROOT_PASSWORD) {
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

    DS389(Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD) {
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

    private final String root;
    private final String password;

    Directory(String root, String password) {
      this.root = root;
      this.password = password;
    }

    abstract InetSocketAddress address();

    abstract OperationLog operations();

    /** What makes a search one that goes on until somebody ends it. */
    abstract Control endless();

    RawLdapClient client(InetSocketAddress address) {
      return RawLdapClient.connect(address).bind(root, password);
    }
  }

  @BeforeAll
  static void startServers() {
    CompletableFuture<Ds389> other = CompletableFuture.supplyAsync(StoppedSearchIT::startDs389);
    SlapdConfig config =
        SlapdConfig.stock()
            .module("syncprov")
            .database(SUFFIX, "overlay syncprov", content(new Ldif()));
    slapd = Slapd.start(config);
    slapd.logOperations();
    ds389 = other.join();
  }

  private static Ds389 startDs389() {
    Ldif ldif = content(Ldif.forDs389());
    return Ds389.start(Ds389Config.stock().logOperations().database(SUFFIX, ldif));
  }

  @AfterAll
  static void stopServers() {
    slapd.close();
    ds389.close();
  }

  /** A few entries with many values: to look through all of them again and again takes long. */
  private static Ldif content(Ldif ldif) {
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
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

  /** Does the same straight to the directory and through Stoa. */
  private static void bothWays(Directory directory, BiConsumer<RawLdapClient, String> script) {
    try (RunningProxy proxy = ProxySetup.before(directory.address().getPort()).start()) {
      for (InetSocketAddress way : List.of(directory.address(), proxy.address())) {
        try (RawLdapClient client = directory.client(way)) {
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
    bothWays(
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
    bothWays(
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
  void aClientThatHasGoneLeavesNoSearchBehind(Directory directory) {
    bothWays(
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
    bothWays(
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
    bothWays(
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
