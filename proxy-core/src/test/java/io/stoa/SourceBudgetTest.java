// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.Tree;
import io.stoa.testing.Repository;
import io.stoa.testing.RetiredWords;
import io.stoa.testing.SourceMeter;
import io.stoa.testing.SourceMeter.Method;
import io.stoa.testing.SourceMeter.Name;
import io.stoa.testing.SourceMeter.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The budgets of the sources of all modules that Checkstyle cannot hold. */
class SourceBudgetTest {
  /** Code lines of a class above which it is listed as long: 400. */
  private static final int LONG_CLASS_LINES = 400;

  /** Maximum code lines of a class: 600. */
  private static final int CLASS_LINES = 600;

  private static final int SHORT_METHOD_LINES = 12;
  private static final double SHORT_METHODS = 0.85;

  /** Words that hide in a type's name which term of docs/reference/glossary.md it stands for. */
  private static final Set<String> UNCLEAR =
      Set.of(
          "approach",
          "arrivals",
          "conduct",
          "course",
          "ear",
          "ease",
          "horizon",
          "joined",
          "offer",
          "pulse",
          "sentence",
          "sentences",
          "terms",
          "twin");

  /** Names that say nothing outside of their class. */
  private static final Set<String> VAGUE =
      Set.of("Outcome", "Terms", "State", "Source", "Kind", "Place", "Look");

  private static List<Type> types;
  private static List<Type> nested;
  private static List<Method> methods;
  private static List<Name> names;

  /** Test code of each module. */
  private static List<SourceMeter> tests;

  @BeforeAll
  static void measure() throws Exception {
    SourceMeter meter = SourceMeter.measure(Repository.mainSources());
    types = meter.types().stream().sorted(Comparator.comparingInt(Type::codeLines)).toList();
    nested = meter.nested();
    methods = meter.methods();
    names = meter.names();
    tests = new ArrayList<>();
    for (List<Path> sources : Repository.testSources()) {
      tests.add(SourceMeter.measure(sources));
    }
  }

  /** Prints the numbers, which {@code ./dev test} shows at its end. */
  @AfterAll
  static void print() {
    System.out.printf(
        Locale.ROOT,
        "%d types; %d methods, %.1f%% of at most %d lines; classes of more than %d code lines:"
            + " %s%n",
        types.size(),
        methods.size(),
        100 * shortMethods(),
        SHORT_METHOD_LINES,
        LONG_CLASS_LINES,
        longClasses());
  }

  @Test
  void noClassIsTooLong() {
    assertThat(types).filteredOn(type -> type.codeLines() > CLASS_LINES).isEmpty();
  }

  @Test
  void noNameHoldsARetiredWord() {
    assertThat(names).filteredOn(one -> RetiredWords.areIn(one.name())).isEmpty();
    Stream<Type> testTypes =
        tests.stream()
            .flatMap(test -> Stream.concat(test.types().stream(), test.nested().stream()));
    assertThat(testTypes.map(Type::name)).filteredOn(RetiredWords::areIn).isEmpty();
  }

  @Test
  void noNameOfATypeHoldsAnUnclearWord() {
    assertThat(Stream.concat(types.stream(), nested.stream()).map(Type::name))
        .filteredOn(name -> RetiredWords.holds(name, UNCLEAR))
        .isEmpty();
  }

  @Test
  void noTwoTypesHaveTheSameName() {
    assertThat(types.stream().map(Type::name)).doesNotHaveDuplicates();
  }

  @Test
  void noNestedTypeHasTheNameOfATopLevelType() {
    Set<String> topLevel = types.stream().map(Type::name).collect(Collectors.toSet());
    assertThat(nested).filteredOn(type -> topLevel.contains(type.name())).isEmpty();
  }

  /** Test code of different modules may use a name twice: no reader has both in view. */
  @Test
  void noTwoTestTypesOfAModuleHaveTheSameName() {
    assertThat(tests)
        .allSatisfy(
            test -> assertThat(test.types().stream().map(Type::name)).doesNotHaveDuplicates());
  }

  @Test
  void noNestedTypeHasANameWithoutMeaning() {
    assertThat(nested).filteredOn(type -> VAGUE.contains(type.name())).isEmpty();
  }

  @Test
  void methodsAreShortAsARule() {
    assertThat(shortMethods())
        .as("methods of at most %d code lines; the others: %s", SHORT_METHOD_LINES, longMethods())
        .isGreaterThanOrEqualTo(SHORT_METHODS);
  }

  /** A reader of a class must know at once which threads may be in it. */
  @Test
  void everyClassHeaderNamesItsThreads() {
    Stream<Type> silent =
        types.stream()
            .filter(type -> type.kind() == Tree.Kind.CLASS)
            .filter(type -> !namesThreads(type.header()));
    assertThat(silent.map(type -> type.packageName() + "." + type.name()))
        .as("classes whose header has no statement of threads (Threading: …)")
        .isEmpty();
  }

  private static boolean namesThreads(String header) {
    String text = header == null ? "" : header.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    return Stream.of("threading:", "confined", "thread-safe", "immutable", "stateless")
        .anyMatch(text::contains);
  }

  private static List<String> longClasses() {
    return types.stream()
        .filter(type -> type.codeLines() > LONG_CLASS_LINES)
        .map(type -> type.name() + " " + type.codeLines())
        .toList();
  }

  private static double shortMethods() {
    long count = methods.stream().filter(m -> m.codeLines() <= SHORT_METHOD_LINES).count();
    return methods.isEmpty() ? 1 : (double) count / methods.size();
  }

  private static String longMethods() {
    return methods.stream()
        .filter(method -> method.codeLines() > SHORT_METHOD_LINES)
        .sorted(Comparator.comparingInt(Method::codeLines).reversed())
        .map(method -> "%n%d %s".formatted(method.codeLines(), method.where()))
        .collect(Collectors.joining());
  }
}
