// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The manifests of contrib/kubernetes, one for each kind. Immutable.
 *
 * @param byKind each manifest as maps and lists
 */
record Manifests(Map<String, Object> byKind) {
  static Manifests read() throws IOException {
    Map<String, Object> byKind = new TreeMap<>();
    Path directory = Repository.root().resolve("contrib/kubernetes");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.yaml")) {
      for (Path file : files) {
        Object manifest = parse(Files.readString(file));
        assertThat(byKind.put(text(manifest, "kind"), manifest)).as(file.toString()).isNull();
      }
    }
    return new Manifests(byKind);
  }

  static Object parse(String yaml) {
    return new Load(LoadSettings.builder().build()).loadFromString(yaml);
  }

  Object kind(String kind) {
    assertThat(byKind).containsKey(kind);
    return byKind.get(kind);
  }

  /** The only container of a pod. */
  Object container() {
    List<?> containers = list(kind("Deployment"), "spec.template.spec.containers");
    assertThat(containers).hasSize(1);
    return containers.get(0);
  }

  /** The configuration file of Stoa. */
  String configuration() {
    return (String) ((Map<?, ?>) at(kind("ConfigMap"), "data")).get("stoa.yaml");
  }

  /** The value at a path of keys, which are separated by dots. */
  static Object at(Object node, String path) {
    Object found = node;
    for (String key : path.split("\\.")) {
      assertThat(found).as(path).isInstanceOf(Map.class);
      assertThat(has(found, key)).as(path).isTrue();
      found = ((Map<?, ?>) found).get(key);
    }
    return found;
  }

  static String text(Object node, String path) {
    return at(node, path).toString();
  }

  static int number(Object node, String path) {
    return (Integer) at(node, path);
  }

  static List<?> list(Object node, String path) {
    return (List<?>) at(node, path);
  }

  static boolean has(Object node, String key) {
    return ((Map<?, ?>) node).containsKey(key);
  }

  /** The element of a list that has this name. */
  static Object named(List<?> list, String name) {
    return list.stream()
        .filter(element -> text(element, "name").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + list));
  }
}
