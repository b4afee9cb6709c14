// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.named;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientIdentity;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Stoa with one thing taken out of the cache key, to prove that the tests would notice: a changed
 * copy of one class, to be put in front of the class path of a process.
 */
public enum Mutant {
  /** Everybody shares one partition of the caches. */
  IDENTITY("io.stoa.cache.result.CacheStage") {
    @Override
    AsmVisitorWrapper change() throws ReflectiveOperationException {
      Method everybody = Mutant.class.getMethod("everybody", ClientIdentity.class);
      return MemberSubstitution.strict()
          .method(named("name").and(isDeclaredBy(ClientIdentity.class)))
          .replaceWith(everybody)
          .on(ElementMatchers.any());
    }
  },
  /** Controls are not looked at. */
  CONTROLS("io.stoa.ldap.filter.QueryNormalizer") {
    @Override
    AsmVisitorWrapper change() {
      return new AsmVisitorWrapper.Compound(
          Advice.to(WithoutControls.class).on(named("searchKey")),
          Advice.to(TemplateWithoutControls.class).on(named("searchTemplate")));
    }
  },
  /** All scopes are alike. */
  SCOPE("io.stoa.ldap.filter.QueryNormalizer") {
    @Override
    AsmVisitorWrapper change() {
      return Advice.to(WithoutScope.class).on(KEYS);
    }
  },
  /** All ways to treat aliases are alike. */
  DEREF("io.stoa.ldap.filter.QueryNormalizer") {
    @Override
    AsmVisitorWrapper change() {
      return Advice.to(WithoutDeref.class).on(KEYS);
    }
  };

  /** The methods that make the keys of decoded requests and of request templates. */
  private static final ElementMatcher.Junction<MethodDescription> KEYS =
      named("searchKey").or(named("searchTemplate"));

  private final String className;

  Mutant(String className) {
    this.className = className;
  }

  abstract AsmVisitorWrapper change() throws ReflectiveOperationException;

  /** Writes the changed class below the directory. */
  void writeTo(Path directory) {
    try {
      Class<?> original = Class.forName(className);
      new ByteBuddy().redefine(original).visit(change()).make().saveIn(directory.toFile());
    } catch (IOException | ReflectiveOperationException e) {
      throw new AssertionError("cannot make the mutant " + this, e);
    }
  }

  /** Stands for every identity. */
  public static Octets everybody(ClientIdentity identity) {
    return Octets.EMPTY;
  }

  /** The search with another scope and another way to treat aliases. */
  public static SearchOp with(SearchOp op, int scope, int deref) {
    return new SearchOp(
        op.base(),
        scope,
        deref,
        op.sizeLimit(),
        op.timeLimit(),
        op.typesOnly(),
        op.filter(),
        op.attributes());
  }

  /** Code that is copied to the beginning of the method. */
  static final class WithoutControls {
    private WithoutControls() {}

    @SuppressWarnings("UnusedVariable") // the code that follows the copy reads it
    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 1, readOnly = false) Octets controls) {
      controls = Octets.EMPTY;
    }
  }

  /** Code that is copied to the beginning of the method. */
  static final class TemplateWithoutControls {
    private TemplateWithoutControls() {}

    @SuppressWarnings("UnusedVariable") // the code that follows the copy reads it
    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 2, readOnly = false) Octets controls) {
      controls = Octets.EMPTY;
    }
  }

  /** Code that is copied to the beginning of the method. */
  static final class WithoutScope {
    private WithoutScope() {}

    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 0, readOnly = false) SearchOp op) {
      op = with(op, 2, op.derefAliases());
    }
  }

  /** Code that is copied to the beginning of the method. */
  static final class WithoutDeref {
    private WithoutDeref() {}

    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 0, readOnly = false) SearchOp op) {
      op = with(op, op.scope(), 0);
    }
  }
}
