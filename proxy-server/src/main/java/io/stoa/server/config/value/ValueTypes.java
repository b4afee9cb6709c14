// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.Network;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.upstream.server.ServerAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The types of values of configuration keys. Threading: immutable. */
public final class ValueTypes {
  private static final String WHOLE = "[+-]?\\d+";
  private static final String OCTAL_DIGITS = "[0-7]+";
  private static final String ADDRESS = "[^/]*:" + WHOLE;

  /** Attribute type: a name or a numeric OID (RFC 4512, section 1.4), without options. */
  private static final String ATTRIBUTE_FORM = "[a-zA-Z][a-zA-Z0-9-]*|\\d+(\\.\\d+)+";

  /** Pattern that each DN matches. */
  public static final String DN_FORM = "\\s*|[\\s\\S]*=[\\s\\S]*";

  /** Pattern that the URL of each server matches. */
  public static final String SERVER_FORM =
      JsonSchema.anyCase("ldap")
          + "(?:[iI]|[sS]?(?:\\+"
          + JsonSchema.anyCase("srv")
          + ")?)://[^ ]+";

  private static final String LISTENER_FORM =
      "(?:(?:%s[sS]?|%s)://)?%s|%s[iI]://(?:/|%%2[fF])[\\s\\S]*"
          .formatted(
              JsonSchema.anyCase("ldap"),
              JsonSchema.anyCase("passthrough"),
              ADDRESS,
              JsonSchema.anyCase("ldap"));

  private static final Map<String, Duration> TIME_UNITS =
      new TreeMap<>(
          Map.of(
              "ms", Duration.ofMillis(1),
              "s", Duration.ofSeconds(1),
              "m", Duration.ofMinutes(1),
              "h", Duration.ofHours(1)));
  private static final Map<String, Long> SIZE_UNITS =
      new TreeMap<>(Map.of("", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30));

  private static final String DIGITS = "\\d{1,18}";
  private static final Pattern WORD = Pattern.compile("_(.)");
  private static final Pattern QUANTITY = Pattern.compile("(" + DIGITS + ")([a-zA-Z]*)");
  private static final Pattern ATTRIBUTE_TYPE = Pattern.compile(ATTRIBUTE_FORM);

  public static final Scalar<Boolean> BOOLEAN =
      new Scalar<>("true or false", JsonSchema.truth(), ValueTypes::parseBoolean, String::valueOf);
  public static final Scalar<Integer> NUMBER =
      new Scalar<>(
          "number",
          JsonSchema.number(Integer.MIN_VALUE, Integer.MAX_VALUE, WHOLE),
          ValueTypes::parseNumber,
          String::valueOf);
  public static final Scalar<Duration> DURATION =
      new Scalar<>(
          "duration",
          JsonSchema.anyOf(
              Map.of("const", 0), JsonSchema.string("0|" + quantity(TIME_UNITS.keySet()))),
          ValueTypes::parseDuration,
          ValueTypes::print);
  public static final Scalar<Long> SIZE =
      new Scalar<>("size", size(Long.MAX_VALUE), ValueTypes::parseSize, ValueTypes::print);
  public static final Scalar<Integer> INT_SIZE =
      new Scalar<>(
          "size", size(Integer.MAX_VALUE), ValueTypes::parseIntSize, size -> print((long) size));
  public static final Scalar<Integer> OCTAL =
      new Scalar<>(
          "octal number",
          JsonSchema.number(0, Long.MAX_VALUE, OCTAL_DIGITS),
          ValueTypes::parseOctal,
          mode -> String.format("%04o", mode));
  public static final Scalar<String> TEXT =
      new Scalar<>("string", JsonSchema.plain(), text -> text, ValueTypes::quote);
  public static final Scalar<String> DN =
      new Scalar<>("DN", JsonSchema.string(DN_FORM), ValueTypes::checkDn, ValueTypes::quote);
  public static final Scalar<String> ATTRIBUTE =
      new Scalar<>(
          "attribute",
          JsonSchema.plain(ATTRIBUTE_FORM),
          ValueTypes::checkAttribute,
          ValueTypes::quote);
  public static final Scalar<String> NETWORK =
      new Scalar<>(
          "network",
          JsonSchema.string("(?:(?:\\d{1,3}\\.){3}\\d{1,3}|[^/]*:[^/]*)(?:/" + WHOLE + ")?"),
          ValueTypes::checkNetwork,
          ValueTypes::quote);
  public static final Scalar<ListenerConfig> LISTENER =
      new Scalar<>(
          "ADDRESS:PORT",
          JsonSchema.string(LISTENER_FORM),
          ListenerConfig::parse,
          ListenerConfig::toString);
  public static final Scalar<Optional<Path>> FILE =
      new Scalar<>("file", JsonSchema.plain(), ValueTypes::parseFile, ValueTypes::print);
  public static final Scalar<ServerAddress> SERVER =
      new Scalar<>(
          "ldap://, ldaps:// or ldapi:// URL",
          JsonSchema.string(SERVER_FORM),
          ServerAddress::parse,
          ServerAddress::toString);

  private ValueTypes() {}

  /** Returns the type of the constants of an enum, written in camel case. */
  public static <E extends Enum<E>> Scalar<E> choice(Class<E> type) {
    return choice(type, ValueTypes::camel);
  }

  /** Returns the type of the constants of an enum, written as {@code name} says. */
  public static <E extends Enum<E>> Scalar<E> choice(Class<E> type, Function<E, String> name) {
    Map<String, E> byName = new LinkedHashMap<>();
    Stream.of(type.getEnumConstants())
        .forEach(constant -> byName.put(name.apply(constant), constant));
    String form = String.join(", ", byName.keySet()).replaceFirst(", (\\w+)$", " or $1");
    return new Scalar<>(
        form,
        JsonSchema.choice(byName.keySet()),
        text -> {
          E constant = byName.get(text);
          if (constant == null) {
            throw new IllegalArgumentException("'" + text + "' must be " + form);
          }
          return constant;
        },
        name);
  }

  private static String camel(Enum<?> constant) {
    String lower = constant.name().toLowerCase(Locale.ROOT);
    return WORD.matcher(lower).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
  }

  private static Map<String, Object> size(long maximum) {
    return JsonSchema.number(0, maximum, quantity(SIZE_UNITS.keySet()));
  }

  private static String quantity(Set<String> units) {
    return DIGITS + "(?:" + String.join("|", units) + ")";
  }

  private static int parseOctal(String text) {
    try {
      return Integer.parseInt(matching(OCTAL_DIGITS, text), 8);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not an octal number such as 0660", e);
    }
  }

  /** Returns the text if it has the form; NumberFormatException otherwise. */
  private static String matching(String form, String text) {
    if (!text.matches(form)) {
      throw new NumberFormatException();
    }
    return text;
  }

  /** Parses a path. The empty text means no file. */
  private static Optional<Path> parseFile(String text) {
    try {
      return Optional.of(text).filter(name -> !name.isEmpty()).map(Path::of);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("'" + text + "' is not a valid path", e);
    }
  }

  private static String print(Optional<Path> file) {
    return quote(file.map(Path::toString).orElse(""));
  }

  private static boolean parseBoolean(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' must be true or false");
    };
  }

  private static int parseNumber(String text) {
    try {
      return Integer.parseInt(matching(WHOLE, text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' must be a whole number", e);
    }
  }

  private static Duration parseDuration(String text) {
    Matcher matcher = QUANTITY.matcher(text);
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Duration unit = matcher.matches() ? TIME_UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration such as 200ms, 5s, 2m, 1h or 0");
    }
    try {
      return Duration.ofNanos(unit.multipliedBy(Long.parseLong(matcher.group(1))).toNanos());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text + "' is out of range", e);
    }
  }

  private static String print(Duration value) {
    if (value.isZero()) {
      return "0";
    }
    if (value.toMillisPart() != 0) {
      return value.toMillis() + "ms";
    }
    boolean minutes = value.toSecondsPart() == 0 && value.toMinutes() != 1;
    return minutes ? value.toMinutes() + "m" : value.toSeconds() + "s";
  }

  private static long parseSize(String text) {
    Matcher matcher = QUANTITY.matcher(text);
    Long unit = matcher.matches() ? SIZE_UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size such as 65536 (bytes), 256KiB, 4MiB or 1GiB");
    }
    try {
      return Math.multiplyExact(unit, Long.parseLong(matcher.group(1)));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text + "' is out of range", e);
    }
  }

  private static int parseIntSize(String text) {
    long size = parseSize(text);
    if (size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("'" + text + "' must be below 2GiB");
    }
    return (int) size;
  }

  private static String print(long size) {
    for (String unit : List.of("GiB", "MiB", "KiB")) {
      long octets = SIZE_UNITS.getOrDefault(unit, 1L);
      if (size != 0 && size % octets == 0) {
        return size / octets + unit;
      }
    }
    return Long.toString(size);
  }

  private static String checkDn(String text) {
    if (!NormalDn.of(text.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT).isDn()) {
      throw new IllegalArgumentException("'" + text + "' is not a DN");
    }
    return text;
  }

  private static String checkAttribute(String text) {
    if (!ATTRIBUTE_TYPE.matcher(text).matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a valid attribute name");
    }
    return text;
  }

  private static String checkNetwork(String text) {
    Network.parse(text);
    return text;
  }

  public static String quote(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
