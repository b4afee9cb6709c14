// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An attribute of {@code cn=configuration} and its key of the configuration file.
 *
 * <p>Threading: immutable.
 *
 * @param entry name of its entry
 * @param name name as in answers
 * @param key name of the key
 * @param form format of its values
 */
record Attribute(String entry, String name, String key, ValueFormat form) {
  static final String CONFIGURATION = "cn=Configuration";
  static final String FRONT_END = "cn=Front End, cn=Configuration";
  static final String DIRECTORY =
      "cn=Directory,cn=RDBM Backends,cn=IBM Directory,cn=Schemas,cn=Configuration";
  static final String ALL_KEYS = "cn=Stoa,cn=Configuration";
  static final String FILE = "cn=File," + ALL_KEYS;
  static final String DEFAULTS = "cn=Defaults," + ALL_KEYS;

  /** The attributes of IBM Directory Server. */
  static final List<Attribute> IBM_ATTRIBUTES =
      List.of(
          new Attribute(CONFIGURATION, "ibm-slapdSizeLimit", "limits.sizeLimit", ValueFormat.PLAIN),
          new Attribute(
              CONFIGURATION, "ibm-slapdTimeLimit", "limits.timeLimit", ValueFormat.SECONDS),
          new Attribute(FRONT_END, "ibm-slapdACLCache", "cache.aclCache", ValueFormat.BOOLEAN),
          new Attribute(
              FRONT_END, "ibm-slapdACLCacheSize", "cache.aclCacheSize", ValueFormat.PLAIN),
          new Attribute(
              FRONT_END, "ibm-slapdEntryCacheSize", "cache.entryCacheSize", ValueFormat.PLAIN),
          new Attribute(
              FRONT_END, "ibm-slapdFilterCacheSize", "cache.filterCacheSize", ValueFormat.PLAIN),
          new Attribute(
              FRONT_END, "ibm-slapdFilterCacheBypassLimit", "cache.bypassLimit", ValueFormat.PLAIN),
          new Attribute(
              FRONT_END, "ibm-slapdIdleTimeOut", "limits.idleTimeout", ValueFormat.SECONDS),
          new Attribute(
              DIRECTORY, "ibm-slapdDbConnections", "upstream.maxConnections", ValueFormat.PLAIN),
          new Attribute(
              DIRECTORY,
              "ibm-slapdPagedResAllowNonAdmin",
              "limits.pagedResults",
              ValueFormat.BOOLEAN),
          new Attribute(
              DIRECTORY, "ibm-slapdPagedResLmt", "limits.pagedSearches", ValueFormat.PLAIN),
          new Attribute(DIRECTORY, "ibm-slapdPageSizeLmt", "limits.pageSize", ValueFormat.PLAIN),
          new Attribute(
              DIRECTORY, "ibm-slapdSortSrchAllowNonAdmin", "limits.sorting", ValueFormat.BOOLEAN),
          new Attribute(DIRECTORY, "ibm-slapdSortKeyLimit", "limits.sortKeys", ValueFormat.PLAIN));

  private static final String PREFIX = "stoa-";

  /** Formats of values in the tree, which may differ from the file's. */
  enum ValueFormat {
    /** The format of the file. */
    PLAIN,
    /** TRUE or FALSE. */
    BOOLEAN,
    /** A number of seconds. */
    SECONDS;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h)");

    /** Returns a value of the file in the format of the tree. */
    String toAttribute(String ofFile) {
      return switch (this) {
        case PLAIN -> ofFile;
        case BOOLEAN -> ofFile.toUpperCase(Locale.ROOT);
        case SECONDS -> seconds(ofFile);
      };
    }

    /**
     * Returns a value of the tree in the format of the file.
     *
     * @throws IllegalArgumentException if the value has another format
     */
    String toFile(String value) {
      return switch (this) {
        case PLAIN -> value;
        case BOOLEAN -> truth(value);
        case SECONDS -> duration(value);
      };
    }

    private static String truth(String value) {
      String upper = value.toUpperCase(Locale.ROOT);
      if (!upper.equals("TRUE") && !upper.equals("FALSE")) {
        throw new IllegalArgumentException("'" + value + "' must be TRUE or FALSE");
      }
      return upper.toLowerCase(Locale.ROOT);
    }

    private static String duration(String value) {
      if (!NUMBER.matcher(value).matches()) {
        throw new IllegalArgumentException("'" + value + "' must be a number of seconds");
      }
      return value + "s";
    }

    /** Rounds up to whole seconds, since 0 means something else. */
    private static String seconds(String duration) {
      Matcher matcher = DURATION.matcher(duration);
      if (!matcher.matches()) {
        return duration;
      }
      long number = Long.parseLong(matcher.group(1));
      return Long.toString(
          switch (matcher.group(2)) {
            case "ms" -> (number + 999) / 1000;
            case "m" -> number * 60;
            case "h" -> number * 3600;
            default -> number;
          });
    }
  }

  /** Returns the attribute for a key of the file, named after it. */
  static Attribute of(String key) {
    return new Attribute(ALL_KEYS, PREFIX + key.replace('.', '-'), key, ValueFormat.PLAIN);
  }

  boolean isNamed(String other) {
    return name.equalsIgnoreCase(other);
  }
}
