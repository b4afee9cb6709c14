// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that dpkg runs after an installation, with another file of settings and no root. */
class PostinstIT {
  private static final String SETTINGS = "/etc/default/stoa";

  /** Stands for the command, and prints the settings that it was given. */
  private static final String COMMAND =
      """
      #!/bin/sh
      echo "$1 [$JAVA_HOME] [$STOA_JAVA_OPTS] [$STOA_MEMORY]" >&2
      """;

  @TempDir Path directory;
  private Path settings;
  private Path postinst;

  @BeforeEach
  void install() throws IOException {
    settings = directory.resolve("settings");
    Path command = Files.writeString(directory.resolve("stoa"), COMMAND);
    Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
    Path script = Repository.root().resolve("packaging/src/debian/postinst");
    String text = Files.readString(script);
    assertThat(text).contains(SETTINGS);
    postinst = directory.resolve("postinst");
    Files.writeString(postinst, text.replace(SETTINGS, settings.toString()));
  }

  /** Runs the script as dpkg does when Java has changed. */
  private String triggered() {
    List<String> command = List.of("sh", postinst.toString(), "triggered", "/usr/lib/jvm");
    return Commands.run(command, Map.of("PATH", directory + ":/usr/bin:/bin")).ok();
  }

  private String triggered(String text) throws IOException {
    Files.writeString(settings, text);
    return triggered();
  }

  @Test
  void settingsAreThoseOfTheService() throws IOException {
    assertThat(triggered("JAVA_HOME=/opt/java\nSTOA_JAVA_OPTS=\"-Xmx1g -Xms1g\"\nSTOA_MEMORY=512"))
        .isEqualTo("class-archive [/opt/java] [-Xmx1g -Xms1g] [512]\n");
    assertThat(triggered("#JAVA_HOME=/a\nJAVA_HOME=/b\n JAVA_HOME='/c'\nMY_JAVA_HOME=/d\n"))
        .isEqualTo("class-archive [/c] [] []\n");
  }

  /** As systemd.exec(5) says of EnvironmentFile. */
  @Test
  void backslashContinuesALine() throws IOException {
    assertThat(triggered("STOA_JAVA_OPTS=-Xmx1g \\\n -XX:+UseZGC \\\n-Xms1g\nSTOA_MEMORY=512\n"))
        .isEqualTo("class-archive [] [-Xmx1g  -XX:+UseZGC -Xms1g] [512]\n");
    assertThat(triggered("STOA_JAVA_OPTS=\"-Xmx1g \\\n-XX:+UseZGC\"\n"))
        .isEqualTo("class-archive [] [-Xmx1g -XX:+UseZGC] []\n");
    assertThat(triggered("STOA_MEMORY=512\\")).isEqualTo("class-archive [] [] [512]\n");
  }

  @Test
  void settingsMayBeMissing() {
    assertThat(triggered()).isEqualTo("class-archive [] [] []\n");
  }
}
