// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proofs of coverage outlive a process. */
class CoverageFileTest {
  @TempDir private Path directory;

  private Path path() {
    return directory.resolve("feeds");
  }

  @Test
  void storedProofsAreReadAgain() {
    try (CoverageFile file = new CoverageFile(path())) {
      file.store("a", "rules", 37);
      file.store("b", "rules", 1);
      file.store("a", "rules", 38);
    }
    try (CoverageFile file = new CoverageFile(path())) {
      assertThat(file.changes("a", "rules")).isEqualTo(38);
      assertThat(file.changes("b", "rules")).isEqualTo(1);
      assertThat(file.changes("a", "other rules")).isZero();
      assertThat(file.changes("c", "rules")).isZero();
    }
  }

  @Test
  void theFeedThatWasStoredLongestAgoMakesRoom() {
    try (CoverageFile file = new CoverageFile(path())) {
      for (int feed = 0; feed < 1_000; feed++) {
        file.store("feed" + feed, "rules", 1);
      }
      file.store("feed0", "rules", 2);
      file.store("new", "rules", 3);
      assertThat(file.changes("new", "rules")).isEqualTo(3);
      assertThat(file.changes("feed0", "rules")).isEqualTo(2);
      assertThat(file.changes("feed1", "rules")).isZero();
    }
  }

  /** A file of another form, or with octets that are no text, proves nothing. */
  @Test
  void aMalformedFileProvesNothing() throws IOException {
    for (String text :
        new String[] {
          "a rules 37\n",
          "# stoa feeds 1\na rules\na rules -5\na rules 99999999999\na rules x\na  37\n",
          "\0\0\0"
        }) {
      Files.writeString(path(), text);
      try (CoverageFile file = new CoverageFile(path())) {
        assertThat(file.changes("a", "rules")).isZero();
      }
    }
    Files.write(path(), new byte[] {(byte) 0xff, (byte) 0xfe});
    try (CoverageFile file = new CoverageFile(path())) {
      assertThat(file.changes("a", "rules")).isZero();
    }
  }

  /** A place where no file can be written costs the proof of the next start alone. */
  @Test
  void aFileThatCannotBeWrittenCostsOnlyTheProof() {
    Path nowhere = directory.resolve("nowhere/feeds");
    try (CoverageFile file = new CoverageFile(nowhere)) {
      file.store("a", "rules", 37);
      assertThat(file.changes("a", "rules")).isEqualTo(37);
    }
    assertThat(nowhere).doesNotExist();
  }

  @Test
  void nothingIsWrittenWithoutAFile() {
    try (CoverageFile file = new CoverageFile(null)) {
      file.store("a", "rules", 37);
      assertThat(file.changes("a", "rules")).isZero();
    }
    assertThat(directory).isEmptyDirectory();
  }
}
