// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedDeleteRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedDeleteResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyDNRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyDNResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats the writes that one server receives on the others. One lock for all servers, held from
 * the request to its result, puts the writes in the same order everywhere.
 *
 * <p>Threading: thread-safe.
 */
final class DemoReplication extends InMemoryOperationInterceptor {
  private static final Logger LOG = LoggerFactory.getLogger(DemoReplication.class);
  private static final long LOCK_SECONDS = 5;

  private final ReentrantLock writes;
  private final List<InMemoryDirectoryServer> servers;
  private final int ownIndex;

  /**
   * Creates the replication of one server.
   *
   * @param writes lock held by the write in progress, on any server
   * @param servers all servers, once they have started
   * @param ownIndex index of the server that receives
   */
  DemoReplication(ReentrantLock writes, List<InMemoryDirectoryServer> servers, int ownIndex) {
    this.writes = writes;
    this.servers = servers;
    this.ownIndex = ownIndex;
  }

  @Override
  public void processAddRequest(InMemoryInterceptedAddRequest request) throws LDAPException {
    begin();
  }

  @Override
  public void processAddResult(InMemoryInterceptedAddResult result) {
    end(result.getResult(), server -> server.add(result.getRequest().duplicate()));
  }

  @Override
  public void processDeleteRequest(InMemoryInterceptedDeleteRequest request) throws LDAPException {
    begin();
  }

  @Override
  public void processDeleteResult(InMemoryInterceptedDeleteResult result) {
    end(result.getResult(), server -> server.delete(result.getRequest().duplicate()));
  }

  @Override
  public void processModifyRequest(InMemoryInterceptedModifyRequest request) throws LDAPException {
    begin();
  }

  @Override
  public void processModifyResult(InMemoryInterceptedModifyResult result) {
    end(result.getResult(), server -> server.modify(result.getRequest().duplicate()));
  }

  @Override
  public void processModifyDNRequest(InMemoryInterceptedModifyDNRequest request)
      throws LDAPException {
    begin();
  }

  @Override
  public void processModifyDNResult(InMemoryInterceptedModifyDNResult result) {
    end(result.getResult(), server -> server.modifyDN(result.getRequest().duplicate()));
  }

  /** A write on a server's contents. Unlike one through its listener, it is not intercepted. */
  private interface ReplicaWrite {
    void applyTo(InMemoryDirectoryServer server) throws LDAPException;
  }

  private void begin() throws LDAPException {
    try {
      if (writes.tryLock(LOCK_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new LDAPException(ResultCode.BUSY, "timed out waiting for another write");
  }

  private void end(LDAPResult result, ReplicaWrite write) {
    try {
      if (result.getResultCode().equals(ResultCode.SUCCESS)) {
        repeat(write);
      }
    } finally {
      writes.unlock();
    }
  }

  private void repeat(ReplicaWrite write) {
    for (int index = 0; index < servers.size(); index++) {
      try {
        if (index != ownIndex) {
          write.applyTo(servers.get(index));
        }
      } catch (LDAPException e) {
        LOG.error(
            "demo: replica {} refused a write accepted by replica {}: {}",
            index,
            ownIndex,
            e.getResultCode());
      }
    }
  }
}
