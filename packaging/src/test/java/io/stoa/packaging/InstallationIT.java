// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Leftovers;
import io.stoa.testing.NotifyReceiver;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The life of the Debian package: installed, started, reloaded, upgraded, removed, purged. */
class InstallationIT {
  private static final String UNIT = "/lib/systemd/system/stoa.service";
  private static final String INSTANCE = "/lib/systemd/system/stoa@.service";
  private static final String SOCKET = "/lib/systemd/system/stoa.socket";
  private static final String CONFIGURATION = "/etc/stoa/stoa.yaml";
  private static final String ARCHIVE = "/var/cache/stoa/classes.jsa";

  private static Path directory;
  private static Packages packages;

  private final int port = FreePort.next();
  private ScratchSystem system;

  @BeforeAll
  static void assemble() throws IOException {
    directory = Leftovers.directory("stoa-installation");
    packages = Packages.assemble(directory);
  }

  @AfterAll
  static void delete() {
    Leftovers.delete(directory);
  }

  @BeforeEach
  void createSystem() throws IOException {
    system = ScratchSystem.create();
  }

  @AfterEach
  void deleteSystem() {
    system.close();
  }

  @Test
  void packageLivesFromInstallationToPurge() throws Exception {
    install(packages.deb());
    isInstalledForItsUser();
    unitsAreAccepted();
    try (InMemoryDirectory upstream = InMemoryDirectory.start(10)) {
      configure(upstream);
      serves();
      install(Packages.withVersion(packages.deb(), "99.0", directory));
      assertThat(system.run("stoactl", "--version").ok()).startsWith("stoactl ");
      assertThat(read(CONFIGURATION)).contains(Integer.toString(upstream.port()));
      serves();
    }
    foreignArchiveIsIgnoredUntilJavaChanges();
    remove();
    purge();
  }

  /** The commands of the guide, without those that need a running systemd. */
  @Test
  void archiveIsInstalledAsTheGuideSays() throws IOException {
    Files.copy(packages.archive(), system.path("/tmp/stoa.tar.gz"));
    String guide = Files.readString(Repository.root().resolve("docs/guides/service.md"));
    String section = guide.substring(guide.indexOf("## The archive"));
    int begin = section.indexOf("```sh\n") + "```sh\n".length();
    String commands =
        section
            .substring(begin, section.indexOf("```", begin))
            .replace("dist/stoa-*.tar.gz", "/tmp/stoa.tar.gz")
            .replace("systemctl daemon-reload\n", "stoa --version\n");
    assertThat(system.run("sh", "-ec", commands).ok()).contains("Stoa ");
    String unit = "/etc/systemd/system/stoa.service";
    assertThat(system.run("systemd-analyze", "--man=no", "verify", unit).ok()).isEmpty();
    assertThat(system.run("stat", "-c", "%U:%G %a", "/etc/stoa", "/var/lib/stoa").ok())
        .isEqualTo("root:stoa 750\nstoa:stoa 755\n");
    assertThat(read("/opt/stoa/conf/stoa.yaml")).contains("upstream:");
  }

  private void install(Path deb) throws IOException {
    Path copy = system.path("/tmp/stoa.deb");
    Files.write(copy, Files.readAllBytes(deb));
    String output = system.run("dpkg", "--no-triggers", "--install", "/tmp/stoa.deb").ok();
    assertThat(output).contains("Setting up stoa").doesNotContain("warning", "error");
  }

  private void isInstalledForItsUser() throws IOException {
    assertThat(system.run("stat", "-c", "%U:%G %a", "/etc/stoa", CONFIGURATION).ok())
        .isEqualTo("root:stoa 750\nroot:stoa 640\n");
    assertThat(system.run("getent", "passwd", "stoa").ok()).contains("/usr/sbin/nologin");
    assertThat(system.run("logrotate", "--debug", "/etc/logrotate.d/stoa").ok())
        .contains("/var/log/stoa/*.log")
        .doesNotContain("error:");
    assertThat(asService("stoa", "check-config", CONFIGURATION).output())
        .contains("ldap.example.com");
  }

  /** The units and their manual pages are found. */
  private void unitsAreAccepted() {
    for (String unit : List.of(UNIT, INSTANCE, SOCKET)) {
      assertThat(system.run("systemd-analyze", "verify", unit).ok()).isEmpty();
    }
    String security = "systemd-analyze security --offline=yes --threshold=25 " + UNIT;
    assertThat(system.run("sh", "-c", security + " | tail -n 1").ok()).contains("exposure level");
  }

  /** The package makes the archive, as root, with the Java of the service. */
  private void isStartedFromItsArchive(long pid) throws IOException {
    assertThat(Files.readString(Path.of("/proc/" + pid + "/maps"))).contains(ARCHIVE);
    assertThat(system.run("stat", "-c", "%U:%G", ARCHIVE).ok()).isEqualTo("root:root\n");
    assertThat(asService("test", "-w", "/var/cache/stoa").exitCode()).isEqualTo(1);
    assertThat(asService("test", "-w", ARCHIVE).exitCode()).isEqualTo(1);
  }

  /** Another Java makes an archive foreign, and dpkg then triggers the package. */
  private void foreignArchiveIsIgnoredUntilJavaChanges() throws IOException {
    Path archive = system.path(ARCHIVE);
    Files.delete(archive);
    Files.writeString(archive, "made by another Java");
    assertThat(system.run("stoa", "--version").ok().lines())
        .allMatch(line -> line.startsWith("Stoa ") || line.startsWith("Java "));
    String postinst = "/var/lib/dpkg/info/stoa.postinst";
    assertThat(system.run(postinst, "triggered", "/usr/lib/jvm").ok()).isEmpty();
    assertThat(archive).isReadable();
    assertThat(Files.size(archive)).isGreaterThan(10_000_000);
    makesNoArchiveWithoutJava(postinst);
  }

  /** The installation goes on, with one line about it. */
  private void makesNoArchiveWithoutJava(String postinst) throws IOException {
    Path settings = system.path("/etc/default/stoa");
    String before = Files.readString(settings);
    Files.writeString(settings, before + "JAVA_HOME=\"/nowhere\"\n");
    assertThat(system.run(postinst, "triggered", "/usr/lib/jvm").ok().lines())
        .singleElement()
        .asString()
        .contains("JAVA_HOME is /nowhere");
    Files.writeString(settings, before);
  }

  private Commands.Outcome asService(String... command) {
    List<String> all = new ArrayList<>(asStoa());
    all.addAll(List.of(command));
    return system.run(all.toArray(String[]::new));
  }

  /** The prefix of a command that runs as the unit says: with its user, and without privileges. */
  private static List<String> asStoa() {
    return List.of("setpriv", "--reuid=stoa", "--regid=stoa", "--init-groups", "--no-new-privs");
  }

  private void configure(InMemoryDirectory upstream) throws IOException {
    String format =
        """
        listen:
          - 127.0.0.1:%d
          - ldapi://%%2Frun%%2Fstoa%%2Fldapi
        upstream:
          servers:
            - ldap://127.0.0.1:%d
        management:
          listen: none
        admin:
          changes: /var/lib/stoa/changes
        """;
    Files.writeString(system.path(CONFIGURATION), format.formatted(port, upstream.port()));
    // The directories of the unit.
    for (String each : List.of("/run/stoa", "/var/lib/stoa", "/var/log/stoa")) {
      system.run("install", "-d", "-o", "stoa", "-g", "stoa", each).ok();
    }
  }

  /** Starts Stoa by its unit, uses and reloads it, and ends it. */
  private void serves() throws Exception {
    String name = "@stoa-package-" + ProcessHandle.current().pid();
    try (NotifyReceiver systemd = NotifyReceiver.at(name)) {
      Process stoa = start(systemd);
      try {
        systemd.await("READY=1");
        systemd.await("STATUS=ready");
        systemd.await("WATCHDOG=1");
        answers();
        isStartedFromItsArchive(stoa.pid());
        reloads(stoa, systemd);
        stoa.destroy();
        assertThat(stoa.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stoa.exitValue()).as(log()).isZero();
        assertThat(systemd.count("STOPPING=1")).isEqualTo(1);
      } finally {
        stoa.destroyForcibly();
      }
    }
  }

  private Process start(NotifyReceiver systemd) throws IOException {
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", systemd.address(), "WATCHDOG_USEC", "30000000", "HOME", "/");
    List<String> command = new ArrayList<>(asStoa());
    command.addAll(List.of(setting("ExecStart").split(" ")));
    return Leftovers.start(
        new ProcessBuilder(system.inside(environment, command.toArray(String[]::new)))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile()));
  }

  private String setting(String name) throws IOException {
    return read(UNIT)
        .lines()
        .filter(line -> line.startsWith(name + "="))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  private void answers() {
    String[] search = {"ldapsearch", "-x", "-LLL", "-H", "ldap://127.0.0.1:" + port, "-s", "base"};
    List<String> command = new ArrayList<>(List.of(search));
    command.addAll(List.of("-b", InMemoryDirectory.PEOPLE, "(objectClass=*)", "ou"));
    assertThat(Commands.run(command, Map.of()).ok()).contains("ou: people");
    assertThat(system.run("stoactl", "status").ok()).contains("ready");
  }

  /** SIGHUP reloads, and so does the unit's command. */
  private void reloads(Process stoa, NotifyReceiver systemd) throws IOException {
    Commands.run("kill", "-HUP", Long.toString(stoa.pid())).ok();
    systemd.awaitMore("RELOADING=1", 0);
    systemd.awaitMore("READY=1", 1);
    asService(setting("ExecReload").split(" ")).ok();
    assertThat(systemd.count("RELOADING=1")).isEqualTo(2);
    systemd.awaitMore("READY=1", 2);
  }

  private void remove() {
    system.run("dpkg", "--no-triggers", "--remove", "stoa").ok();
    assertThat(system.path("/usr/share/stoa")).doesNotExist();
    assertThat(system.path(UNIT)).doesNotExist();
    assertThat(system.path(ARCHIVE)).doesNotExist();
    assertThat(system.path(CONFIGURATION)).exists();
  }

  private void purge() {
    system.run("dpkg", "--no-triggers", "--purge", "stoa").ok();
    String[] find = {
      "find",
      "/etc",
      "/lib/systemd",
      "/usr/bin",
      "/usr/lib/sysusers.d",
      "/usr/share",
      "/var/lib",
      "/var/log",
      "-xdev",
      "-name",
      "*stoa*"
    };
    assertThat(system.run(find).ok()).isEmpty();
    assertThat(system.path("/var/cache/stoa")).doesNotExist();
    assertThat(system.run("getent", "passwd", "stoa").exitCode()).isEqualTo(2);
    assertThat(system.run("dpkg", "--status", "stoa").exitCode()).isEqualTo(1);
  }

  private String read(String file) throws IOException {
    return Files.readString(system.path(file));
  }

  private String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }
}
