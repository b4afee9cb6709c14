// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static io.stoa.packaging.Manifests.at;
import static io.stoa.packaging.Manifests.has;
import static io.stoa.packaging.Manifests.list;
import static io.stoa.packaging.Manifests.named;
import static io.stoa.packaging.Manifests.number;
import static io.stoa.packaging.Manifests.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.stoa.server.config.DefaultsPrinter;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The manifests for Kubernetes. The official Java client judges their fields: its models are
 * generated from the OpenAPI description of Kubernetes, and reject unknown fields. Ports, labels
 * and times agree with each other and with the configuration. No cluster is asked.
 */
class ManifestsTest {
  private static final Map<String, Class<?>> MODELS =
      Map.of(
          "ConfigMap", V1ConfigMap.class,
          "Deployment", V1Deployment.class,
          "NetworkPolicy", V1NetworkPolicy.class,
          "PodDisruptionBudget", V1PodDisruptionBudget.class,
          "Service", V1Service.class);
  private static final Pattern LISTENER = Pattern.compile("(?m)0\\.0\\.0\\.0:(\\d+)$");

  /** Seconds beyond drainTimeout, as the systemd unit has them. */
  private static final int MARGIN = 20;

  private final Manifests manifests = Manifests.read();
  private final Object deployment = manifests.kind("Deployment");
  private final Object pod = at(deployment, "spec.template.spec");
  private final Object container = manifests.container();

  ManifestsTest() throws IOException {}

  @Test
  void everyKindIsThere() {
    assertThat(manifests.byKind().keySet()).isEqualTo(new TreeSet<>(MODELS.keySet()));
  }

  @TestFactory
  Stream<DynamicTest> theClientAcceptsEveryManifest() {
    return manifests.byKind().entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(), () -> validate(entry.getKey(), entry.getValue())));
  }

  /** The client finds each kind of mistake, at each depth. */
  @Test
  void theClientRejectsMistakes() throws IOException {
    rejects("readOnlyRootFilesystem:", "readonlyRootFilesystem:", "readonlyRootFilesystem");
    rejects("periodSeconds: 10", "periodSecond: 10", "periodSecond");
    rejects("replicas: 2", "replicas: two", "two");
    rejects("topologyKey: kubernetes.io/hostname", "topology: x", "topology");
    rejects("  selector:", "  selectors:", "selectors");
    rejects("key: feed-password", "kee: feed-password", "kee");
  }

  private static void rejects(String right, String wrong, String message) throws IOException {
    String yaml = Files.readString(Repository.root().resolve("contrib/kubernetes/deployment.yaml"));
    assertThat(yaml).contains(right);
    Object manifest = Manifests.parse(yaml.replace(right, wrong));
    assertThatThrownBy(() -> validate("Deployment", manifest)).hasMessageContaining(message);
  }

  /** Checks the names of all fields, then their types. */
  private static void validate(String kind, Object manifest) throws Exception {
    JsonElement json = new Gson().toJsonTree(manifest);
    Class<?> model = MODELS.get(kind);
    try {
      model.getMethod("validateJsonElement", JsonElement.class).invoke(null, json);
    } catch (InvocationTargetException e) {
      throw new AssertionError(kind + ": " + e.getCause().getMessage(), e);
    }
    Object parsed = JSON.getGson().fromJson(json, (Type) model);
    assertThat(parsed).isInstanceOf(model);
  }

  @Test
  void portsAgree() {
    Set<String> listeners = new TreeSet<>();
    Matcher matcher = LISTENER.matcher(manifests.configuration());
    while (matcher.find()) {
      listeners.add(matcher.group(1));
    }
    List<?> ports = list(container, "ports");
    assertThat(ports.stream().map(port -> text(port, "containerPort")))
        .containsExactlyInAnyOrderElementsOf(listeners);
    Stream<?> offered =
        Stream.of(
                list(manifests.kind("Service"), "spec.ports").stream()
                    .map(port -> at(port, "targetPort")),
                list(manifests.kind("NetworkPolicy"), "spec.ingress").stream()
                    .flatMap(rule -> list(rule, "ports").stream())
                    .map(port -> at(port, "port")),
                Stream.of("startupProbe", "livenessProbe", "readinessProbe")
                    .map(probe -> at(container, probe + ".httpGet.port")))
            .flatMap(names -> names);
    assertThat(offered).hasSize(8).allSatisfy(name -> named(ports, name.toString()));
    assertThat(manifests.configuration())
        .contains("ldaps://0.0.0.0:" + text(named(ports, "ldaps"), "containerPort"))
        .contains("\n  listen: 0.0.0.0:" + text(named(ports, "management"), "containerPort"));
  }

  /** The image declares the same ports and the same user, and has the version of the pom. */
  @Test
  void theImageHasThePortsTheUserAndTheVersion() throws IOException {
    String image = Files.readString(Repository.root().resolve("packaging/image/pom.xml"));
    for (Object port : list(container, "ports")) {
      assertThat(image).contains("<port>" + text(port, "containerPort") + "</port>");
    }
    String user = text(pod, "securityContext.runAsUser");
    assertThat(image).contains("<user>" + user + ":" + user + "</user>");
    String pom = Files.readString(Repository.root().resolve("packaging/pom.xml"));
    String version = text(container, "image").replaceFirst(".*/stoa:", "");
    assertThat(pom).contains("<version>" + version + "</version>");
  }

  @Test
  void egressHasThePortsOfTheDirectories() {
    assertThat(manifests.configuration()).contains("- ldaps://ldap1.example.com\n");
    Object directories = list(manifests.kind("NetworkPolicy"), "spec.egress").get(0);
    assertThat(list(directories, "ports")).singleElement().isEqualTo(Map.of("port", 636));
  }

  @Test
  void selectorsMatchTheLabelsOfThePod() {
    Object labels = at(deployment, "spec.template.metadata.labels");
    assertThat(at(deployment, "spec.selector.matchLabels")).isEqualTo(labels);
    assertThat(at(manifests.kind("Service"), "spec.selector")).isEqualTo(labels);
    assertThat(at(manifests.kind("PodDisruptionBudget"), "spec.selector.matchLabels"))
        .isEqualTo(labels);
    assertThat(at(manifests.kind("NetworkPolicy"), "spec.podSelector.matchLabels"))
        .isEqualTo(labels);
    assertThat(list(pod, "topologySpreadConstraints"))
        .allSatisfy(each -> assertThat(at(each, "labelSelector.matchLabels")).isEqualTo(labels))
        .allSatisfy(
            each ->
                assertThat(list(each, "matchLabelKeys").toString())
                    .isEqualTo("[pod-template-hash]"));
  }

  /** Kubernetes kills the pod only after the drain. */
  @Test
  void thePodHasTimeToDrain() {
    assertThat(manifests.configuration()).doesNotContain("drainTimeout");
    Matcher drain = Pattern.compile("(?m)^drainTimeout: (\\d+)s$").matcher(DefaultsPrinter.print());
    assertThat(drain.find()).isTrue();
    int drainTimeout = Integer.parseInt(drain.group(1));
    List<?> preStop = list(container, "lifecycle.preStop.exec.command");
    assertThat(preStop.get(0)).isEqualTo("sleep");
    assertThat(number(pod, "terminationGracePeriodSeconds"))
        .isEqualTo(Integer.parseInt((String) preStop.get(1)) + drainTimeout + MARGIN);
  }

  @Test
  void thePodHasNoPrivileges() {
    assertThat(at(pod, "automountServiceAccountToken")).isEqualTo(false);
    assertThat(at(pod, "securityContext.runAsNonRoot")).isEqualTo(true);
    assertThat(text(pod, "securityContext.seccompProfile.type")).isEqualTo("RuntimeDefault");
    Object security = at(container, "securityContext");
    assertThat(at(security, "allowPrivilegeEscalation")).isEqualTo(false);
    assertThat(at(security, "readOnlyRootFilesystem")).isEqualTo(true);
    assertThat(list(security, "capabilities.drop").toString()).isEqualTo("[ALL]");
    assertThat(at(container, "resources.limits.memory"))
        .isEqualTo(at(container, "resources.requests.memory"));
  }

  /** The number of processors does not follow from the node. */
  @Test
  void thePodCountsItsOwnProcessors() {
    assertThat(has(at(container, "resources.limits"), "cpu")).isFalse();
    Object options = at(named(list(container, "env"), "STOA_JAVA_OPTS"), "value");
    assertThat(options).isEqualTo("-XX:ActiveProcessorCount=2");
    assertThat(at(pod, "enableServiceLinks")).isEqualTo(false);
  }

  /** A process that takes long to start is not killed, and an outage restarts none. */
  @Test
  void probesAskForWhatTheyAreFor() {
    assertThat(text(container, "startupProbe.httpGet.path")).isEqualTo("/livez");
    assertThat(text(container, "livenessProbe.httpGet.path")).isEqualTo("/livez");
    assertThat(text(container, "readinessProbe.httpGet.path")).isEqualTo("/readyz");
    assertThat(
            Stream.of("startupProbe", "livenessProbe", "readinessProbe")
                .map(probe -> text(container, probe + ".httpGet.scheme")))
        .containsOnly("HTTPS");
  }
}
