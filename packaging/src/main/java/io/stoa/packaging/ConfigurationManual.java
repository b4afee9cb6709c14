// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.server.config.KeyDescription;
import io.stoa.server.config.KeyDescription.FieldDescription;

/** The manual page of the configuration file. Threading: confined to one thread. */
final class ConfigurationManual {
  private static final String EXAMPLE =
      """
      listen:
        - 0.0.0.0:389
        - ldapi://%2Frun%2Fstoa%2Fldapi
      upstream:
        servers:
          - ldap://ldap1.example.com
          - ldap://ldap2.example.com
      """;

  private final Troff page;
  private String section = "";

  private ConfigurationManual(String version) {
    page = new Troff("stoa.yaml", 5, version);
  }

  /** Returns the page. */
  static String of(String version) {
    ConfigurationManual manual = new ConfigurationManual(version);
    manual.head();
    KeyDescription.all().forEach(manual::key);
    manual.foot();
    return manual.page.toString();
  }

  private void head() {
    page.section("NAME").text("stoa.yaml - configuration of the LDAP proxy stoa");
    page.section("SYNOPSIS").bold("/etc/stoa/stoa.yaml");
    page.section("DESCRIPTION")
        .text("The configuration is a file in YAML 1.2, whose sections are mappings.")
        .text("Keys that are left out have their defaults; upstream.servers is required.")
        .text("An unknown key is an error.");
    page.paragraph("Check the file before it is used:").verbatim("stoa check-config FILE");
    page.paragraph("Keys marked \"reload\" take effect with SIGHUP, or stoactl config reload.")
        .text("All others need a restart.");
    page.section("EXAMPLE").verbatim(EXAMPLE);
    page.section("KEYS");
  }

  private void key(KeyDescription key) {
    if (!key.section().equals(section)) {
      section = key.section();
      page.subsection(section);
    }
    page.term(key.name(), key.meaning());
    page.indent();
    String value = String.join(", ", key.defaults());
    String shown = value.isEmpty() ? "none" : value;
    String use = key.required() ? "Required." : "Default: " + shown + ".";
    page.paragraph("Type: " + key.type() + ". " + use + reload(key.live()));
    key.fields().forEach(this::field);
    page.outdent();
  }

  private void field(FieldDescription field) {
    page.term(field.name(), field.meaning() + reload(field.live()));
  }

  private static String reload(boolean live) {
    return live ? " (reload)" : "";
  }

  private void foot() {
    page.section("FILES").term("/etc/stoa/stoa.yaml", "Configuration of the service.");
    page.term("/var/lib/stoa/changes", "Changes at run time, which override the file.");
    page.term("/usr/share/stoa/stoa.schema.json", "JSON Schema of the file, for editors.");
    page.section("SEE ALSO").text("stoa(1), stoactl(1)");
  }
}
