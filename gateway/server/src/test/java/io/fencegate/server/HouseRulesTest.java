/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Who may know whom, and what only few may touch; for the main code of all that the gateway and its
 * SDK are made of.
 */
@AnalyzeClasses(
    packages = "io.fencegate",
    importOptions = {ImportOption.DoNotIncludeTests.class})
final class HouseRulesTest {

  private static final String RULES = "io.fencegate.policy..";
  private static final String FILE = "io.fencegate.policy.file..";
  private static final String SPI = "io.fencegate.adapter.spi..";
  private static final String COORDINATION = "io.fencegate.coordination..";
  private static final String POSTGRES = "io.fencegate.adapter.postgres..";
  private static final String LEDGER = "io.fencegate.ledger.postgres..";
  private static final String EMBEDDED = "io.fencegate.coordination.embedded..";
  private static final String ETCD = "io.fencegate.coordination.etcd..";

  private static final DescribedPredicate<JavaClass> OURS = resideInAnyPackage("io.fencegate..");

  private static final DescribedPredicate<JavaClass> PURE =
      resideInAnyPackage(RULES).and(resideOutsideOfPackages(FILE)).as("policy rules");

  /** Classes that read the machine's clocks, one per process kind. */
  private static final Set<String> CLOCKS =
      Set.of(
          "io.fencegate.server.clock.SystemClocks",
          "io.fencegate.client.SystemClocks",
          "io.fencegate.adapter.tck.SystemClocks",
          "io.fencegate.lab.EtcdCluster");

  /** Where a source of randomness is chosen; below it is passed in. */
  private static final Set<String> COMPOSERS =
      Set.of("io.fencegate.client.FencegateClient", "io.fencegate.lab.Ports");

  /** Classes that complete a future by hand because what they wait for is no future. */
  private static final Set<String> BRIDGES =
      Set.of(
          "io.fencegate.adapter.http.Exchange",
          "io.fencegate.adapter.postgres.Turnstile",
          "io.fencegate.coordination.commit.Pending",
          "io.fencegate.coordination.embedded.EmbeddedStore",
          "io.fencegate.coordination.embedded.Request",
          "io.fencegate.coordination.embedded.StoreWriter",
          "io.fencegate.coordination.etcd.EtcdClient",
          "io.fencegate.coordination.etcd.EtcdRequest",
          "io.fencegate.coordination.etcd.EtcdStore",
          "io.fencegate.coordination.idempotency.Insistence",
          "io.fencegate.coordination.lock.Waiter",
          "io.fencegate.coordination.slot.ChangeSignal",
          "io.fencegate.server.clock.InTime",
          "io.fencegate.server.http.BoundedBody",
          "io.fencegate.server.http.CallerBody",
          "io.fencegate.server.http.RequestGate",
          "io.fencegate.server.http.WholeBody",
          "io.fencegate.server.relay.Hop",
          "io.fencegate.server.write.Turns");

  @ArchTest
  static final ArchRule policyRulesKnowOnlyThemselves =
      noClasses()
          .that(PURE)
          .should()
          .dependOnClassesThat(OURS.and(DescribedPredicate.not(PURE)))
          .because("dependencies point down");

  @ArchTest
  static final ArchRule policyRulesDoNoInputOutputAndKnowNoTimeAndNoThreads =
      noClasses()
          .that(PURE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.vertx..", "io.netty..", "java.nio.file..", "java.net..", "java.sql..")
          .orShould()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "do I/O, read a clock or run threads",
                  it ->
                      it.getPackageName().equals("java.io")
                          || it.getPackageName().startsWith("java.util.concurrent")
                          || it.isEquivalentTo(Thread.class)
                          || it.isEquivalentTo(java.time.Clock.class)));

  @ArchTest
  static final ArchRule locksAndWritesNeverCallEachOther =
      noClasses()
          .that(
              resideInAnyPackage(
                  "io.fencegate.server.write..", "io.fencegate.coordination.epoch.."))
          .should()
          .dependOnClassesThat(resideInAnyPackage("io.fencegate.coordination.lock.."))
          .because("the data plane works without the control plane");

  @ArchTest
  static final ArchRule locksKnowNoEpochs =
      noClasses()
          .that(resideInAnyPackage("io.fencegate.coordination.lock.."))
          .should()
          .dependOnClassesThat(resideInAnyPackage("io.fencegate.coordination.epoch.."))
          .because("the control plane works without the data plane");

  @ArchTest
  static final ArchRule policyFilesKnowOnlyTheRules =
      noClasses()
          .that()
          .resideInAPackage(FILE)
          .should()
          .dependOnClassesThat(OURS.and(resideOutsideOfPackages(RULES)));

  @ArchTest
  static final ArchRule theSpiKnowsOnlyTheRules =
      noClasses()
          .that()
          .resideInAPackage(SPI)
          .should()
          .dependOnClassesThat(
              OURS.and(resideOutsideOfPackages(SPI)).and(DescribedPredicate.not(PURE)));

  @ArchTest
  static final ArchRule theMemoryAdapterKnowsOnlyTheSpi =
      adapterKnowsOnlyTheSpi("io.fencegate.adapter.memory..");

  @ArchTest
  static final ArchRule theHttpAdapterKnowsOnlyTheSpi =
      adapterKnowsOnlyTheSpi("io.fencegate.adapter.http..");

  @ArchTest
  static final ArchRule theExampleAdapterKnowsOnlyTheSpi =
      adapterKnowsOnlyTheSpi("io.fencegate.adapter.example..");

  @ArchTest
  static final ArchRule thePostgresAdapterKnowsOnlyTheSpi = adapterKnowsOnlyTheSpi(POSTGRES);

  private static ArchRule adapterKnowsOnlyTheSpi(String adapter) {
    return noClasses()
        .that()
        .resideInAPackage(adapter)
        .should()
        .dependOnClassesThat(
            OURS.and(resideOutsideOfPackages(adapter, SPI)).and(DescribedPredicate.not(PURE)));
  }

  @ArchTest
  static final ArchRule coordinationKnowsOnlyTheRules =
      noClasses()
          .that()
          .resideInAPackage(COORDINATION)
          .should()
          .dependOnClassesThat(
              OURS.and(resideOutsideOfPackages(COORDINATION)).and(DescribedPredicate.not(PURE)));

  @ArchTest
  static final ArchRule theLedgerKnowsOnlyCoordinationAndTheRules =
      noClasses()
          .that()
          .resideInAPackage(LEDGER)
          .should()
          .dependOnClassesThat(
              OURS.and(resideOutsideOfPackages(LEDGER, COORDINATION))
                  .and(DescribedPredicate.not(PURE)));

  @ArchTest
  static final ArchRule theClientKnowsOnlyTheRulesAndTheJdk =
      noClasses()
          .that()
          .resideInAPackage("io.fencegate.client..")
          .should()
          .dependOnClassesThat(
              resideOutsideOfPackages("io.fencegate.client..", "java..", "org.jspecify..")
                  .and(DescribedPredicate.not(PURE))
                  .and(
                      DescribedPredicate.describe("no array or primitive", HouseRulesTest::named)));

  private static boolean named(JavaClass type) {
    return !type.getBaseComponentType().isPrimitive()
        && !type.getBaseComponentType().getPackageName().startsWith("java");
  }

  @ArchTest
  static final ArchRule thePostgresDriverIsCaged =
      caged(List.of(POSTGRES, LEDGER), "io.vertx.pgclient..", "io.vertx.sqlclient..");

  @ArchTest
  static final ArchRule sqliteIsCaged = caged(List.of(EMBEDDED), "org.sqlite..", "java.sql..");

  @ArchTest
  static final ArchRule theEtcdDriverIsCaged =
      caged(
          List.of(ETCD), "io.etcd..", "io.grpc..", "com.google.protobuf..", "com.google.common..");

  @ArchTest
  static final ArchRule jacksonIsCaged =
      caged(List.of("io.fencegate.server..", FILE), "com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule metricsAreCaged =
      caged(
          List.of(
              "io.fencegate.server", "io.fencegate.server.observe", "io.fencegate.server.operator"),
          "io.micrometer..",
          "io.prometheus..");

  private static ArchRule caged(List<String> cages, String... packages) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(cages.toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages);
  }

  @ArchTest
  static final ArchRule onlyClockClassesReadTheMachinesClocks =
      noClasses()
          .that(DescribedPredicate.describe("are no clocks", it -> !CLOCKS.contains(it.getName())))
          .should()
          .callMethodWhere(calls("read a system clock", HouseRulesTest::readsAClock));

  private static boolean readsAClock(MethodCallTarget target) {
    String owner = target.getOwner().getName();
    String name = target.getName();
    return (owner.equals("java.lang.System")
            && (name.equals("nanoTime") || name.equals("currentTimeMillis")))
        || (owner.startsWith("java.time.") && name.equals("now"))
        || (owner.equals("java.time.Clock") && name.startsWith("system"));
  }

  @ArchTest
  static final ArchRule nobodySleepsOrTossesCoins =
      noClasses()
          .that(
              DescribedPredicate.describe(
                  "compose nothing", it -> !COMPOSERS.contains(outermost(it))))
          .should()
          .callMethodWhere(
              calls(
                  "sleep or draw unseeded numbers",
                  target ->
                      (target.getOwner().isEquivalentTo(Thread.class)
                              && target.getName().equals("sleep"))
                          || (target.getOwner().isEquivalentTo(Math.class)
                              && target.getName().equals("random"))))
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.(Random|concurrent\\.ThreadLocalRandom)");

  private static DescribedPredicate<JavaMethodCall> calls(
      String what, java.util.function.Predicate<MethodCallTarget> predicate) {
    return DescribedPredicate.describe(what, call -> predicate.test(call.getTarget()));
  }

  @ArchTest
  static final ArchRule nothingStaticChanges = fields().that().areStatic().should().beFinal();

  @ArchTest
  static final ArchRule packagesFormNoCycles =
      slices().matching("io.fencegate.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyBridgesCompleteFuturesByHand =
      noClasses()
          .that(
              DescribedPredicate.describe(
                  "are no bridges, kit or SDK",
                  it ->
                      !BRIDGES.contains(outermost(it))
                          && !it.getPackageName().startsWith("io.fencegate.client")
                          && !it.getPackageName().startsWith("io.fencegate.adapter.tck")))
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "io\\.vertx\\.core\\.Promise|java\\.util\\.concurrent\\.Complet(ableFuture|ionStage)");

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(HouseRulesTest::outermost).orElse(type.getName());
  }

  /** Literals leave no trace in bytecode, so this one reads the sources. */
  @Test
  void statusNumbersStandInOneTable() throws IOException {
    Pattern status =
        Pattern.compile("setStatusCode\\(\\s*[0-9]|(->|status\\s*=)\\s*[1-5][0-9]{2};");
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      List<String> offenders =
          sources
              .filter(it -> it.toString().endsWith(".java"))
              .filter(it -> !it.endsWith("OutcomeHttp.java"))
              .filter(it -> status.matcher(read(it)).find())
              .map(Path::toString)
              .toList();
      assertThat(offenders).isEmpty();
    }
    assertThat(
            status
                .matcher(read(Path.of("src/main/java/io/fencegate/server/http/OutcomeHttp.java")))
                .find())
        .as("the check finds what it looks for")
        .isTrue();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
