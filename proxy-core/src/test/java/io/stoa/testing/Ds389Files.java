// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldif.LDIFException;
import com.unboundid.ldif.LDIFReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The directory in which one {@link Ds389} lives: the configuration, made of 389-ds's own template
 * without its installer (which would write to /etc and /var), and the databases. Not thread-safe.
 */
final class Ds389Files {
  private static final Path DATA = Path.of("/usr/share/dirsrv/data");
  private static final Path CONFIG = Path.of("/etc/dirsrv/config");
  private static final List<String> BELOW =
      List.of("schema", "lock", "tmp", "ldif", "bak", "run", "log", "db", "home");

  private final Ds389Config config;
  private final ScratchDirectory scratch;

  private Ds389Files(Ds389Config config, ScratchDirectory scratch) {
    this.config = config;
    this.scratch = scratch;
  }

  /**
   * Writes the configuration and loads every database.
   *
   * @param tlsPort for a server that speaks TLS
   */
  static Ds389Files create(Ds389Config config, int port, int tlsPort) {
    String secure = Integer.toString(tlsPort);
    Ds389Config whole =
        config.tls() == null
            ? config
            : config.set(Ds389Config.CONFIG, "nsslapd-securePort", secure);
    Ds389Files files = new Ds389Files(whole, ScratchDirectory.create("stoa-ds389"));
    Leftovers.willMake(files.semaphore());
    boolean loaded = false;
    try {
      files.write(port);
      loaded = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!loaded) {
        files.delete();
      }
    }
    return files;
  }

  private void write(int port) throws IOException {
    BELOW.forEach(scratch::directory);
    copy(Path.of("/etc/dirsrv/schema/99user.ldif"), "schema/99user.ldif");
    copy(CONFIG.resolve("slapd-collations.conf"), "slapd-collations.conf");
    copy(CONFIG.resolve("certmap.conf"), "certmap.conf");
    scratch.write("dse.ldif", configuration(port));
    Ds389Config.Tls tls = config.tls();
    if (tls != null) {
      NssDatabase.write(scratch, tls.authority(), tls.own(), log());
    }
    for (int i = 0; i < config.databases().size(); i++) {
      Path ldif = scratch.write("ldif/" + i + ".ldif", config.databases().get(i).ldif());
      ServerProcess.run(load(i, ldif), log());
    }
  }

  private void copy(Path from, String to) throws IOException {
    Files.copy(Installation.first(from.toString(), Stream.of(from)), scratch.file(to));
  }

  private String configuration(int port) throws IOException {
    Map<DN, Entry> entries = new LinkedHashMap<>();
    read(entries, fill(template("template-dse.ldif"), tokens(port)));
    for (int i = 0; i < config.databases().size(); i++) {
      Map<String, String> names =
          Map.of("%ds_bename%", name(i), "%ds_suffix%", config.databases().get(i).suffix());
      read(entries, fill(fill(template("template-suffix-db.ldif"), names), tokens(port)));
    }
    config.entries().forEach(ldif -> read(entries, ldif));
    config.settings().forEach(setting -> set(entries, setting));
    StringBuilder text = new StringBuilder();
    entries.values().forEach(entry -> text.append(entry.toLDIFString()).append('\n'));
    return text.toString();
  }

  private static void set(Map<DN, Entry> entries, Ds389Config.Setting setting) {
    Entry entry = entries.get(dn(setting.entry()));
    if (entry == null) {
      throw new AssertionError("389-ds has no entry " + setting.entry() + " in its template");
    }
    entry.setAttribute(setting.attribute(), setting.values());
  }

  private static void read(Map<DN, Entry> entries, String ldif) {
    try (LDIFReader reader = new LDIFReader(new BufferedReader(new StringReader(ldif)))) {
      for (Entry entry = reader.readEntry(); entry != null; entry = reader.readEntry()) {
        entries.put(dn(entry.getDN()), entry);
      }
    } catch (IOException | LDIFException e) {
      throw new AssertionError("not LDIF: " + ldif, e);
    }
  }

  private static DN dn(String dn) {
    try {
      return new DN(dn);
    } catch (LDAPException e) {
      throw new AssertionError("not a name: " + dn, e);
    }
  }

  private static String template(String name) throws IOException {
    Path path = DATA.resolve(name);
    return Files.readString(Installation.first(path.toString(), Stream.of(path)));
  }

  private static String fill(String template, Map<String, String> tokens) {
    String text = template;
    for (Map.Entry<String, String> token : tokens.entrySet()) {
      text = text.replace(token.getKey(), token.getValue());
    }
    return text;
  }

  private Map<String, String> tokens(int port) {
    Map<String, String> tokens = new LinkedHashMap<>();
    tokens.put("%schema_dir%", scratch.file("schema").toString());
    for (String name : List.of("lock", "tmp", "ldif", "bak", "run", "log", "db")) {
      tokens.put("%" + name + "_dir%", scratch.file(name).toString());
    }
    for (String name : List.of("%cert_dir%", "%inst_dir%", "%config_dir%")) {
      tokens.put(name, scratch.path().toString());
    }
    tokens.put("%db_home_dir%", scratch.file("home").toString());
    tokens.put("%db_lib%", "bdb");
    tokens.put("%fqdn%", "localhost");
    tokens.put("%ds_port%", Integer.toString(port));
    tokens.put("%ds_user%", System.getProperty("user.name"));
    tokens.put("%rootdn%", Ds389Config.ROOT);
    tokens.put("%ds_passwd%", hashed(Ds389Config.ROOT_PASSWORD));
    tokens.put("%ldapi_enabled%", "off");
    tokens.put("%ldapi_autobind%", "off");
    tokens.put("%ldapi%", socket().toString());
    tokens.put("%ds_suffix%", config.databases().get(0).suffix());
    return tokens;
  }

  /** Where it listens locally, if it is told to. */
  Path socket() {
    return scratch.file("ldapi");
  }

  /** As PBKDF2 would cost a tenth of a second for each bind of the root identity. */
  private static String hashed(String password) {
    try {
      byte[] salt = "pepper".getBytes(StandardCharsets.UTF_8);
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(password.getBytes(StandardCharsets.UTF_8));
      byte[] hash = digest.digest(salt);
      byte[] salted = Arrays.copyOf(hash, hash.length + salt.length);
      System.arraycopy(salt, 0, salted, hash.length, salt.length);
      return "{SSHA}" + Base64.getEncoder().encodeToString(salted);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("no SHA-1", e);
    }
  }

  private static String name(int index) {
    return "db" + index;
  }

  /** The command line of the server. */
  List<String> server() {
    List<String> command =
        List.of(program(), "-D", where(), "-i", scratch.file("pid").toString(), "-d", "0");
    if (config.environment().isEmpty()) {
      return command;
    }
    List<String> whole = new ArrayList<>(List.of("/usr/bin/env"));
    config.environment().forEach((name, value) -> whole.add(name + "=" + value));
    whole.addAll(command);
    return whole;
  }

  private List<String> load(int index, Path ldif) {
    return List.of(
        program(), "ldif2db", "-D", where(), "-n", name(index), "-i", ldif.toString(), "-d", "0");
  }

  private static String program() {
    return Installation.program("ns-slapd").toString();
  }

  private String where() {
    return scratch.path().toString();
  }

  /** The server writes to it too. */
  Path log() {
    return scratch.file("log/errors");
  }

  /** What it has written of operations. */
  String operations() {
    return scratch.read("log/access");
  }

  /** A server that was killed leaves it behind. */
  private Path semaphore() {
    return Path.of("/dev/shm", "sem." + scratch.path().getFileName() + ".stats");
  }

  void delete() {
    Leftovers.delete(semaphore());
    scratch.delete();
  }
}
