// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.Environment;
import io.stoa.cli.Stoactl;
import io.stoa.metrics.ProxyMeters;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;

/**
 * Each key, metric, attribute, command and option that a document names exists. CONTRIBUTING says
 * by which form a name is recognised. Keys are those of the generated tables of
 * docs/reference/configuration.md.
 */
class DocumentedNamesTest {
  /** Names of other products. */
  private static final Set<String> FOREIGN =
      Set.of(
          "com.unboundid.ldap.protocol",
          "conn_max_pending",
          "conn_max_pending_auth",
          "dn.base",
          "dn.children",
          "dn.exact",
          "dn.one",
          "dn.regex",
          "dn.subtree",
          "io.netty.channel",
          "io.netty.util.concurrent",
          "java.naming.ldap.derefAliases",
          "kadmin.local",
          "ldap.example.com",
          "peername.ip",
          "requests.cpu",
          "ppolicy_forward_updates",
          "ppolicy_send_netscape_controls",
          "req_ssl_sni",
          "restrict_control",
          "restrict_exop",
          "size.pr",
          "size.prtotal",
          "slapd.d",
          "stoa.service",
          "stoa.socket",
          "stoa.yaml.changes",
          "tls_ssf",
          "yaml.disableDefaultProperties");

  private static final Pattern FENCE = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```");
  private static final Pattern SECTION = Pattern.compile("\\A *[a-z]+:\\n");
  private static final LoadSettings YAML =
      LoadSettings.builder().setAllowDuplicateKeys(true).build();
  private static final Pattern SPAN = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern DOTTED =
      Pattern.compile("([a-z][A-Za-z0-9]*(?:\\.[a-z][A-Za-z0-9]*)+)(?::.*|\\.…)?");
  private static final Pattern CLASS = Pattern.compile("(?:[a-z0-9]+\\.)+[A-Z]\\w*");
  private static final Pattern FILE =
      Pattern.compile(".*\\.(md|txt|svg|csv|conf|yaml|yml|properties|json)");
  private static final Pattern METRIC = Pattern.compile("(stoa_[a-z_]*)(…|\\{.*)?");
  private static final Pattern ATTRIBUTE =
      Pattern.compile("(?:stoa|olm)[A-Z]\\w*|[a-z0-9]+(?:_[a-z0-9]+)+");
  private static final Pattern COMMAND =
      Pattern.compile("(?:\\$ |sudo |\\S*/)?(stoactl|stoa) \\S.*");
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

  private final Set<String> keys = new HashSet<>();
  private final Set<String> metrics =
      Stream.of(ProxyMeters.values())
          .map(MetricsDocsTest::prometheusName)
          .collect(Collectors.toSet());
  private final CommandLine stoa = StoaCommand.commandLine();
  private final CommandLine stoactl = Stoactl.commandLine(new Environment(Map.of(), false));
  private final Set<String> wrong = new TreeSet<>();
  private final Set<String> processMetrics = new HashSet<>();
  private String source = "";

  @Test
  void everyDocumentedNameExistsInTheCode() throws IOException {
    readKeys();
    processMetrics.addAll(MetricsDocsTest.processMetrics());
    source = sources();
    for (Path document : documents()) {
      String text = Files.readString(document);
      String name = Repository.root().relativize(document).toString();
      all(FENCE, text).forEach(fence -> fence(name, fence.group(1), fence.group(2)));
      all(SPAN, FENCE.matcher(text).replaceAll("")).forEach(span -> span(name, span.group(1)));
    }
    assertThat(wrong).isEmpty();
  }

  /** The walk of a hit names classes with their packages. */
  @Test
  void everyClassOfTheHitPathExists() throws IOException {
    String page = Files.readString(Repository.root().resolve("docs/internals/architecture.md"));
    String section = page.substring(page.indexOf("### Classes of the hit path"));
    List<String> names =
        all(SPAN, section.substring(0, section.indexOf("\n## ")))
            .map(span -> span.group(1))
            .filter(name -> CLASS.matcher(name).matches())
            .toList();
    assertThat(names).hasSizeGreaterThan(80).doesNotHaveDuplicates();
    assertThat(names).allMatch(DocumentedNamesTest::isClass);
  }

  private static boolean isClass(String name) {
    String file = "src/main/java/io/stoa/" + name.replace('.', '/') + ".java";
    return Stream.of("proxy-core", "proxy-server")
        .anyMatch(module -> Files.exists(Repository.root().resolve(module).resolve(file)));
  }

  /** The words of help texts are names without backticks. */
  @Test
  void everyKeyInAHelpTextExists() throws IOException {
    readKeys();
    Set<String> sections =
        keys.stream().map(DocumentedNamesTest::first).collect(Collectors.toSet());
    for (CommandLine command : List.of(stoa, stoactl)) {
      everyOne(command)
          .map(CommandLine::getUsageMessage)
          .flatMap(help -> Arrays.stream(help.split("[^A-Za-z0-9.]+")))
          .map(word -> word.replaceAll("\\.$", ""))
          .filter(word -> DOTTED.matcher(word).matches() && !FILE.matcher(word).matches())
          .filter(word -> sections.contains(first(word)) && !isKey(word))
          .forEach(word -> wrong.add("help: " + word));
    }
    assertThat(wrong).isEmpty();
  }

  private void span(String document, String text) {
    MatchResult dotted = whole(DOTTED, text);
    MatchResult metric = whole(METRIC, text);
    boolean right = true;
    if (dotted != null) {
      right = isDottedName(dotted.group(1));
    } else if (metric != null) {
      right = isMetric(metric);
    } else if (ATTRIBUTE.matcher(text).matches()) {
      right =
          FOREIGN.contains(text)
              || processMetrics.contains(text)
              || source.contains("\"" + text + "\"")
              || source.contains(
                  " " + text.toUpperCase(Locale.ROOT)); // the value of a metric's tag
    } else if (text.startsWith("-")) {
      right = all(OPTION, text).allMatch(one -> isOptionOfAny(one.group()));
    } else {
      right = isCommand(text);
    }
    if (!right) {
      wrong.add(document + ": " + text);
    }
  }

  private void fence(String document, String kind, String text) {
    if (kind.equals("yaml") || (kind.isEmpty() && SECTION.matcher(text).find())) {
      Set<String> paths = new HashSet<>();
      flatten("", new Load(YAML).loadFromString(text.stripIndent()), paths);
      if (paths.stream().anyMatch(this::isKey)) {
        paths.stream()
            .filter(path -> !isKey(path))
            .forEach(path -> wrong.add(document + ": yaml " + path));
      }
    } else {
      text.lines()
          .map(String::strip)
          .filter(line -> COMMAND.matcher(line).matches() && !isCommand(line))
          .forEach(line -> wrong.add(document + ": " + line));
    }
  }

  private static void flatten(String path, Object node, Set<String> paths) {
    if (node instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            String below = path.isEmpty() ? key.toString() : path + "." + key;
            paths.add(below);
            flatten(below, value, paths);
          });
    } else if (node instanceof List<?> list) {
      list.forEach(item -> flatten(path, item, paths));
    }
  }

  private boolean isDottedName(String name) {
    return isKey(name)
        || FOREIGN.contains(name)
        || FILE.matcher(name).matches()
        || isPackage(name.replaceFirst("^io\\.stoa\\.?", ""));
  }

  private boolean isKey(String name) {
    return keys.contains(name) || keys.stream().anyMatch(key -> key.startsWith(name + "."));
  }

  private static boolean isPackage(String name) {
    return Stream.of("proxy-core", "proxy-server", "admin-cli")
        .flatMap(module -> Stream.of(module + "/src/main/java", module + "/src/test/java"))
        .map(root -> root + "/io/stoa/" + name.replace('.', '/'))
        .anyMatch(path -> Files.isDirectory(Repository.root().resolve(path)));
  }

  private boolean isMetric(MatchResult metric) {
    String name = metric.group(1).replaceFirst("_(bucket|sum|count)$", "");
    return "…".equals(metric.group(2))
        ? metrics.stream().anyMatch(one -> one.startsWith(name))
        : metrics.contains(name);
  }

  /** True also for a text that is no command line. */
  private boolean isCommand(String text) {
    MatchResult command = whole(COMMAND, text);
    if (command == null) {
      return true;
    }
    CommandLine line = command.group(1).equals("stoa") ? stoa : stoactl;
    String[] words = text.substring(text.indexOf(command.group(1) + " ")).split("[ \\[(|]+");
    List<CommandLine> path = new ArrayList<>(List.of(line));
    for (String word : Arrays.asList(words).subList(1, words.length)) {
      CommandLine below = path.get(0).getSubcommands().get(word);
      if (below != null) {
        path.add(0, below);
      } else if (word.matches("[a-z][a-z-]+") && !path.get(0).getSubcommands().isEmpty()) {
        return false;
      }
    }
    return all(OPTION, text.replaceAll("#.*| -- .*", ""))
        .allMatch(one -> path.stream().anyMatch(part -> isOption(part, one.group())));
  }

  private boolean isOptionOfAny(String name) {
    return Stream.of(stoa, stoactl)
        .flatMap(DocumentedNamesTest::everyOne)
        .anyMatch(command -> isOption(command, name));
  }

  private static boolean isOption(CommandLine command, String name) {
    return command.getCommandSpec().optionsMap().containsKey(name);
  }

  private static Stream<CommandLine> everyOne(CommandLine command) {
    return Stream.concat(
        Stream.of(command),
        command.getSubcommands().values().stream().flatMap(DocumentedNamesTest::everyOne));
  }

  private void readKeys() throws IOException {
    Pattern line = Pattern.compile("(?m)^##+ (?:.*?`([A-Za-z.]+)`)?.*$|^\\| `([A-Za-z]+)` \\|");
    String section = "";
    for (MatchResult one : all(line, read("docs/reference/configuration.md")).toList()) {
      String key = one.group(2);
      if (key == null) {
        section = one.group(1) == null ? "" : one.group(1) + ".";
      } else {
        keys.add(section + key);
      }
    }
    assertThat(keys).contains("listen", "cache.maxAge", "upstream.servers.weight");
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.walk(Repository.root().resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "SECURITY.md", "CONTRIBUTING.md")
                  .map(Repository.root()::resolve),
              files.filter(file -> file.toString().endsWith(".md")))
          .toList();
    }
  }

  /** Everything in which an attribute can be a literal. */
  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder(read("dev").replaceAll("(\\w+)=", "\"$1\""));
    for (String module : List.of("proxy-core", "proxy-server", "admin-cli")) {
      try (Stream<Path> files =
          Files.walk(Repository.root().resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          all.append(Files.readString(file));
        }
      }
    }
    return all.toString();
  }

  private static String read(String file) throws IOException {
    return Files.readString(Repository.root().resolve(file));
  }

  private static String first(String name) {
    return name.substring(0, Math.max(0, name.indexOf('.')));
  }

  private static Stream<MatchResult> all(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }

  private static @Nullable MatchResult whole(Pattern pattern, String text) {
    return all(Pattern.compile("\\A(?:" + pattern + ")\\z"), text).findFirst().orElse(null);
  }
}
