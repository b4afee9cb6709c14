// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.stoa.testing.ImportTable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The imports of proxy-server, by {@link ImportTable}, and those of the libraries. */
class ServerArchitectureTest {
  private static final String TREE = "io.stoa.server.localtree..";

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.stoa.server");

  @TestFactory
  Stream<DynamicTest> packagesNeverImportEachOther() {
    return ImportTable.SERVER.stream()
        .filter(row -> row.allowance() != ImportTable.Allowance.ANYTHING)
        .flatMap(row -> row.packages().stream().map(name -> onlyOwn(name, row)));
  }

  private static DynamicTest onlyOwn(String name, ImportTable.Row row) {
    String own = "io.stoa." + name + "..";
    String tree = row.allowance() == ImportTable.Allowance.CORE_AND_TREE ? TREE : own;
    Stream<String> listed = row.listed().stream().map(other -> "io.stoa." + other + "..");
    String[] allowed = Stream.concat(Stream.of(own, tree), listed).toArray(String[]::new);
    return DynamicTest.dynamicTest(name, () -> check(only(own, allowed)));
  }

  private static ArchRule only(String pattern, String... allowed) {
    DescribedPredicate<JavaClass> elsewhere =
        resideInAPackage("io.stoa.server..")
            .and(DescribedPredicate.not(resideInAnyPackage(allowed)));
    return noClasses().that().resideInAPackage(pattern).should().dependOnClassesThat(elsewhere);
  }

  @Test
  void everyPackageIsInTheTable() {
    List<String> known =
        ImportTable.SERVER.stream()
            .flatMap(row -> row.packages().stream())
            .map(name -> "io.stoa." + name)
            .toList();
    assertThat(MAIN.stream().map(JavaClass::getPackageName)).isSubsetOf(known);
  }

  @Test
  void noCycles() {
    check(slices().matching("io.stoa.server.(**)").should().beFreeOfCycles());
  }

  @Test
  void channelsAreOnlyInLogsManagementAndSystemd() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.stoa.server.accesslog..",
                "io.stoa.server.management..",
                "io.stoa.server.systemd..")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                    "io.netty.channel..", "io.netty.bootstrap..", "io.netty.handler..")));
  }

  @Test
  void metersAreOnlyInManagement() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.stoa.server.management..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer..", "io.prometheus.."));
  }

  /** The demo alone plays a directory and its clients. */
  @Test
  void directoriesOfTheSdkAreOnlyInTheDemo() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.stoa.server.demo..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.unboundid.ldap.listener.."));
  }

  @Test
  void noProtocolOfTheSdkAndNoCaffeine() {
    check(
        noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.unboundid.ldap.protocol..", "com.github.benmanes.caffeine.."));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(MAIN);
  }
}
