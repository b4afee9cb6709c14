// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SlapdConfig;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Asks the directory itself, as anybody, and writes to it or through Stoa. Thread-safe. */
final class DirectClients implements AutoCloseable {
  private static final String ROOT = SlapdConfig.ROOT_RDN + "," + TraceDirectory.SUFFIX;

  private final InetSocketAddress directory;
  private final RawLdapClient writer;
  private final RawLdapClient writerBehind;
  private final Map<String, RawLdapClient> clients = new ConcurrentHashMap<>();

  DirectClients(InetSocketAddress directory, InetSocketAddress stoa) {
    this.directory = directory;
    this.writer = RawLdapClient.connect(stoa).bind(ROOT, SlapdConfig.ROOT_PASSWORD);
    this.writerBehind = RawLdapClient.connect(directory).bind(ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  /** The parts of the answer. */
  List<String> ask(TracedRequest question) {
    if (question.isBind()) {
      try (RawLdapClient alone = RawLdapClient.connect(directory)) {
        return parts(question, alone);
      }
    }
    RawLdapClient client = clients.computeIfAbsent(question.identity(), this::connect);
    synchronized (client) {
      return parts(question, client);
    }
  }

  private static List<String> parts(TracedRequest question, RawLdapClient client) {
    return question.ask(client).stream().map(TracedRequest::text).toList();
  }

  private RawLdapClient connect(String identity) {
    RawLdapClient client = RawLdapClient.connect(directory);
    return identity.isEmpty() ? client : client.bind(identity, TraceDirectory.password(identity));
  }

  /** Writes, and fails the test if the directory does not agree. One at a time. */
  void change(RawRequest request, boolean behind) {
    int code = (behind ? writerBehind : writer).code(request);
    if (code != 0) {
      throw new AssertionError("a write was answered " + code);
    }
  }

  @Override
  public void close() {
    clients.values().forEach(RawLdapClient::close);
    writerBehind.close();
    writer.close();
  }
}
