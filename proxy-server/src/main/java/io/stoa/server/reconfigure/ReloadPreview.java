// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.server.config.ConfigReader.KeyValue;
import io.stoa.server.config.ConfigReader.LoadedConfig;
import io.stoa.server.reconfigure.ReloadEffect.EffectKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Computes the effects of a reload. Values of secrets and of structures are left out.
 *
 * <p>Threading: immutable.
 *
 * @param started the configuration at the start
 * @param current the present configuration
 * @param lastRead the file as last read
 * @param file the file as it is now
 * @param reloaded the configuration after a reload
 */
record ReloadPreview(
    LoadedConfig started,
    LoadedConfig current,
    LoadedConfig lastRead,
    LoadedConfig file,
    LoadedConfig reloaded) {

  /**
   * Returns the effects, those at once first.
   *
   * @param overridden names of keys changed through {@code cn=configuration}
   */
  List<ReloadEffect> effects(Set<String> overridden) {
    List<ReloadEffect> effects = new ArrayList<>(applied());
    Map<String, String> before = values(started);
    Map<String, String> after = values(reloaded);
    for (String key : reloaded.keysForRestart(started)) {
      effects.add(
          new ReloadEffect(
              EffectKind.RESTART, key, before.getOrDefault(key, ""), after.getOrDefault(key, "")));
    }
    effects.addAll(unused(overridden));
    return effects;
  }

  private List<ReloadEffect> applied() {
    List<ReloadEffect> effects = new ArrayList<>();
    Map<String, String> before = values(current);
    for (KeyValue value : reloaded.keys()) {
      String from = before.getOrDefault(value.name(), "");
      String to = text(value);
      if (value.live() && !from.equals(to)) {
        effects.add(new ReloadEffect(EffectKind.APPLIED, value.name(), from, to));
      }
    }
    List<String> hidden = new ArrayList<>(reloaded.changedSecrets(current));
    List<String> restart = reloaded.keysForRestart(started);
    reloaded.changedStructures(current).stream()
        .filter(key -> !restart.contains(key))
        .forEach(hidden::add);
    hidden.forEach(key -> effects.add(new ReloadEffect(EffectKind.APPLIED, key, "", "")));
    return effects;
  }

  /** Returns new values of the file that earlier changes override. */
  private List<ReloadEffect> unused(Set<String> overridden) {
    Map<String, String> read = values(lastRead);
    Map<String, String> running = values(reloaded);
    List<ReloadEffect> effects = new ArrayList<>();
    for (KeyValue value : file.keys()) {
      String key = value.name();
      String to = text(value);
      String from = running.getOrDefault(key, "");
      boolean isNew = !to.equals(read.getOrDefault(key, ""));
      if (overridden.contains(key) && isNew && !to.equals(from)) {
        effects.add(new ReloadEffect(EffectKind.OVERRIDDEN, key, from, to));
      }
    }
    return effects;
  }

  private static Map<String, String> values(LoadedConfig config) {
    return config.keys().stream().collect(Collectors.toMap(KeyValue::name, ReloadPreview::text));
  }

  private static String text(KeyValue value) {
    return value.values().isEmpty() ? "empty" : String.join(", ", value.values());
  }
}
