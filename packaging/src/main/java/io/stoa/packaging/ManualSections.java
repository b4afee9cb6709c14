// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sections of a manual page that do not follow from picocli's model.
 *
 * <p>Threading: immutable.
 *
 * @param summary what the command does, in the words of {@code whatis}
 * @param description further paragraphs of the description
 * @param environment variables with their meaning
 * @param files files with their meaning
 * @param related the names of related pages
 */
record ManualSections(
    String summary,
    List<String> description,
    Map<String, String> environment,
    Map<String, String> files,
    String related) {
  private static final String JAVA = "Java to use, 17 or newer. Default: java of the PATH.";

  static final ManualSections STOA =
      new ManualSections(
          "caching LDAP proxy",
          List.of(
              "Stoa answers repeated searches from memory, balances other reads over directory"
                  + " servers, and forwards everything else unchanged.",
              "SIGTERM and SIGINT drain Stoa for at most drainTimeout and end it. SIGHUP reloads"
                  + " the configuration file. Under systemd, Stoa reports its state and feeds the"
                  + " watchdog while its event loops answer."),
          ordered(
              "JAVA_HOME",
              JAVA,
              "STOA_MEMORY",
              "Memory of Stoa in MiB. Default: the limit of the control group, or else the memory"
                  + " of the machine.",
              "STOA_JAVA_OPTS",
              "Further options of the JVM. They override those of Stoa.",
              "NOTIFY_SOCKET",
              "Datagram socket of systemd, as sd_notify(3) describes it.",
              "LISTEN_FDS",
              "Number of listening sockets that systemd passes, as sd_listen_fds(3) describes it."
                  + " Each one must have the address of a listener."),
          ordered(
              "/etc/stoa/stoa.yaml",
              "Configuration of the service.",
              "/etc/stoa/logback.xml",
              "Form and levels of the log.",
              "/etc/default/stoa",
              "Environment of the service.",
              "/var/cache/stoa/classes.jsa",
              "Class archive, made by stoa class-archive. Without it Stoa starts more slowly.",
              "/var/lib/stoa/changes",
              "Changes of the configuration at run time.",
              "/run/stoa/ldapi",
              "Local socket for clients and for stoactl."),
          "stoactl(1), stoa.yaml(5), systemd.service(5)");

  static final ManualSections STOACTL =
      new ManualSections(
          "show and control a Stoa",
          List.of("root needs no password over the local socket of Stoa."),
          ordered(
              "STOACTL_URI",
              "Address of Stoa. Default: ldapi://%2Frun%2Fstoa%2Fldapi.",
              "STOACTL_PASSWORD",
              "Password of the administrator.",
              "JAVA_HOME",
              JAVA),
          ordered("/run/stoa/ldapi", "Local socket of the service."),
          "stoa(1), stoa.yaml(5)");

  /** Adds the sections that end a page. */
  void addTo(Troff page) {
    page.section("ENVIRONMENT");
    environment.forEach(page::term);
    page.section("FILES");
    files.forEach(page::term);
    page.section("SEE ALSO").text(related);
  }

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }
}
