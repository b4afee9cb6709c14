// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing.mutation;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;

/**
 * A method of the product that a mutant changes. A method reference names it, so that the compiler
 * refuses a name that is gone. A method reference can be read since it is serializable.
 *
 * <p>Threading: immutable.
 *
 * @param className the binary name of its class
 * @param descriptor its parameters and result as JVMS, section 4.3.3 writes them
 */
public record MethodRef(String className, String name, String descriptor) {

  /** A call with one argument, the receiver included. */
  @FunctionalInterface
  public interface Call1<A> extends Serializable {
    void call(A a) throws Exception;
  }

  /** A call with two arguments, the receiver included. */
  @FunctionalInterface
  public interface Call2<A, B> extends Serializable {
    void call(A a, B b) throws Exception;
  }

  /** A call with three arguments, the receiver included. */
  @FunctionalInterface
  public interface Call3<A, B, C> extends Serializable {
    void call(A a, B b, C c) throws Exception;
  }

  /** A call with four arguments, the receiver included. */
  @FunctionalInterface
  public interface Call4<A, B, C, D> extends Serializable {
    void call(A a, B b, C c, D d) throws Exception;
  }

  /** A call with five arguments, the receiver included. */
  @FunctionalInterface
  public interface Call5<A, B, C, D, E> extends Serializable {
    void call(A a, B b, C c, D d, E e) throws Exception;
  }

  /** A call with six arguments, the receiver included. */
  @FunctionalInterface
  public interface Call6<A, B, C, D, E, F> extends Serializable {
    void call(A a, B b, C c, D d, E e, F f) throws Exception;
  }

  /** Returns the method that the reference names. */
  public static <A> MethodRef of(Call1<A> method) {
    return read(method);
  }

  /** Returns the method that the reference names. */
  public static <A, B> MethodRef of(Call2<A, B> method) {
    return read(method);
  }

  /** Returns the method that the reference names. */
  public static <A, B, C> MethodRef of(Call3<A, B, C> method) {
    return read(method);
  }

  /** Returns the method that the reference names. */
  public static <A, B, C, D> MethodRef of(Call4<A, B, C, D> method) {
    return read(method);
  }

  /** Returns the method that the reference names. */
  public static <A, B, C, D, E> MethodRef of(Call5<A, B, C, D, E> method) {
    return read(method);
  }

  /** Returns the method that the reference names. */
  public static <A, B, C, D, E, F> MethodRef of(Call6<A, B, C, D, E, F> method) {
    return read(method);
  }

  private static MethodRef read(Serializable reference) {
    try {
      Method replace = reference.getClass().getDeclaredMethod("writeReplace");
      replace.setAccessible(true);
      SerializedLambda lambda = (SerializedLambda) replace.invoke(reference);
      return new MethodRef(
          lambda.getImplClass().replace('/', '.'),
          lambda.getImplMethodName(),
          lambda.getImplMethodSignature());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("not a method reference", e);
    }
  }
}
