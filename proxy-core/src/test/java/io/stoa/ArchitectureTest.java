// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPInterface;
import com.unboundid.ldap.sdk.ServerSet;
import io.stoa.testing.ImportTable;
import io.stoa.testing.Repository;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The imports of proxy-core: our own by {@link ImportTable}, and those of the libraries. */
class ArchitectureTest {
  /** The packages that move octets: they alone see Netty's channels. */
  private static final List<String> WITH_CHANNELS =
      List.of(
          "net.codec",
          "net.tls",
          "net.transport",
          "net.proxyprotocol",
          "client.listener",
          "client.connection",
          "upstream.connect",
          "upstream.connection",
          "upstream.pool",
          "upstream.health",
          "proxy",
          "proxy.preflight");

  private static final List<String> WITH_BUFFERS =
      Stream.concat(
              WITH_CHANNELS.stream(),
              Stream.of(
                  "ldap.protocol", "feed.connection", "client.auth", "upstream.auth", "operation"))
          .toList();

  /** The domains below metrics and proxy. */
  private static final List<String> DOMAINS =
      List.of(
          "ldap",
          "net",
          "operation",
          "replication",
          "client",
          "feed",
          "coherence",
          "cache",
          "upstream",
          "write",
          "routing");

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.stoa");

  @TestFactory
  Stream<DynamicTest> packagesImportOnlyWhatTheTableAllows() {
    return ImportTable.CORE.stream()
        .flatMap(row -> row.packages().stream().map(name -> importRule(row, name)));
  }

  private static DynamicTest importRule(ImportTable.Row row, String name) {
    List<String> allowed =
        switch (row.allowance()) {
          case LISTED -> row.listed();
          case ALL_ABOVE -> ImportTable.above(name);
          case CORE_ONLY, CORE_AND_TREE, ANYTHING -> ImportTable.corePackages();
        };
    ArchRule rule =
        classes()
            .that()
            .resideInAPackage(pattern(name))
            .should()
            .onlyDependOnClassesThat(foreignOr(name, allowed));
    return DynamicTest.dynamicTest(name, () -> check(rule));
  }

  /** True for what is not ours, for the package itself, and for what it may import. */
  private static DescribedPredicate<JavaClass> foreignOr(String name, List<String> allowed) {
    Set<String> packages = new TreeSet<>(List.of(patterns(allowed)));
    packages.add(pattern(name));
    DescribedPredicate<JavaClass> ours = JavaClass.Predicates.resideInAPackage("io.stoa..");
    return DescribedPredicate.not(ours)
        .or(JavaClass.Predicates.resideInAnyPackage(packages.toArray(String[]::new)))
        .as("are not ours or are in %s", packages);
  }

  private static String pattern(String name) {
    return "io.stoa." + name;
  }

  private static String[] patterns(List<String> names) {
    return names.stream().map(ArchitectureTest::pattern).toArray(String[]::new);
  }

  @Test
  void everyPackageIsInTheTable() {
    Set<String> known =
        ImportTable.corePackages().stream()
            .map(ArchitectureTest::pattern)
            .collect(Collectors.toSet());
    assertThat(
            MAIN.stream()
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .map(JavaClass::getPackageName))
        .isSubsetOf(known);
  }

  /** The domains are those of docs/decisions/0021-thirteen-domains.md. */
  @Test
  void everyTopLevelPackageIsADomain() {
    Set<String> domains =
        Stream.concat(DOMAINS.stream(), Stream.of("metrics", "proxy"))
            .map(ArchitectureTest::pattern)
            .collect(Collectors.toSet());
    assertThat(
            MAIN.stream()
                .map(type -> type.getPackageName().replaceFirst("^(io\\.stoa\\.\\w+)\\..*", "$1")))
        .isSubsetOf(domains);
  }

  @Test
  void theTableInTheDocumentationIsThisOne() throws Exception {
    assertThat(Repository.section("docs/internals/architecture.md", "imports"))
        .as("docs/internals/architecture.md, between the imports markers")
        .isEqualTo(ImportTable.markdown());
  }

  @Test
  void noCycles() {
    check(slices().matching("io.stoa.(*)..").should().beFreeOfCycles());
    check(slices().matching("io.stoa.(**)").should().beFreeOfCycles());
  }

  /** The two rules that a newcomer can keep in mind, and the two of the top. */
  @Test
  void domainsKeepTheirDirection() {
    never("client", "upstream", "routing", "cache");
    never("feed", "cache");
    for (String domain : DOMAINS) {
      never(domain, "proxy");
      never(domain, "metrics");
    }
  }

  private static void never(String domain, String... others) {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.stoa." + domain + "..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                Stream.of(others).map(other -> "io.stoa." + other + "..").toArray(String[]::new)));
  }

  @Test
  void channelsStayWhereBytesAreMoved() {
    onlyIn(
        WITH_CHANNELS,
        "io.netty.channel..",
        "io.netty.bootstrap..",
        "io.netty.handler..",
        "io.netty.resolver..");
  }

  /** Reference counting stops at the frame: what a cache keeps are byte arrays. */
  @Test
  void buffersStopAtTheFrame() {
    onlyIn(WITH_BUFFERS, "io.netty.buffer..");
  }

  /** Beside buffers and channels, the rest of the code sees the executor and its futures only. */
  @Test
  void executorsAreTheOnlyNettyTypesElsewhere() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(patterns(WITH_BUFFERS))
            .should()
            .dependOnClassesThat(
                JavaClass.Predicates.resideInAPackage("io.netty..")
                    .and(
                        DescribedPredicate.not(
                            JavaClass.Predicates.resideInAPackage("io.netty.util.concurrent")))));
  }

  @Test
  void caffeineIsOnlyInTheCaches() {
    onlyIn(
        List.of("cache.memory", "cache.result", "cache.sharing", "cache.paging", "client.quota"),
        "com.github.benmanes.caffeine..");
  }

  @Test
  void micrometerIsOnlyInTheMonitor() {
    onlyIn(List.of("metrics"), "io.micrometer..", "io.prometheus..");
  }

  /** An event executor is the only way to post and to set a timer. */
  @Test
  void noTimersOfOurOwn() {
    check(
        noClasses()
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.util.Timer")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.util.concurrent.Executors"));
  }

  @Test
  void connectionsOfTheSdkAreForFeedsOnly() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("io.stoa.feed..")
            .should()
            .dependOnClassesThat(assignableTo(LDAPInterface.class))
            .orShould()
            .dependOnClassesThat(assignableTo(ServerSet.class))
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("com.unboundid.ldap.listener.."));
  }

  /** The matching of the SDK knows no UNKNOWN, and its protocol classes are internal to it. */
  @Test
  void noMatchingAndNoProtocolOfTheSdk() {
    check(
        noClasses()
            .should()
            .accessTargetWhere(accessTo(Filter.class, "matchesEntry"))
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("com.unboundid.ldap.protocol.."));
  }

  private static DescribedPredicate<JavaAccess<?>> accessTo(Class<?> type, String method) {
    return JavaAccess.Predicates.target(name(method))
        .and(JavaAccess.Predicates.target(owner(assignableTo(type))))
        .as("%s.%s", type.getSimpleName(), method);
  }

  private static void onlyIn(List<String> packages, String... libraries) {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(patterns(packages))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(libraries));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(MAIN);
  }
}
