// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shells complete names that the running Stoa has, and nothing without a Stoa. */
class CompletionIT {
  /** Stands for a stoactl that knows servers and feeds. */
  private static final String STOACTL =
      """
      #!/bin/sh
      [ "$1" = complete ] || exit 2
      case "$2" in
        servers) printf 'ldap://ldap1:389\\nldap://ldap2:389\\n' ;;
        feeds) printf 'dc=example,dc=com\\nou=two words,dc=x\\n' ;;
        *) echo "stoactl: no Stoa" >&2; exit 3 ;;
      esac
      """;

  private static final String BASH =
      "source \"$0/stoactl.bash\"; compopt() { :; }; COMP_LINE=\"$1\"; COMP_POINT=${#COMP_LINE};"
          + " shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _complete_stoactl;"
          + " printf '%s\\n' \"${COMPREPLY[@]}\"";

  private static final String ZSH =
      """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D"
      zpty -w shell "bindkey '^I' complete-word; print rea''dy"
      zpty -r shell line '*ready*'
      zpty -w -n shell "$2"$'\\t'
      zpty -r shell line "*$3*"
      print -r -- "$line"
      """;

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    Path stoactl = Files.writeString(folder.resolve("stoactl"), STOACTL);
    assertThat(stoactl.toFile().setExecutable(true)).isTrue();
  }

  private static String completion() {
    return Packages.generated().resolve("completion").toString();
  }

  private String run(String... command) {
    String path = folder + ":" + System.getenv("PATH");
    return Commands.run(List.of(command), Map.of("PATH", path, "TERM", "dumb")).ok();
  }

  /** Completes a line, whose last word readline has split at each colon and equals sign. */
  private String bash(String line, String... words) {
    List<String> command = new ArrayList<>(List.of("bash", "-c", BASH, completion(), line));
    command.addAll(List.of(words));
    return run(command.toArray(String[]::new));
  }

  private String fish(String line) {
    String script = "source " + completion() + "/stoactl.fish; complete -C '" + line + "'";
    return run("fish", "--no-config", "-c", script);
  }

  @Test
  void bashCompletesNames() {
    String drain = "stoactl backends drain ";
    assertThat(bash(drain, "stoactl", "backends", "drain", ""))
        .isEqualTo("ldap://ldap1:389\nldap://ldap2:389\n");
    String[] words = {"stoactl", "backends", "drain", "ldap", ":", "//ldap2"};
    assertThat(bash(drain + "ldap://ldap2", words)).isEqualTo("//ldap2:389\n");
    String[] base = {"stoactl", "feeds", "show", "dc", "=", "ex"};
    assertThat(bash("stoactl feeds show dc=ex", base)).isEqualTo("example,dc=com\n");
    assertThat(bash("stoactl feeds show ou", "stoactl", "feeds", "show", "ou"))
        .isEqualTo("ou=two\\ words\\,dc=x\n");
    assertThat(bash("stoactl config get ", "stoactl", "config", "get", "")).isEqualTo("\n");
    String[] weight = {"stoactl", "backends", "weight", "1", ""};
    assertThat(bash("stoactl backends weight 1 ", weight)).isEqualTo("\n");
  }

  @Test
  void fishCompletesNames() {
    assertThat(fish("stoactl backends drain ")).isEqualTo("ldap://ldap1:389\nldap://ldap2:389\n");
    assertThat(fish("stoactl feeds show o")).contains("ou=two words,dc=x");
    assertThat(fish("stoactl config get ")).isEmpty();
  }

  @Test
  void zshCompletesNames() {
    String line = "stoactl feeds show d";
    String[] zsh = {
      "timeout", "60", "zsh", "-f", "-c", ZSH, "zsh", completion(), line, "dc=example,dc=com"
    };
    assertThat(run(zsh)).contains("dc=example,dc=com");
  }
}
