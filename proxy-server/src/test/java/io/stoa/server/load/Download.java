// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import io.stoa.testing.People;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A search whose answer is too large to be held: read as it comes, as slowly as a test wants, and
 * known by its size and digest afterwards. Used by one thread.
 */
final class Download {
  private static final int PIECE = 64 * 1024;
  private static final int SECONDS_OF_SILENCE = 60;
  private static final int SEARCH_DONE = 0x65;
  private static final int LONG_FORM = 0x80;
  private static final int CODE_AT = 3;

  private final DataInputStream in;
  private final long octetsPerSecond;
  private final MessageDigest digest = sha256();
  private final long start = System.nanoTime();
  private int messages;
  private long octets;

  /** The result code of a response that is a result, which stands behind three octets. */
  private int code;

  private Download(DataInputStream in, long octetsPerSecond) {
    this.in = in;
    this.octetsPerSecond = octetsPerSecond;
  }

  /** What has come: how many messages, the result included, their octets, and their digest. */
  record Result(int messages, long octets, String digest) {}

  /** The search ended with an error. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;

    Refused(int code) {
      super("result code " + code);
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** Binds as a person, searches, and reads the answer as fast as it comes. */
  static Result of(InetSocketAddress server, RawRequest search) throws IOException {
    return of(server, search, Long.MAX_VALUE);
  }

  /** The same at so many octets a second. */
  static Result of(InetSocketAddress server, RawRequest search, long octetsPerSecond)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS_OF_SILENCE));
      if (octetsPerSecond < Long.MAX_VALUE) {
        socket.setReceiveBufferSize(PIECE); // what the system buffers is not read slowly
      }
      socket.connect(server);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      socket.getOutputStream().write(Requests.bind(People.dn(1), People.PASSWORD).encode(1));
      new Download(in, Long.MAX_VALUE).message();
      socket.getOutputStream().write(search.encode(2));
      return new Download(in, octetsPerSecond).untilDone();
    }
  }

  private Result untilDone() throws IOException {
    while (message() != SEARCH_DONE) {
      messages++;
    }
    if (code != 0) {
      throw new Refused(code);
    }
    return new Result(messages + 1, octets, HexFormat.of().formatHex(digest.digest()));
  }

  /** Reads one message; returns the tag of its protocolOp. The messageID takes one octet. */
  private int message() throws IOException {
    in.readByte();
    int length = length();
    in.skipNBytes(3);
    int tag = in.readUnsignedByte();
    digest.update((byte) tag);
    content(length - 4);
    return tag;
  }

  private int length() throws IOException {
    int first = in.readUnsignedByte();
    int length = first < LONG_FORM ? first : 0;
    for (int i = 0; i < (first & 0x7f) && first >= LONG_FORM; i++) {
      length = length << Byte.SIZE | in.readUnsignedByte();
    }
    return length;
  }

  private void content(int length) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int left = length; left > 0; left -= piece.length) {
      int size = Math.min(left, piece.length);
      in.readFully(piece, 0, size);
      code = left == length && size > CODE_AT ? piece[CODE_AT] : code;
      digest.update(piece, 0, size);
      octets += size;
      keepPace();
    }
  }

  private void keepPace() {
    if (octetsPerSecond < Long.MAX_VALUE) {
      long due = (long) (1e9 * octets / octetsPerSecond);
      LockSupport.parkNanos(due - (System.nanoTime() - start));
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
