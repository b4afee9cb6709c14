// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.GuideShell;
import io.stoa.testing.GuideStep;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.Leftovers;
import io.stoa.testing.NameServer;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Repository;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The image as it is built, run by Podman: with the Deployment's privileges, and by the commands of
 * the guide. Podman sets the limit of memory in a real control group. There is no cluster: a script
 * takes the place of kubectl.
 */
class ImageIT {
  private static final String GUIDE = "docs/guides/containers.md";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String TOKEN = "0123456789abcdef";
  private static final String APPLY = "kubectl --namespace ldap apply --filename ";

  private static final Path MANIFESTS = Repository.root().resolve("contrib/kubernetes");
  private static final Pattern TIMESTAMP =
      Pattern.compile("<project.build.outputTimestamp>(.*)</project.build.outputTimestamp>");

  /** Modules that libraries use in parts which Stoa does not call. */
  private static final Set<String> OPTIONAL = Set.of("java.desktop", "java.sql", "jdk.jfr");

  /** Keeps ConfigMaps and Secrets as files; commands run in the container of the Deployment. */
  private static final String KUBECTL =
      """
      #!/bin/sh
      set -e
      [ "$1" != --namespace ] || shift 2
      case "$1 $2" in
        'create namespace' | 'label namespace' | 'rollout status') exit 0 ;;
        'exec deployment/stoa') shift 3; exec podman exec stoa-pod "$@" ;;
        'create configmap') into=cluster/configMap/$3; shift 3 ;;
        'create secret') into=cluster/secret/$4; shift 4 ;;
        *) echo "no such command: $*" >&2; exit 1 ;;
      esac
      mkdir -p "$into"
      for option in "$@"; do
        file=${option#*=}
        case $option in
          --from-file=*) cp "$file" "$into/$file" ;;
          --cert=*) cp "$file" "$into/tls.crt" ;;
          --key=*) cp "$file" "$into/tls.key" ;;
          *) echo "no such option: $option" >&2; exit 1 ;;
        esac
      done
      """;

  private static Path directory;
  private static Path image;
  private static ContainerEngine engine;

  private final Certificates certificates = Certificates.create();
  private final Certificates.Pair own = certificates.server();
  private Pod pod;
  private Slapd slapd;

  @BeforeAll
  static void load() throws IOException {
    directory = Leftovers.directory("stoa-image");
    engine = ContainerEngine.start();
    image = ContainerEngine.assemble(directory.resolve("one"));
    Path dist = Files.createDirectories(engine.path("dist"));
    Files.copy(image, dist.resolve(image.getFileName().toString()));
    engine.podman("load", "--quiet", "--input", "dist/" + image.getFileName()).ok();
  }

  /** A container that is still running ends with the engine. */
  @AfterAll
  static void delete() {
    if (engine != null) {
      try {
        engine.podman("run", "--detach", "--entrypoint", "sleep", imageName(), "1000").ok();
      } finally {
        engine.close();
      }
    }
    Leftovers.delete(directory);
  }

  @BeforeEach
  void startDirectory() throws IOException {
    pod = new Pod(engine);
    slapd = Slapd.start(People.slapd(20).tls(certificates, certificates.server()));
  }

  @AfterEach
  void stopDirectory() {
    try {
      engine.podman("rm", "--all", "--force", "--time", "0").ok();
    } finally {
      if (slapd != null) {
        slapd.close();
      }
      certificates.close();
    }
  }

  @Test
  void secondBuildGivesTheSameOctets() throws IOException {
    Path two = directory.resolve("two");
    String assemble = Repository.root().resolve("packaging/image/assemble").toString();
    String script = "umask 077; cd /; exec \"$0\" \"$1\"";
    Map<String, String> environment = Map.of("TZ", "Asia/Tokyo", "LC_ALL", "C.UTF-8");
    Commands.run(List.of("sh", "-c", script, assemble, two.toString()), environment).ok();
    assertThat(Files.mismatch(image, two.resolve(image.getFileName()))).isEqualTo(-1);
  }

  /** Programs that answer as on another machine take the place of the real ones. */
  @Test
  void theBuildNamesWhatIsMissing() throws IOException {
    assertThat(failure("getconf", "echo glibc 2.31")).contains("needs glibc 2.34 or newer");
    String dynamic = "[ $1 != -S ] || { echo busybox: $2; exit; }; exec /usr/bin/dpkg-query \"$@\"";
    assertThat(failure("dpkg-query", dynamic)).contains("busybox-static is required");
    assertThat(failure("ldd", "echo 'libz.so.1 => not found'")).contains("are not installed");
  }

  /** Returns the output of a build in which one program is a script. */
  private static String failure(String program, String script) throws IOException {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    executable(bin.resolve(program), "#!/bin/sh\n" + script + "\n");
    String assemble = Repository.root().resolve("packaging/image/assemble").toString();
    String out = directory.resolve("none").toString();
    Map<String, String> path = Map.of("PATH", bin + ":" + System.getenv("PATH"));
    Commands.Outcome outcome = Commands.run(List.of(assemble, out), path);
    Files.delete(bin.resolve(program));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(directory.resolve("none")).isEmptyDirectory();
    return outcome.output();
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void configurationHasUserCommandAndPorts() throws IOException {
    String format =
        "{{.Config.User}} {{.Config.Entrypoint}} {{.Config.Cmd}} {{.Config.ExposedPorts}}"
            + " {{.Architecture}} {{.Created.Unix}} {{.Labels}}";
    assertThat(engine.podman("image", "inspect", "--format", format, imageName()).ok())
        .startsWith("65532:65532 [/opt/stoa/bin/stoa] [run --config /etc/stoa/stoa.yaml]")
        .contains("1389/tcp", "1636/tcp", "9389/tcp", " " + timestamp() + " ")
        .contains("image.version:" + Packages.version());
  }

  /** The time of the build by the pom, in seconds since 1970. */
  private static long timestamp() throws IOException {
    String pom = Files.readString(Repository.root().resolve("pom.xml"));
    Matcher time = TIMESTAMP.matcher(pom);
    assertThat(time.find()).isTrue();
    return Instant.parse(time.group(1)).getEpochSecond();
  }

  private static String imageName() {
    return "localhost/stoa:" + Packages.version();
  }

  /** Java in the image trusts the authorities of Mozilla, and none of the build machine. */
  @Test
  void authoritiesAreThoseOfThePackage() throws Exception {
    String classes = Repository.root().resolve("packaging/target/test-classes") + ":/classes:ro";
    String main = TrustedAuthorities.class.getName();
    String[] command = {"run", "--rm", "--volume", classes, "--entrypoint", "java", imageName()};
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("-cp", "/classes", main));
    assertThat(engine.podman(all.toArray(String[]::new)).ok().lines())
        .hasSizeGreaterThan(100)
        .containsExactlyInAnyOrderElementsOf(TrustedAuthorities.ofMozilla());
  }

  /** No setuid, no device, and only directories of temporary files are writable for all. */
  @Test
  void filesHaveNoPrivileges() throws IOException {
    String root = engine.podman("image", "mount", imageName()).ok();
    String find = "cd \"$0\"; find . ! -type l -printf '%M %U:%G %P\\n'";
    List<String> files = engine.run("sh", "-ec", find, root.strip()).ok().lines().sorted().toList();
    assertThat(files).hasSizeGreaterThan(100).noneMatch(file -> file.matches("[bcps].*"));
    assertThat(files).noneMatch(file -> file.substring(0, 10).matches(".*[sS].*"));
    assertThat(files.stream().filter(file -> file.charAt(8) == 'w'))
        .containsExactly("drwxrwxrwt 0:0 tmp", "drwxrwxrwt 65532:65532 run/stoa");
    assertThat(files.stream().filter(file -> !file.contains(" 0:0 ")))
        .containsExactlyInAnyOrder(
            "drwxrwxrwt 65532:65532 run/stoa", "drwxr-xr-x 65532:65532 var/lib/stoa");
    engine.podman("image", "unmount", root.strip()).output();
  }

  /** Scanners find the versions of Java's libraries and of the shell. */
  @Test
  void packagesAreListed() {
    String script = "cd /var/lib/dpkg/status.d; cat *; grep -c bom-ref /opt/stoa/stoa.cdx.json";
    String listed = inImage("sh", "-ec", script);
    assertThat(listed)
        .contains("Package: libc6\n", "Package: zlib1g\n", "Package: busybox-static\n")
        .contains("Package: ca-certificates\n", "Package: base-files\n")
        .containsPattern("Version: 2\\.");
  }

  /** Nothing of Stoa or of its libraries needs another module. */
  @Test
  void runtimeHasTheModulesOfStoa() {
    Set<String> modules =
        inImage("java", "--list-modules")
            .lines()
            .map(line -> line.replaceFirst("@.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> needed = new TreeSet<>(imports());
    needed.removeAll(OPTIONAL);
    assertThat(needed).contains("java.naming", "jdk.management");
    assertThat(modules).containsAll(needed);
    // Providers are found by name: curves of TLS, records of DNS.
    assertThat(modules).contains("jdk.crypto.ec", "jdk.naming.dns");
  }

  private static Set<String> imports() {
    String lib = Packages.distribution().resolve("lib").toString();
    StringWriter out = new StringWriter();
    String[] arguments = {
      "--ignore-missing-deps",
      "--multi-release=17",
      "--print-module-deps",
      "-cp",
      lib + "/*",
      lib + "/proxy-server-" + Packages.version() + ".jar",
      lib + "/proxy-core-" + Packages.version() + ".jar",
      lib + "/admin-cli-" + Packages.version() + ".jar"
    };
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    PrintWriter writer = new PrintWriter(out);
    assertThat(jdeps.run(writer, writer, arguments)).as(out.toString()).isZero();
    return Set.copyOf(Arrays.asList(out.toString().strip().split(",")));
  }

  private static String inImage(String... command) {
    String[] arguments = Arrays.copyOfRange(command, 1, command.length);
    List<String> all = new ArrayList<>(List.of("run", "--rm", "--read-only"));
    all.addAll(List.of("--entrypoint", command[0], imageName()));
    all.addAll(List.of(arguments));
    return engine.podman(all.toArray(String[]::new)).ok();
  }

  /** The pod of the manifests, from its check to its drain. DNS names its directory server. */
  @Test
  void podServesWithoutWritingAFile() throws Exception {
    createObjects();
    pod.applyAsWritten();
    assertThat(pod.runOnce("check-config", "/etc/stoa/stoa.yaml").ok()).contains("stoa.yaml: ok");
    try (NameServer names = NameServer.start()) {
      names.tell(new NameServer.Service(0, 1, slapd.tlsPort(), "localhost"));
      pod.apply("    - ldaps+srv://example.com\n  nameServer: " + names.address() + "\n");
      pod.start();
      Await.until("the pod is ready", () -> health("/readyz") == 200);
    }
    healthIsShown();
    answers("ldap://127.0.0.1:" + pod.ldap);
    answers("ldaps://127.0.0.1:" + pod.ldaps);
    memoryFollowsFromTheLimit();
    nothingIsUnpacked();
    endsAfterADrain();
  }

  private void healthIsShown() throws InterruptedException {
    assertThat(health("/livez")).isEqualTo(200);
    assertThat(health("/metrics")).isEqualTo(401);
    assertThat(health("/metrics", "Authorization", "Bearer " + TOKEN)).isEqualTo(200);
    assertThat(pod.exec("stoactl", "status").ok()).contains("state       ready");
    // The command of preStop.
    pod.exec("sleep", "0").ok();
  }

  private void createObjects() throws IOException {
    pod.create("configMap/stoa-directory-ca/ca.crt", Files.readString(certificates.ca()));
    pod.create("secret/stoa-tls/tls.crt", Files.readString(own.certificate()));
    pod.create("secret/stoa-tls/tls.key", Files.readString(own.key()));
    pod.create("secret/stoa/feed-password", SlapdConfig.ROOT_PASSWORD);
    pod.create("secret/stoa/management-token", TOKEN);
  }

  /** The status of a request over TLS. The kubelet sends no headers, and so no token. */
  private int health(String path, String... headers) throws InterruptedException {
    URI uri = URI.create("https://127.0.0.1:" + pod.management + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(PATIENCE);
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpClient client = HttpClient.newBuilder().sslContext(certificates.clientContext()).build();
    try {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (IOException notYet) {
      return 0;
    }
  }

  private void answers(String url) {
    assertThat(search(url, People.PASSWORD).text()).contains("uid: ");
    assertThat(search(url, "wrong").code()).isEqualTo(49);
  }

  private LdapCommand.Output search(String url, String password) {
    String[] command = {"ldapsearch", "-x", "-LLL", "-H", url, "-D", People.dn(1)};
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("-w", password, "-s", "base", "-b", People.dn(1), "(uid=*)", "uid"));
    return LdapCommand.run(certificates.ca(), all.toArray(String[]::new));
  }

  /** Half of the limit for the heap, a quarter of the heap for caches, a fifth outside of it. */
  private void memoryFollowsFromTheLimit() {
    assertThat(pod.memory()).isEqualTo("1Gi");
    assertThat(pod.exec("cat", "/proc/1/cmdline").ok().split("\0"))
        .contains("-XX:MaxRAM=1024m", "-XX:MaxRAMPercentage=50", "-XX:MaxDirectMemorySize=204m")
        .contains("/opt/java/bin/java", "-XX:ActiveProcessorCount=2");
    assertThat(pod.exec("stoactl", "cache", "stats").ok()).contains("of 134,217,728\n");
  }

  /**
   * Native libraries come from the image, and no file system is writable but that of the socket.
   */
  private void nothingIsUnpacked() {
    assertThat(pod.exec("cat", "/proc/1/maps").ok())
        .contains("/usr/java/packages/lib/libnetty_transport_native_epoll_")
        .contains("/usr/java/packages/lib/libnetty_tcnative_linux_")
        .doesNotContain("/tmp/");
    assertThat(pod.exec("cat", "/proc/1/status").ok())
        .containsPattern("CapEff:\t0{16}\n")
        .containsPattern("CapBnd:\t0{16}\n")
        .containsPattern("Uid:\t65532\t65532\t")
        .contains("NoNewPrivs:\t1\n");
    assertThat(pod.exec("sh", "-c", ">/tmp/x").output()).contains("Read-only file system");
    assertThat(pod.exec("ls", "/run/stoa").ok()).isEqualTo("ldapi\n");
    // Podman itself creates files in /etc to mount its own over them.
    assertThat(engine.podman("diff", Pod.NAME).ok()).isIn("", "C /etc\n");
  }

  /** SIGTERM: an idle client gets a notice, and the exit code is 0. */
  private void endsAfterADrain() {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), pod.ldap);
    try (RawLdapClient client = RawLdapClient.connect(address)) {
      client.bind(People.dn(1), People.PASSWORD);
      engine.podman("stop", "--time", "60", Pod.NAME).ok();
      assertThat(client.next()).map(RawMessage::messageId).contains(0);
    }
    String state = "{{.State.ExitCode}} {{.State.OOMKilled}}";
    assertThat(engine.podman("inspect", "--format", state, Pod.NAME).ok()).isEqualTo("0 false\n");
    assertThat(engine.podman("logs", Pod.NAME).ok()).contains("drained: ");
  }

  /** The commands of the guide. */
  @Test
  void everyCommandOfTheGuideDoesAsItSays() throws Exception {
    prepareFilesOfTheGuide();
    List<GuideStep> steps = GuideStep.of(GUIDE);
    assertThat(steps).hasSizeGreaterThan(15);
    try (GuideShell shell = new GuideShell(names(), engine.inside("bash").toArray(String[]::new))) {
      for (GuideStep step : steps) {
        if (step.command().startsWith(APPLY)) {
          Path applied = engine.path(step.command().substring(APPLY.length()));
          assertThat(Files.readAllBytes(applied.resolve("deployment.yaml")))
              .isEqualTo(Files.readAllBytes(MANIFESTS.resolve("deployment.yaml")));
          pod.apply("    - " + slapd.ldapsUrl() + "\n");
          pod.start();
          Await.until("the pod is ready", () -> health("/readyz") == 200);
        } else {
          List<String> lines = shell.run(step.command());
          String log = engine.podman("logs", "stoa").output();
          assertThat(shell.code()).as(step.command() + lines + log).isZero();
          step.compare(lines);
        }
      }
    }
  }

  private void prepareFilesOfTheGuide() throws IOException {
    Files.copy(certificates.ca(), engine.path("ca.crt"));
    Files.copy(own.certificate(), engine.path("tls.crt"));
    Files.copy(own.key(), engine.path("tls.key"));
    Files.writeString(engine.path("password.txt"), SlapdConfig.ROOT_PASSWORD + "\n");
    Path copy = Files.createDirectories(engine.path("contrib/kubernetes"));
    try (Stream<Path> files = Files.list(MANIFESTS)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName().toString()));
      }
    }
    executable(engine.path("bin/kubectl"), KUBECTL);
  }

  private Map<String, String> names() {
    Map<String, String> here = new HashMap<>();
    here.put("VERSION", Packages.version());
    here.put("0.0.0.0:1389", "127.0.0.1:" + FreePort.next());
    here.put("ldap://ldap1.example.com", slapd.url());
    return here;
  }
}
