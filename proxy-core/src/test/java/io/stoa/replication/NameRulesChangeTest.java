// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.AddOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.replication.SessionGuarantees.ReadRequirement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was changed when names were compared in another way, and who may answer then. */
class NameRulesChangeTest {
  private static final Object GROUP = new Object();
  private static final Position AT_FIRST = Position.of(Map.of("dc=x#1", "1"));
  private static final byte[] EMPTY = {0x64, 4, 0x04, 0, 0x30, 0};
  private static final RequestOp ADD = new AddOp(octets("uid=a,dc=x"));

  private ServerProfile profile = ServerProfile.EXACT;
  private Runnable meanwhile = () -> {};
  private final Operation operation =
      InternalSearch.of(
          new InternalSession(ImmediateEventExecutor.INSTANCE),
          new RequestDecoder(() -> DecodeLimits.DEFAULTS),
          SearchParameters.entry(octets("uid=a,dc=x"), List.of("cn")),
          found -> {});
  private final SessionGuarantees consistency =
      new SessionGuarantees(
          new ReplicationConfig(SessionScope.PROXY, Duration.ofSeconds(10), Duration.ofSeconds(1)),
          () -> Duration.ofHours(1),
          () -> Duration.ofHours(1),
          () -> profile,
          this::now);

  private long now() {
    meanwhile.run();
    return 0;
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void addServers() {
    consistency.replication().add("primary", GROUP, "primary", () -> true, () -> true);
    consistency.replication().add("replica", GROUP, "replica", () -> true, null);
    for (String server : List.of("primary", "replica")) {
      consistency.onPosition(consistency.startRequest(server), AT_FIRST, Set.of());
    }
  }

  private void rename() {
    try {
      profile = ServerProfile.of(SearchEntry.parse(EMPTY.clone()), null);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private UnreplicatedWrite begin(RequestOp op) {
    Request request = new Request(op, List.of(), false);
    return Objects.requireNonNull(consistency.begin(operation, request, null, "primary"));
  }

  private static Footprint entry(String dn, ServerProfile profile) {
    return Objects.requireNonNull(Footprint.ofEntry(octets(dn), profile));
  }

  /** Of another entry. */
  private boolean mayRead(Object session, @Nullable Footprint binder) {
    ReadRequirement reading =
        new ReadRequirement(session, entry("uid=b,dc=x", profile), false, binder, null);
    return consistency.admits("replica", reading, false);
  }

  /** By whoever has written. */
  private boolean mayRead() throws LdapProtocolException {
    return mayRead(Objects.requireNonNull(consistency.reading(operation)).session(), null);
  }

  /** By one who has written nothing, and is bound by a name. */
  private boolean mayReadAs(String dn) {
    return mayRead("somebody else", entry(dn, profile));
  }

  @Test
  void aWriteBegunDuringASchemaChangeMayBeAnywhere() throws LdapProtocolException {
    meanwhile = this::rename;
    begin(ADD);
    meanwhile = () -> {};
    assertThat(mayRead()).isFalse();
  }

  @Test
  void aWriteBegunAfterASchemaChangeHasItsPlace() throws LdapProtocolException {
    rename();
    begin(ADD);
    assertThat(mayRead()).isTrue();
  }

  /** It is given up and forgotten, names are compared anew, and then it is answered. */
  @Test
  void aWriteAnsweredAfterASchemaChangeMayBeAnywhere() throws LdapProtocolException {
    UnreplicatedWrite late = begin(ADD);
    consistency.end(late, "primary", true);
    consistency.cancel(late);
    rename();
    consistency.end(late, "primary", true);
    assertThat(mayRead()).isFalse();
  }

  /** It may have been of the entry as which a client is bound: its password, or all of it. */
  @Test
  void noIdentityIsBoundAtAReplicaAfterASchemaChange() {
    begin(ADD);
    assertThat(mayReadAs("uid=a,dc=x")).isFalse();
    assertThat(mayReadAs("uid=b,dc=x")).isTrue();
    rename();
    assertThat(mayReadAs("uid=a,dc=x")).isFalse();
    assertThat(mayReadAs("uid=b,dc=x")).isFalse();
  }

  @Test
  void aWriteWithoutAnEntryPreventsNoBind() {
    begin(new ExtendedOp("1.2.3", -1, 0));
    rename();
    assertThat(mayReadAs("uid=a,dc=x")).isTrue();
  }
}
