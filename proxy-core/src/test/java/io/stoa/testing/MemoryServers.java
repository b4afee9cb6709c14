// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.net.codec.HandlerNames;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.upstream.connect.Dialer.ChannelOpener;
import io.stoa.upstream.connect.Dialer.DialListener;
import io.stoa.upstream.server.ServerAddress;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Directory servers in memory: Stoa's pools connect to them, and the test answers their requests.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class MemoryServers implements ChannelOpener {
  /** Octets up to which a response is collected, as by default. */
  public static final int COLLECTED = 1 << 20;

  private static final int MAX = 16 * COLLECTED;

  private final ManualLoop loop;
  private final Map<ServerAddress, Server> servers = new HashMap<>();

  public MemoryServers(ManualLoop loop) {
    this.loop = loop;
  }

  public Server at(ServerAddress address) {
    return servers.computeIfAbsent(address, none -> new Server());
  }

  @Override
  public void dial(ServerAddress address, InetSocketAddress client, DialListener outcome) {
    at(address).dial(outcome);
  }

  /**
   * A request that the server has not answered. Immutable.
   *
   * @param connection number of the connection, from 1
   */
  public record Request(int connection, RawMessage message) {
    public boolean isBind() {
      return message.opTag() == Received.BIND;
    }
  }

  /**
   * One server.
   *
   * <p>Threading: confined to the test's thread.
   */
  public final class Server {
    private final List<MemoryChannel> connections = new ArrayList<>();
    private final List<DialListener> dialing = new ArrayList<>();
    private final List<Request> open = new ArrayList<>();
    private int abandoned;
    private boolean refuses;
    private boolean holds;
    private boolean asksBinds;

    /** Refuses further connections. */
    public Server refuse() {
      refuses = true;
      return this;
    }

    /** Accepts connections again. */
    public void accept() {
      refuses = false;
      holds = false;
      List<DialListener> all = List.copyOf(dialing);
      dialing.clear();
      all.forEach(this::dial);
      loop.run();
    }

    /** Leaves further connection attempts without an answer, until {@link #accept}. */
    public Server hold() {
      holds = true;
      return this;
    }

    /** Leaves it to the test to answer binds; otherwise they succeed. */
    public Server askBinds() {
      asksBinds = true;
      return this;
    }

    private void dial(DialListener outcome) {
      if (holds) {
        dialing.add(outcome);
      } else {
        loop.executor().execute(() -> connect(outcome));
      }
    }

    private void connect(DialListener outcome) {
      if (refuses) {
        outcome.onFailed(new ConnectException("Connection refused"));
        return;
      }
      MemoryChannel channel = new MemoryChannel(loop);
      channel.pipeline().addLast(HandlerNames.FRAME_DECODER, new LdapFrameDecoder(MAX, COLLECTED));
      loop.executor().register(channel);
      connections.add(channel);
      outcome.onConnected(channel);
    }

    /** Returns the number of connection attempts without an answer. */
    public int dialing() {
      return dialing.size();
    }

    /** Returns the number of connections that were ever made. */
    public int connected() {
      loop.run();
      return connections.size();
    }

    /** Returns the number of open connections. */
    public long open() {
      loop.run();
      return connections.stream().filter(MemoryChannel::isOpen).count();
    }

    /** Returns the requests without an answer on open connections; no abandons and unbinds. */
    public List<Request> requests() {
      loop.run();
      boolean bound = true;
      while (bound) {
        bound = false;
        for (int i = 0; i < connections.size(); i++) {
          for (RawMessage message : connections.get(i).sent()) {
            bound |= receive(new Request(i + 1, message));
          }
        }
      }
      open.removeIf(request -> !connection(request.connection()).isOpen());
      return List.copyOf(open);
    }

    /** Returns true if the request was a bind that has been answered. */
    private boolean receive(Request request) {
      int tag = request.message().opTag();
      if (request.isBind() && !asksBinds) {
        respond(request, Responses.result(tag, 0));
        return true;
      }
      if (tag == Received.ABANDON) {
        abandoned++;
      } else if (tag != Received.UNBIND) {
        open.add(request);
      }
      return false;
    }

    private void respond(Request request, RawRequest response) {
      connection(request.connection()).send(request.message().messageId(), response);
    }

    private MemoryChannel connection(int number) {
      return connections.get(number - 1);
    }

    /** Answers the oldest request with a result code. */
    public void answer(int code) {
      Request request = requests().get(0);
      open.remove(request);
      respond(request, Responses.result(request.message().opTag(), code));
    }

    /** Answers the newest request with a result code. */
    public void answerNewest(int code) {
      List<Request> all = requests();
      Request request = all.get(all.size() - 1);
      open.remove(request);
      respond(request, Responses.result(request.message().opTag(), code));
    }

    /** Returns the number of requests that Stoa has abandoned. */
    public int abandoned() {
      requests();
      return abandoned;
    }

    /** Sends octets on a connection. */
    public void send(int number, byte[] octets) {
      connection(number).send(octets);
    }

    /** True if Stoa reads from a connection. */
    public boolean isRead(int number) {
      return connection(number).isRead();
    }

    /** Sends a part of the answer to the oldest request. */
    public void part(RawRequest response) {
      respond(requests().get(0), response);
    }

    /** Closes a connection. */
    public void close(int number) {
      requests();
      connection(number).hangUp();
    }

    /** Closes all connections, and refuses further ones. */
    public void stop() {
      refuse();
      for (int i = 1; i <= connections.size(); i++) {
        close(i);
      }
    }
  }
}
