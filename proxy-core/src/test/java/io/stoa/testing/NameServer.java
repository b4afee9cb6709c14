// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A name server on a free UDP port of 127.0.0.1 that has one set of service records (RFC 2782), for
 * whatever name it is asked; without records it does not answer at all. Thread-safe.
 */
public final class NameServer implements AutoCloseable {
  private static final int HEADER = 12;
  private static final int SRV = 33;

  private final DatagramSocket socket;
  private final AtomicInteger questions = new AtomicInteger();
  private volatile List<Service> services = List.of();

  /** One service record. */
  public record Service(int priority, int weight, int port, String host) {}

  private NameServer(DatagramSocket socket) {
    this.socket = socket;
    Thread thread = new Thread(this::serve, "name-server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts one without records. */
  public static NameServer start() {
    try {
      return new NameServer(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As it is written in Stoa's configuration. */
  public String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  /** From now on these are the records. */
  public void tell(Service... records) {
    services = List.of(records);
  }

  /** How often it was asked. */
  public int questions() {
    return questions.get();
  }

  private void serve() {
    byte[] buffer = new byte[512];
    try {
      while (!socket.isClosed()) {
        DatagramPacket question = new DatagramPacket(buffer, buffer.length);
        socket.receive(question);
        questions.incrementAndGet();
        List<Service> records = services;
        if (!records.isEmpty()) {
          byte[] answer = answer(Arrays.copyOf(buffer, question.getLength()), records);
          socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
        }
      }
    } catch (IOException closed) {
      return; // close() closes the socket under receive()
    }
  }

  /** RFC 1035, section 4.1. */
  private static byte[] answer(byte[] question, List<Service> records) throws IOException {
    int end = HEADER;
    while (question[end] != 0) {
      end += question[end] + 1;
    }
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(octets);
    out.write(question, 0, 2);
    out.writeShort(0x8580); // an answer, authoritative, without an error
    out.writeShort(1);
    out.writeShort(records.size());
    out.writeInt(0);
    out.write(question, HEADER, end + 5 - HEADER);
    for (Service record : records) {
      write(out, record);
    }
    return octets.toByteArray();
  }

  private static void write(DataOutputStream out, Service record) throws IOException {
    byte[] host = name(record.host());
    out.writeShort(0xc000 | HEADER); // the name of the question
    out.writeShort(SRV);
    out.writeShort(1);
    out.writeInt(1); // may be kept for a second
    out.writeShort(6 + host.length);
    out.writeShort(record.priority());
    out.writeShort(record.weight());
    out.writeShort(record.port());
    out.write(host);
  }

  private static byte[] name(String host) throws IOException {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    for (String label : host.split("\\.")) {
      octets.write(label.length());
      octets.write(label.getBytes(StandardCharsets.US_ASCII));
    }
    octets.write(0);
    return octets.toByteArray();
  }

  @Override
  public void close() {
    socket.close();
  }
}
