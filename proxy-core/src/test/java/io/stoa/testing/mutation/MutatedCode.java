// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing.mutation;

import static net.bytebuddy.matcher.ElementMatchers.hasDescriptor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * The product and its tests once more, in a class loader of its own, with some methods changed.
 *
 * <p>Threading: thread-safe.
 */
public final class MutatedCode extends ClassLoader {
  private static final String OURS = "io.stoa.";

  private final Map<String, byte[]> changed = new HashMap<>();

  public MutatedCode() {
    super(MutatedCode.class.getClassLoader());
  }

  /** Puts the advice around the methods, all of one class. */
  public MutatedCode advise(Class<?> advice, MethodRef... methods) {
    return change(methods[0].className(), Advice.to(advice).on(anyOf(methods)));
  }

  /** Makes a method read zero, null or false where it calls another one of its class. */
  public MutatedCode stub(MethodRef called, MethodRef caller) {
    return change(
        caller.className(),
        MemberSubstitution.relaxed().method(anyOf(called)).stub().on(anyOf(caller)));
  }

  private static ElementMatcher.Junction<MethodDescription> anyOf(MethodRef... methods) {
    return Arrays.stream(methods)
        .map(
            method ->
                named(method.name())
                    .and(hasDescriptor(method.descriptor()))
                    .<MethodDescription>and(one -> true))
        .reduce(none(), ElementMatcher.Junction::or);
  }

  private MutatedCode change(String name, AsmVisitorWrapper change) {
    ClassFileLocator files = ClassFileLocator.ForClassLoader.of(getParent());
    TypeDescription type = TypePool.Default.of(files).describe(name).resolve();
    byte[] octets = new ByteBuddy().redefine(type, files).visit(change).make().getBytes();
    if (Arrays.equals(octets, unchanged(type, files))) {
      throw new IllegalStateException("no method of " + name + " was changed");
    }
    changed.put(name, octets);
    return this;
  }

  private static byte[] unchanged(TypeDescription type, ClassFileLocator files) {
    return new ByteBuddy()
        .redefine(type, files)
        .visit(Advice.to(Advices.Skip.class).on(none()))
        .make()
        .getBytes();
  }

  /** Loads the changed classes, and so has the virtual machine verify them. */
  public void loadChanged() throws ClassNotFoundException {
    for (String name : changed.keySet()) {
      Class.forName(name, true, this);
    }
  }

  /** Calls a public static method of a class in this copy. */
  public Object call(MethodRef method, Object... arguments) {
    try {
      return Arrays.stream(loadClass(method.className()).getMethods())
          .filter(one -> one.getName().equals(method.name()))
          .findFirst()
          .orElseThrow()
          .invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError("the mutant breaks the test itself", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the copy cannot be run", e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null || !name.startsWith(OURS)) {
        return known == null ? super.loadClass(name, resolve) : known;
      }
      byte[] changedOctets = changed.get(name);
      byte[] octets = changedOctets == null ? original(name) : changedOctets;
      return defineClass(name, octets, 0, octets.length);
    }
  }

  private byte[] original(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = getParent().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
