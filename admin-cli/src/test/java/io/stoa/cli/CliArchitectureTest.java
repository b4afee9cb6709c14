// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.stoa.testing.ImportTable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The imports of admin-cli, by {@link ImportTable}, and those of the libraries. */
class CliArchitectureTest {
  private static final String OURS = "io.stoa..";

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.stoa.cli");

  @TestFactory
  Stream<DynamicTest> packagesImportOnlyListedPackages() {
    return ImportTable.CLI.stream()
        .map(
            row -> {
              String name = row.packages().get(0);
              return DynamicTest.dynamicTest(name, () -> check(name, row.listed()));
            });
  }

  private static void check(String name, List<String> listed) {
    String own = "io.stoa." + name;
    String[] allowed =
        Stream.concat(Stream.of(own), listed.stream().map(other -> "io.stoa." + other))
            .toArray(String[]::new);
    DescribedPredicate<JavaClass> foreign = DescribedPredicate.not(resideInAPackage(OURS));
    classes()
        .that()
        .resideInAPackage(own)
        .should()
        .onlyDependOnClassesThat(foreign.or(resideInAnyPackage(allowed)))
        .check(MAIN);
  }

  @Test
  void everyPackageIsInTheTable() {
    List<String> known =
        ImportTable.CLI.stream()
            .flatMap(row -> row.packages().stream())
            .map(name -> "io.stoa." + name)
            .toList();
    assertThat(MAIN.stream().map(JavaClass::getPackageName)).isSubsetOf(known);
  }

  @Test
  void noCycles() {
    slices().matching("io.stoa.cli.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  /** What the SDK does inside, and its servers, are not for a client. */
  @Test
  void noProtocolAndNoServersOfTheSdk() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.unboundid.ldap.protocol..", "com.unboundid.ldap.listener..")
        .check(MAIN);
  }

  /** Neither of them is part of the command. */
  @Test
  void noNettyAndNoLog() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty..", "org.slf4j..", "ch.qos..")
        .check(MAIN);
  }
}
