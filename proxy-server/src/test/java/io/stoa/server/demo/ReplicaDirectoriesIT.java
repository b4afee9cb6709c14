// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one replica is told, the other does too, in the same order. */
class ReplicaDirectoriesIT {
  private static final String PEOPLE = "ou=people," + People.SUFFIX;

  private ReplicaDirectories replicas;
  private LDAPConnection first;
  private LDAPConnection second;

  @BeforeEach
  void start() throws LDAPException {
    replicas = ReplicaDirectories.start(2);
    first = connect(replicas.addresses().get(0));
    second = connect(replicas.addresses().get(1));
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
    replicas.close();
  }

  private static LDAPConnection connect(ServerAddress address) throws LDAPException {
    return new LDAPConnection(address.host(), address.port());
  }

  @Test
  void everyKindOfWriteIsReplicatedBothWays() throws LDAPException {
    String dn = "uid=new," + PEOPLE;
    Attribute classes = new Attribute("objectClass", "account");
    second.add(new Entry(dn, classes, new Attribute("uid", "new")));
    assertSame(dn);
    first.modify(dn, new Modification(ModificationType.ADD, "description", "x"));
    assertSame(dn);
    second.modifyDN(dn, "uid=renamed", true);
    assertThat(first.getEntry(dn)).isNull();
    assertSame("uid=renamed," + PEOPLE);
    first.delete("uid=renamed," + PEOPLE);
    assertThat(second.getEntry("uid=renamed," + PEOPLE)).isNull();
  }

  @Test
  void aRefusedWriteIsNotReplicated() throws LDAPException {
    try {
      first.delete("uid=nobody," + PEOPLE);
    } catch (LDAPException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    }
    first.modify(People.dn(1), new Modification(ModificationType.REPLACE, "sn", "x"));
    assertSame(People.dn(1));
  }

  @Test
  void concurrentWritesConverge() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        int number = writer;
        writers.add(clients.submit(() -> write(number)));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      clients.shutdownNow();
    }
    assertSame(People.dn(5));
  }

  private void write(int writer) {
    try (LDAPConnection connection = connect(replicas.addresses().get(writer % 2))) {
      for (int i = 0; i < 100; i++) {
        connection.modify(
            People.dn(5), new Modification(ModificationType.REPLACE, "sn", writer + "." + i));
      }
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private void assertSame(String dn) throws LDAPException {
    assertThat(first.getEntry(dn)).isNotNull().isEqualTo(second.getEntry(dn));
  }
}
