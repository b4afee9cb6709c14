// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of the page by path. They hold no data, so no token is needed: the page asks its user
 * for the token, and sends it with each request for {@code /monitor}.
 *
 * <p>Threading: immutable.
 */
final class PageFiles {
  private static final String HTML = "text/html; charset=utf-8";
  private static final String CSS = "text/css; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String ICON = "image/svg+xml";

  /**
   * Headers of each file. The page loads nothing but its own files, runs no inline script, and is
   * shown in no frame (Content Security Policy Level 3).
   */
  static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
              + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
              + "require-trusted-types-for 'script'",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  /** Each file by its path. */
  static final Map<String, PageFile> ALL =
      Stream.of(
              read("/", "index.html", HTML),
              read("/page.css", "page.css", CSS),
              read("/icon.svg", "icon.svg", ICON),
              script("page.js"),
              script("monitor.js"),
              script("history.js"),
              script("chart.js"),
              script("table.js"),
              script("elements.js"),
              script("format.js"),
              script("sections.js"))
          .collect(Collectors.toUnmodifiableMap(PageFile::path, file -> file));

  private PageFiles() {}

  /** A file. Threading: immutable. */
  record PageFile(String path, String type, byte[] octets) {}

  private static PageFile script(String name) {
    return read("/" + name, name, SCRIPT);
  }

  private static PageFile read(String path, String name, String type) {
    try (InputStream file = PageFiles.class.getResourceAsStream("page/" + name)) {
      if (file == null) {
        throw new IllegalStateException("the file " + name + " of the page is missing");
      }
      return new PageFile(path, type, file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
