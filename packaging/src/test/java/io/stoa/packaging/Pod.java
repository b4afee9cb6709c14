// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static io.stoa.packaging.Manifests.at;
import static io.stoa.packaging.Manifests.has;
import static io.stoa.packaging.Manifests.list;
import static io.stoa.packaging.Manifests.named;
import static io.stoa.packaging.Manifests.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The container of the Deployment, run by Podman: its user, privileges, memory and volumes are
 * those of the manifest. Configuration, certificates and secrets come from a directory tree in
 * place of a cluster, with a directory for each ConfigMap and each Secret. Addresses are those of
 * the machine. Not thread-safe.
 */
final class Pod {
  static final String NAME = "stoa-pod";
  private static final String CLUSTER = "cluster";
  private static final String SERVERS =
      "    - ldaps://ldap1.example.com\n    - ldaps://ldap2.example.com\n";
  private static final String CONFIGURATION = "pod";

  private final ContainerEngine engine;
  private final Manifests manifests = Manifests.read();
  private final Object spec = at(manifests.kind("Deployment"), "spec.template.spec");
  private final Object container = manifests.container();
  final int ldap = FreePort.next();
  final int ldaps = FreePort.next();
  final int management = FreePort.next();

  Pod(ContainerEngine engine) throws IOException {
    this.engine = engine;
  }

  /** Creates a value of a ConfigMap or a Secret, such as {@code secret/stoa/feed-password}. */
  void create(String name, String value) throws IOException {
    Path file = engine.path(CLUSTER + "/" + name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, value);
  }

  /** Writes the ConfigMap of the manifests. */
  void applyAsWritten() throws IOException {
    create("configMap/stoa/stoa.yaml", manifests.configuration());
    project();
  }

  /**
   * Writes the ConfigMap of the manifests for this machine.
   *
   * @param upstream lines in place of the two directory servers
   */
  void apply(String upstream) throws IOException {
    String configuration = manifests.configuration();
    assertThat(configuration).contains(SERVERS, "0.0.0.0:1389", "bindDn: ");
    create(
        "configMap/stoa/stoa.yaml",
        configuration
            .replace(SERVERS, upstream)
            .replaceFirst("bindDn: .*", "bindDn: " + People.ROOT)
            .replace("0.0.0.0:1389", "127.0.0.1:" + ldap)
            .replace("0.0.0.0:1636", "127.0.0.1:" + ldaps)
            .replace("0.0.0.0:9389", "127.0.0.1:" + management));
    project();
  }

  /** Makes the projected volume: owned by root and the group of the pod, as the kubelet does. */
  private void project() throws IOException {
    Object volume = at(named(list(spec, "volumes"), "configuration"), "projected");
    for (Object source : list(volume, "sources")) {
      String kind = ((Map<?, ?>) source).keySet().iterator().next().toString();
      Object object = at(source, kind);
      String directory = CLUSTER + "/" + kind + "/" + text(object, "name") + "/";
      if (has(object, "items")) {
        for (Object item : list(object, "items")) {
          copy(directory + text(item, "key"), text(item, "path"));
        }
      } else {
        try (Stream<Path> files = Files.list(engine.path(directory))) {
          for (Path file : files.toList()) {
            copy(directory + file.getFileName(), file.getFileName().toString());
          }
        }
      }
    }
    String group = text(spec, "securityContext.fsGroup");
    String mode = String.format(Locale.ROOT, "%o", Manifests.number(volume, "defaultMode"));
    engine.run("chown", "-R", "0:" + group, CONFIGURATION).ok();
    engine.run("find", CONFIGURATION, "-type", "f", "-exec", "chmod", mode, "{}", "+").ok();
  }

  private void copy(String from, String to) throws IOException {
    Path target = engine.path(CONFIGURATION + "/" + to);
    Files.createDirectories(target.getParent());
    Files.write(target, Files.readAllBytes(engine.path(from)));
  }

  /** Runs a command of the image to its end, in place of that of the pod. */
  Commands.Outcome runOnce(String... arguments) {
    List<String> all = options("run", "--rm");
    all.addAll(List.of(arguments));
    return engine.podman(all.toArray(String[]::new));
  }

  void start() {
    engine.podman(options("run", "--detach", "--name", NAME).toArray(String[]::new)).ok();
  }

  Commands.Outcome exec(String... command) {
    List<String> all = new ArrayList<>(List.of("exec", NAME));
    all.addAll(List.of(command));
    return engine.podman(all.toArray(String[]::new));
  }

  /** The options of Podman that say the same as the manifest. */
  private List<String> options(String... command) {
    List<String> options = new ArrayList<>(List.of(command));
    String user = text(spec, "securityContext.runAsUser");
    String group = text(spec, "securityContext.runAsGroup");
    options.addAll(List.of("--user", user + ":" + group));
    options.addAll(List.of("--group-add", text(spec, "securityContext.fsGroup")));
    Object security = at(container, "securityContext");
    assertThat(at(security, "readOnlyRootFilesystem")).isEqualTo(true);
    options.addAll(List.of("--read-only", "--read-only-tmpfs=false"));
    assertThat(at(security, "allowPrivilegeEscalation")).isEqualTo(false);
    options.addAll(List.of("--security-opt", "no-new-privileges"));
    for (Object capability : list(security, "capabilities.drop")) {
      options.addAll(List.of("--cap-drop", capability.toString()));
    }
    options.addAll(List.of("--memory", memory().replace("Gi", "g")));
    for (Object variable : list(container, "env")) {
      options.addAll(List.of("--env", text(variable, "name") + "=" + text(variable, "value")));
    }
    for (Object mount : list(container, "volumeMounts")) {
      options.addAll(volume(text(mount, "name"), text(mount, "mountPath")));
    }
    options.add("localhost/stoa:" + Packages.version());
    return options;
  }

  /** The limit of memory, such as 1Gi. */
  String memory() {
    return text(container, "resources.limits.memory");
  }

  private List<String> volume(String name, String path) {
    Object volume = named(list(spec, "volumes"), name);
    if (has(volume, "projected")) {
      return List.of("--volume", engine.name(CONFIGURATION) + ":" + path + ":ro");
    }
    assertThat(text(volume, "emptyDir.medium")).isEqualTo("Memory");
    return List.of("--tmpfs", path);
  }
}
