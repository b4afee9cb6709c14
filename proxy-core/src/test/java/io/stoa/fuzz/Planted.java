// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.stoa.ldap.protocol.Octets;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/** A bug that is put into Stoa, to prove that the fuzzer finds it. Immutable. */
enum Planted {
  /** A stored entry is given to a search that wants other attributes. */
  SHARED_ENTRIES(
      "io.stoa.ldap.schema.AttributeSelection", Agreed.class, "covers", 1, "none", "PLAIN"),
  /** A stored entry is given to a search of another form. */
  SHARED_FORMS(
      "io.stoa.ldap.filter.QueryNormalizer", Formless.class, "entryKey", 3, "dynlist", "PLAIN"),
  /** All identities share what is stored. */
  SHARED_IDENTITIES(
      "io.stoa.cache.sharing.ClassTable", Anonymous.class, "of|peek", 3, "none", "PLAIN"),
  /** A write is taken to change its own entry alone, whatever overlays there are. */
  NO_SIDE_EFFECTS(
      "io.stoa.coherence.tracking.FeedCoverage", Agreed.class, "isContained", 0, "collect", "FED");

  private final String className;
  private final Class<?> advice;
  private final String method;
  private final int parameters;
  private final String overlay;
  private final String kind;

  Planted(
      String className,
      Class<?> advice,
      String method,
      int parameters,
      String overlay,
      String kind) {
    this.className = className;
    this.advice = advice;
    this.method = method;
    this.parameters = parameters;
    this.overlay = overlay;
    this.kind = kind;
  }

  /** Whether replays show it soon enough for a build: they wait until answers rest on a feed. */
  boolean isShrunk() {
    return kind.equals("PLAIN");
  }

  /** What the fuzzer says of Stoa with the bug; empty if it finds nothing. */
  String found(long seed) {
    try {
      return (String)
          new Copy(className, changed())
              .loadClass(Fuzz.class.getName())
              .getMethod("wrong", long.class, String.class, String.class, boolean.class)
              .invoke(null, seed, overlay, kind, isShrunk());
    } catch (InvocationTargetException e) {
      throw new AssertionError("the bug breaks the fuzzer", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the fuzzer cannot be run in a copy", e);
    }
  }

  private byte[] changed() {
    ClassFileLocator files = ClassFileLocator.ForClassLoader.of(Planted.class.getClassLoader());
    TypeDescription type = TypePool.Default.of(files).describe(className).resolve();
    return new ByteBuddy()
        .redefine(type, files)
        .visit(
            Advice.to(advice)
                .on(namedOneOf(method.split("[|]", -1)).and(takesArguments(parameters))))
        .make()
        .getBytes();
  }

  /** Stoa and its fixtures once more, with one class changed. Thread-safe. */
  private static final class Copy extends ClassLoader {
    private final String name;
    private final byte[] changed;

    Copy(String name, byte[] changed) {
      super(Planted.class.getClassLoader());
      this.name = name;
      this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(wanted)) {
        Class<?> known = findLoadedClass(wanted);
        if (known != null) {
          return known;
        }
        if (!wanted.startsWith("io.stoa.")) {
          return super.loadClass(wanted, resolve);
        }
        byte[] octets = wanted.equals(name) ? changed : original(wanted);
        return defineClass(wanted, octets, 0, octets.length);
      }
    }

    private byte[] original(String wanted) throws ClassNotFoundException {
      String file = wanted.replace('.', '/') + ".class";
      try (InputStream in = getParent().getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(wanted);
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(wanted, e);
      }
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Agreed {
    private Agreed() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void agree(@Advice.Return(readOnly = false) boolean result) {
      result = true;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Formless {
    private Formless() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void forget(@Advice.Return(readOnly = false) Octets result) {
      result = Octets.EMPTY;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class Anonymous {
    private Anonymous() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 0, readOnly = false) Octets identity) {
      identity = Octets.EMPTY;
    }
  }
}
