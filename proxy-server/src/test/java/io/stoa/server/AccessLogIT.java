// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.ChangeType;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFChangeRecord;
import com.unboundid.ldif.LDIFReader;
import com.unboundid.util.json.JSONObject;
import io.stoa.operation.event.LogKind;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.People;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The access log and the audit log contain all operations, and no passwords. */
class AccessLogIT {
  private static final String FILTER = "(uid=user.1)";
  private static final String WRONG = "wrong-secret";
  private static Slapd slapd;

  @TempDir Path folder;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(People.slapd(10));
    slapd.logOperations();
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  private Path file() {
    return folder.resolve("access.log");
  }

  private AdministeredServer start(String... lines) throws Exception {
    return AdministeredServer.start(folder, String.join("\n", lines) + "\n", slapd.port());
  }

  private AdministeredServer withFormat(String format) throws Exception {
    return start("log: {access: {format: " + format + ", destination: '" + file() + "'}}");
  }

  private static LDAPConnection client(AdministeredServer stoa) throws LDAPException {
    return TestServers.connect(stoa.server());
  }

  private static void search(LDAPConnection client, String filter) throws LDAPException {
    client.search(People.PEOPLE, SearchScope.SUB, Filter.create(filter), "uid", "cn");
  }

  /** One client that binds, searches twice, and fails to bind. */
  private static void work(AdministeredServer stoa) throws LDAPException {
    try (LDAPConnection client = client(stoa)) {
      client.bind(People.dn(1), People.PASSWORD);
      search(client, FILTER);
      search(client, FILTER);
      try {
        client.bind(People.dn(2), WRONG);
      } catch (LDAPException e) {
        assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
    }
  }

  private List<String> lines(Pattern last) {
    return value(
        "a line with " + last,
        () -> {
          List<String> lines = Files.exists(file()) ? Files.readAllLines(file()) : List.of();
          return lines.stream().anyMatch(line -> last.matcher(line).find()) ? lines : null;
        });
  }

  /** Waits until the source returns something. */
  private static <T> T value(String description, Callable<T> source) {
    AtomicReference<T> found = new AtomicReference<>();
    Await.until(
        description,
        () -> {
          found.set(source.call());
          return found.get() != null;
        });
    return found.get();
  }

  private static String only(List<String> lines, String regex) {
    List<String> found =
        lines.stream().filter(line -> Pattern.compile(regex).matcher(line).find()).toList();
    assertThat(found).as(regex + " in " + lines).hasSize(1);
    return found.get(0);
  }

  private static String group(String regex, String line) {
    Matcher matcher = Pattern.compile(regex).matcher(line);
    assertThat(matcher.find()).as(regex + " in " + line).isTrue();
    return matcher.group(1);
  }

  @Test
  void openLdapLinesAreThoseOfSlapd() throws Exception {
    try (AdministeredServer stoa = withFormat("openldap")) {
      work(stoa);
      List<String> lines = lines(Pattern.compile("op=4 UNBIND"));
      String conn = group("conn=(\\d+) op=1 SRCH base", only(lines, "op=1 SRCH base"));
      List<String> own =
          lines.stream().filter(line -> line.contains("conn=" + conn + " ")).toList();
      only(
          own,
          "Z conn=\\d+ fd=\\d+ ACCEPT from IP=127\\.0\\.0\\.1:\\d+ \\(IP=127\\.0\\.0\\.1:\\d+\\)$");
      only(own, "op=0 BIND dn=\"" + People.dn(1) + "\" method=128$");
      only(own, "op=0 RESULT tag=97 err=0 qtime=\\d\\.\\d{6} etime=\\d\\.\\d{6} text=");
      only(
          own,
          "op=1 SRCH base=\""
              + People.PEOPLE
              + "\" scope=2 deref=0 filter=\"\\(uid=user\\.1\\)\"$");
      only(own, "op=1 SRCH attr=uid cn$");
      only(
          own,
          "op=1 SEARCH RESULT tag=101 err=0 .* nentries=1 text= id=\""
              + People.dn(1)
              + "\".* cache=miss");
      only(own, "op=2 SEARCH RESULT .* nentries=1 .* cache=hit$");
      only(own, "op=3 RESULT tag=97 err=49 ");
      only(own, "fd=" + conn + " closed$");
      assertThat(String.join("\n", lines)).doesNotContain(WRONG, People.PASSWORD + "\"");
    }
  }

  @Test
  void aLineLeadsToTheLineOfTheDirectory() throws Exception {
    try (AdministeredServer stoa = withFormat("openldap")) {
      work(stoa);
      String line = only(lines(Pattern.compile("op=4 UNBIND")), "op=1 SEARCH RESULT .* cache=miss");
      String port = group(" uport=(\\d+) ", line);
      String conn =
          group("conn=(\\d+) fd=\\d+ ACCEPT from IP=127\\.0\\.0\\.1:" + port + " ", slapd.log());
      assertThat(slapd.log())
          .containsPattern("conn=" + conn + " op=\\d+ SRCH base=\"" + People.PEOPLE);
    }
  }

  @Test
  void logconvReadsTheLinesOf389Ds() throws Exception {
    try (AdministeredServer stoa = withFormat("389ds")) {
      work(stoa);
      lines(Pattern.compile("op=4 UNBIND"));
    }
    String report = LdapCommand.run(Map.of(), "/usr/bin/logconv", file().toString()).text();
    assertThat(report).containsPattern("Searches: +2\\b");
    assertThat(report).containsPattern("Binds: +3\\b"); // one of the administrator
    assertThat(report).containsPattern("Unbinds: +1\\b");
  }

  @Test
  void eachJsonLineIsAnObject() throws Exception {
    try (AdministeredServer stoa = withFormat("json")) {
      work(stoa);
      List<JSONObject> objects = new ArrayList<>();
      for (String line : lines(Pattern.compile("\"op\":4,.*\"type\":\"unbind\""))) {
        objects.add(new JSONObject(line));
      }
      List<JSONObject> searches =
          objects.stream().filter(one -> "search".equals(one.getFieldAsString("type"))).toList();
      assertThat(searches)
          .extracting(one -> one.getFieldAsString("cache"))
          .containsExactly("miss", "hit");
      JSONObject miss = searches.get(0);
      assertThat(miss.getFieldAsString("filter")).isEqualTo(FILTER);
      assertThat(miss.getFieldAsString("base")).isEqualTo(People.PEOPLE);
      assertThat(miss.getFieldAsString("identity")).isEqualTo(People.dn(1));
      assertThat(miss.getFieldAsInteger("entries")).isEqualTo(1);
      assertThat(miss.getFieldAsInteger("result")).isZero();
      assertThat(miss.getFieldAsString("upstream")).isEqualTo("ldap://127.0.0.1:" + slapd.port());
    }
  }

  @Test
  void clientsCannotForgeLines() throws Exception {
    try (AdministeredServer stoa = withFormat("openldap");
        LDAPConnection client = client(stoa)) {
      String forged = "x\n2026-01-01T00:00:00Z conn=9 op=9 BIND dn=\"\u001b[2J";
      client.search(
          People.PEOPLE,
          SearchScope.SUB,
          Filter.createEqualityFilter("uid", forged),
          "uid\nforged");
      search(client, FILTER);
      List<String> lines = lines(Pattern.compile("op=1 SEARCH RESULT"));
      assertThat(lines).allMatch(line -> line.matches("[ -~]*"));
      assertThat(lines).noneMatch(line -> line.startsWith("2026-01-01"));
      only(
          lines,
          "filter=\"\\(uid=x\\\\0a2026-01-01T00:00:00Z conn=9 op=9 BIND dn=\\\\22\\\\1b\\[2J\\)\"$");
    }
  }

  @Test
  void namesAndValuesCanBeHidden() throws Exception {
    try (AdministeredServer stoa =
        start("log: {access: {format: json, destination: '" + file() + "', values: none}}")) {
      work(stoa);
      stoa.set("stoa-log-access-values", "hashed");
      work(stoa);
      String text =
          String.join(
              "\n",
              lines(Pattern.compile("\"filter\":\"\\(uid=#[0-9a-f]{12}\\)\".*\"cache\":\"hit\"")));
      assertThat(text).contains("\"filter\":\"(uid=?)\"").doesNotContain("user.1", "user.2");
      String secret = "(userPassword=" + WRONG + ")";
      stoa.set("stoa-log-access-values", "full");
      try (LDAPConnection client = client(stoa)) {
        search(client, "(2.5.4.35=" + WRONG + ")");
        search(client, secret);
      }
      only(lines(Pattern.compile("userPassword")), "\"filter\":\"\\(userPassword=\\?\\)\"");
      only(lines(Pattern.compile("userPassword")), "\"filter\":\"\\(2\\.5\\.4\\.35=\\?\\)\"");
    }
  }

  @Test
  void filtersChooseOperations() throws Exception {
    try (AdministeredServer stoa =
        start("log: {access: {format: openldap, destination: '" + file() + "', results: [49]}}")) {
      work(stoa);
      List<String> lines = lines(Pattern.compile("RESULT tag=97 err=49"));
      assertThat(lines).noneMatch(line -> line.contains("SRCH"));
      stoa.set("stoa-log-access-networks", "10.0.0.0/8");
      work(stoa);
      stoa.set("stoa-log-access-networks", "127.0.0.0/8");
      work(stoa);
      assertThat(
              value(
                  "the second failed bind",
                  () -> {
                    long failed = count("RESULT tag=97 err=49");
                    return failed < 2 ? null : failed;
                  }))
          .isEqualTo(2);
    }
  }

  private long count(String text) throws IOException {
    return Files.readAllLines(file()).stream().filter(line -> line.contains(text)).count();
  }

  @Test
  void theAuditLogHoldsWritesThatCanBeReplayed() throws Exception {
    Path audit = folder.resolve("audit.ldif");
    String dn = "uid=audited," + People.PEOPLE;
    try (AdministeredServer stoa = start("log: {audit: {destination: '" + audit + "'}}");
        LDAPConnection client = client(stoa)) {
      client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      client.add(
          new Entry(
              dn,
              new Attribute("objectClass", "inetOrgPerson"),
              new Attribute("cn", "Audited"),
              new Attribute("sn", "J\u00fcrgen"),
              new Attribute("userPassword", WRONG)));
      client.modify(dn, new Modification(ModificationType.REPLACE, "description", "one\ntwo"));
      client.modify(dn, new Modification(ModificationType.REPLACE, "2.5.4.35", WRONG));
      stoa.set("stoa-cache-maxAge", "1h");
      LDAPException refused =
          org.junit.jupiter.api.Assertions.assertThrows(
              LDAPException.class, () -> client.delete("uid=nobody," + People.PEOPLE));
      assertThat(refused.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      client.delete(dn);
      String text =
          value(
              "the delete",
              () -> {
                String now = Files.readString(audit);
                return now.contains("\nchangetype: delete\n") ? now : null;
              });
      assertThat(text).doesNotContain(WRONG).contains("# userPassword, values hidden");
      assertThat(text)
          .containsPattern(
              "identity=\""
                  + People.ROOT
                  + "\" from=127\\.0\\.0\\.1:\\d+ .* result=0 upstream=ldap://");
      assertThat(text)
          .contains("# replace: 2.5.4.35, values hidden", "identity=\"cn=admin,cn=configuration\"");
      assertThat(text).contains("result=32 ").contains("# changetype: delete");
    }
    assertThat(replayed(audit))
        .extracting(LDIFChangeRecord::getChangeType)
        .containsExactly(ChangeType.ADD, ChangeType.MODIFY, ChangeType.DELETE);
  }

  /** Replays a log at the directory, and returns its records. */
  private static List<LDIFChangeRecord> replayed(Path audit) throws Exception {
    List<LDIFChangeRecord> records = new ArrayList<>();
    try (LDAPConnection directory = new LDAPConnection("127.0.0.1", slapd.port());
        LDIFReader reader = new LDIFReader(audit.toFile())) {
      directory.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      for (LDIFChangeRecord next = reader.readChangeRecord();
          next != null;
          next = reader.readChangeRecord()) {
        assertThat(next.processChange(directory).getResultCode()).isEqualTo(ResultCode.SUCCESS);
        records.add(next);
      }
    }
    return records;
  }

  @Test
  void aRenamedFileIsOpenedAnew() throws Exception {
    try (AdministeredServer stoa = withFormat("openldap")) {
      work(stoa);
      lines(Pattern.compile("op=4 UNBIND"));
      Files.move(file(), folder.resolve("access.log.1"));
      stoa.server().logs().reopen();
      work(stoa);
      lines(Pattern.compile("op=4 UNBIND"));
    }
  }

  @Test
  void anotherProgramRotates() throws Exception {
    try (AdministeredServer stoa =
            start(
                "log:",
                "  access: {format: openldap, destination: '" + file() + "'}",
                "  rotation: {maxSize: 0}");
        LDAPConnection client = client(stoa)) {
      Await.until(
          "a file beyond each size of the other test",
          () -> {
            search(client, FILTER);
            return Files.size(file()) > 128 << 10;
          });
      assertThat(rotated()).isEmpty();
      Files.move(file(), folder.resolve("access.log.1"));
      stoa.server().logs().reopen();
      search(client, FILTER);
      lines(Pattern.compile("SEARCH RESULT"));
    }
  }

  @Test
  void largeFilesAreRotatedAndCompressed() throws Exception {
    try (AdministeredServer stoa =
            start(
                "log:",
                "  access: {format: openldap, destination: '" + file() + "'}",
                "  rotation: {maxSize: 64KiB, maxTotalSize: 8KiB}");
        LDAPConnection client = client(stoa)) {
      Path first =
          value(
              "a rotated file",
              () -> {
                search(client, FILTER);
                List<Path> rotated = rotated();
                return rotated.isEmpty() ? null : rotated.get(0);
              });
      assertThat(value("a compressed file", () -> decompressed(first)))
          .hasSizeGreaterThan(64 << 10)
          .contains("SEARCH RESULT tag=101 err=0")
          .endsWith("\n");
      Await.until(
          "the oldest file is deleted",
          () -> {
            search(client, FILTER);
            return !rotated().contains(first);
          });
    }
  }

  /** Returns the text of a compressed file; null while it is being written. */
  private static @Nullable String decompressed(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (EOFException unfinished) {
      return null;
    }
  }

  private List<Path> rotated() throws IOException {
    Pattern name = Pattern.compile("access\\.log\\.[-\\d]+\\.\\d+\\.gz");
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(one -> name.matcher(one.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  @Test
  void syslogMessagesHaveTheFormOfRfc5424() throws Exception {
    try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        AdministeredServer stoa =
            start(
                "log: {access: {format: openldap, destination: 'syslog+udp://127.0.0.1:"
                    + receiver.getLocalPort()
                    + "'}}")) {
      receiver.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
      work(stoa);
      DatagramPacket packet = new DatagramPacket(new byte[9000], 9000);
      receiver.receive(packet);
      String message = new String(packet.getData(), 0, packet.getLength(), UTF_8);
      assertThat(message)
          .matches("<166>1 \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z \\S+ stoa \\d+ access - \\S+Z conn=.*");
    }
  }

  @Test
  void syslogByTcpCountsOctets() throws Exception {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        AdministeredServer stoa =
            start(
                "log: {access: {format: openldap, destination: 'syslog+tcp://127.0.0.1:"
                    + receiver.getLocalPort()
                    + "'}}")) {
      try (Socket socket = receiver.accept()) {
        socket.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
        StringBuilder count = new StringBuilder();
        for (int octet = socket.getInputStream().read();
            octet != ' ';
            octet = socket.getInputStream().read()) {
          count.append((char) octet);
        }
        byte[] message = socket.getInputStream().readNBytes(Integer.parseInt(count.toString()));
        assertThat(new String(message, US_ASCII)).startsWith("<166>1 ").contains(" conn=");
      }
    }
  }

  private static void searchUntilLinesAreDropped(AdministeredServer stoa, LDAPConnection client) {
    Await.until(
        "lines are dropped",
        Duration.ofMinutes(2),
        () -> {
          for (int each = 0; each < 500; each++) {
            search(client, FILTER);
          }
          return stoa.server().counters().logDrops().get(LogKind.ACCESS) > 0;
        });
  }

  @Test
  void aReceiverThatTakesNothingNeverHoldsUpAClient() throws Exception {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        AdministeredServer stoa =
            start(
                "log: {access: {format: openldap, destination: 'syslog+tcp://127.0.0.1:"
                    + receiver.getLocalPort()
                    + "'}}");
        Socket frozen = receiver.accept();
        LDAPConnection client = client(stoa)) {
      searchUntilLinesAreDropped(stoa, client);
      assertThat(frozen.isConnected()).isTrue();
      Await.until(
          "the log names the reason",
          () ->
              log.warnings().stream()
                  .anyMatch(
                      line ->
                          line.matches(".*access log: (lines are|\\d+ lines were) dropped: .*")));
    }
  }

  /** The pipe has an open end for readers, from which nothing is read. */
  @Test
  void aChangeBesideAStalledFormerLogIsReported() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(CommandRun.of("mkfifo", pipe.toString()).exitCode()).isZero();
    try (RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw");
        AdministeredServer stoa =
            start(
                "log:",
                "  access: {format: openldap, destination: '" + pipe + "'}",
                "  rotation: {maxSize: 0}");
        LDAPConnection client = client(stoa)) {
      searchUntilLinesAreDropped(stoa, client);
      stoa.set("stoa-log-access-destination", file().toString());
      stoa.set("stoa-log-access-values", "none");
      assertThat(log.warnings())
          .anyMatch(line -> line.contains("change not applied: the former log " + pipe));
      search(client, FILTER);
      lines(Pattern.compile("filter=\"\\(uid=user\\.1\\)\""));
      assertThat(reader.read()).isEqualTo('2'); // of the year in the first line
    }
  }

  @Test
  void theAuditLogHoldsWritesOfAnySize() throws Exception {
    Path audit = folder.resolve("audit.ldif");
    byte[] photo = new byte[3_900_000];
    try (AdministeredServer stoa = start("log: {audit: {destination: '" + audit + "'}}");
        LDAPConnection client = client(stoa)) {
      client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      client.modify(People.dn(4), new Modification(ModificationType.REPLACE, "jpegPhoto", photo));
      for (int each = 0; each < 100; each++) {
        Modification change =
            new Modification(ModificationType.REPLACE, "jpegPhoto", new byte[64 << 10]);
        client.modify(People.dn(4), change);
      }
      value(
          "all writes",
          () -> Files.readString(audit).split("jpegPhoto:: ", -1).length == 102 ? audit : null);
    }
    assertThat(Files.size(audit)).isGreaterThan(photo.length);
  }

  @Test
  void aChangeToAFileThatCannotBeOpenedIsRefused() throws Exception {
    Path audit = folder.resolve("audit.ldif");
    Path missing = folder.resolve("missing").resolve("audit.ldif");
    try (AdministeredServer stoa = start("log: {audit: {destination: '" + audit + "'}}")) {
      int refused =
          stoa.administrator()
              .code(
                  Requests.modify(
                      AdministeredServer.STOA,
                      new Modification(
                          ModificationType.REPLACE,
                          "stoa-log-audit-destination",
                          missing.toString())));
      assertThat(refused).isEqualTo(ResultCode.CONSTRAINT_VIOLATION.intValue());
      try (LDAPConnection client = client(stoa)) {
        client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
        client.modify(
            People.dn(3), new Modification(ModificationType.REPLACE, "description", "kept"));
      }
      value("the write", () -> Files.readString(audit).contains("kept") ? audit : null);
    }
  }

  @Test
  void aFileThatCannotBeOpenedIsNamed() throws Exception {
    Path missing = folder.resolve("missing").resolve("access.log");
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> start("log: {access: {format: json, destination: '" + missing + "'}}"))
        .hasMessageContaining("log.access.destination: " + missing + ": ");
  }
}
