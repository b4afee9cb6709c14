// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lines in a file. Logback rotates the file by size and at midnight, compresses rotated files and
 * deletes old ones, unless another program such as logrotate does so. Lines that a full disk has
 * cut are removed again.
 *
 * <p>Threading: confined to the thread of one log, except for {@link #reopen}.
 */
final class FileDestination implements LogDestination {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path file;
  private final Rotation rotation;
  private final Context context = new ContextBase();
  private @Nullable FileAppender<ByteBuffer> appender;
  private @Nullable IOException failure;
  private @Nullable IOException openFailure;
  private long retryAt;
  private volatile boolean renamed;

  /**
   * Opens the file.
   *
   * @throws IOException if it cannot be opened
   */
  FileDestination(Path file, Rotation rotation) throws IOException {
    this.file = file.toAbsolutePath();
    this.rotation = rotation;
    open();
  }

  @Override
  public void write(byte[] octets, int length) throws IOException {
    if (renamed) {
      renamed = false;
      shut();
    }
    FileAppender<ByteBuffer> current = appender == null ? open() : appender;
    failure = null;
    current.doAppend(ByteBuffer.wrap(octets, 0, length));
    IOException failed = failure;
    if (current.getOutputStream() == null) {
      shut(); // a rotation has not opened the new file
      failed = failed == null ? new IOException(file + ": the file is not open") : failed;
    }
    if (failed != null) {
      throw failed;
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }

  @Override
  public void reopen() {
    renamed = true;
  }

  @Override
  public void close() {
    shut();
    ((ContextBase) context).stop();
  }

  private void shut() {
    if (appender != null) {
      appender.stop();
      appender = null;
    }
  }

  private FileAppender<ByteBuffer> open() throws IOException {
    long now = System.nanoTime();
    IOException last = openFailure;
    if (last != null && now - retryAt < 0) {
      throw last;
    }
    try {
      Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND))
          .close();
      openFailure = null;
    } catch (IOException e) {
      retryAt = now + RETRY_NANOS;
      openFailure = e;
      throw e;
    }
    FileAppender<ByteBuffer> opened = rotation.isOwn() ? new RotatingFile() : new PlainFile();
    opened.setContext(context);
    opened.setFile(file.toString());
    opened.setEncoder(new Batches());
    opened.start();
    appender = opened;
    return opened;
  }

  private WholeLines stream(String name) throws IOException {
    try {
      return new WholeLines(Path.of(name));
    } catch (IOException e) {
      failure = new IOException(name + ": " + FailureText.of(e), e);
      throw e;
    }
  }

  /** A file that another program rotates. Threading: confined to the thread of one log. */
  private final class PlainFile extends FileAppender<ByteBuffer> {
    @Override
    public void openFile(String name) throws IOException {
      setOutputStream(stream(name));
    }
  }

  /** A file that Logback rotates. Threading: confined to the thread of one log. */
  private final class RotatingFile extends RollingFileAppender<ByteBuffer> {
    @Override
    public void start() {
      SizeAndTimeBasedRollingPolicy<ByteBuffer> policy = new SizeAndTimeBasedRollingPolicy<>();
      policy.setContext(getContext());
      policy.setParent(this);
      policy.setFileNamePattern(file + ".%d{yyyy-MM-dd}.%i" + (rotation.compress() ? ".gz" : ""));
      policy.setMaxFileSize(new FileSize(rotation.maxSize()));
      policy.setMaxHistory(rotation.keep());
      policy.setTotalSizeCap(new FileSize(rotation.maxTotalSize()));
      policy.start();
      setRollingPolicy(policy);
      setTriggeringPolicy(policy.getTimeBasedFileNamingAndTriggeringPolicy());
      super.start();
    }

    @Override
    public void openFile(String name) throws IOException {
      setOutputStream(stream(name));
    }
  }

  /** Passes batches unchanged. Threading: confined to the thread of one log. */
  private static final class Batches extends EncoderBase<ByteBuffer> {
    @Override
    public byte[] headerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] encode(ByteBuffer batch) {
      byte[] octets = new byte[batch.remaining()];
      batch.get(octets);
      return octets;
    }

    @Override
    public byte[] footerBytes() {
      return new byte[0];
    }
  }

  /**
   * The open file. A write that fails leaves no part of a line. The failure is kept, since an
   * appender that sees it would stop.
   *
   * <p>Threading: confined to the thread of one log.
   */
  private final class WholeLines extends OutputStream {
    private final FileChannel channel;

    WholeLines(Path path) throws IOException {
      channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public void write(int octet) {
      write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] octets, int offset, int count) {
      try {
        long before = channel.size();
        ByteBuffer rest = ByteBuffer.wrap(octets, offset, count);
        try {
          while (rest.hasRemaining()) {
            channel.write(rest);
          }
        } catch (IOException e) {
          removePart(before, rest.position() - offset);
          throw e;
        }
      } catch (IOException e) {
        failure = new IOException(file + ": " + FailureText.of(e), e);
      }
    }

    /** Removes the part of a line, unless another process has appended lines behind it. */
    private void removePart(long before, int written) throws IOException {
      if (channel.size() == before + written) {
        channel.truncate(before);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
