// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing.mutation;

import io.stoa.ldap.protocol.Octets;
import net.bytebuddy.asm.Advice;

/** Changes of a method's behaviour that several mutants share. Byte Buddy copies their code. */
public final class Advices {
  private Advices() {}

  /** The method does nothing, and returns zero, null or false. Stateless. */
  public static final class Skip {
    private Skip() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean skip() {
      return true;
    }
  }

  /** The method does nothing, and returns true. Stateless. */
  public static final class SkipAndAgree {
    private SkipAndAgree() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean skip() {
      return true;
    }

    @SuppressWarnings("UnusedVariable") // the method returns it
    @Advice.OnMethodExit
    static void agree(@Advice.Return(readOnly = false) boolean result) {
      result = true;
    }
  }

  /** The method returns true. Stateless. */
  public static final class ReturnTrue {
    private ReturnTrue() {}

    @SuppressWarnings("UnusedVariable") // the method returns it
    @Advice.OnMethodExit
    static void agree(@Advice.Return(readOnly = false) boolean result) {
      result = true;
    }
  }

  /** The method returns false. Stateless. */
  public static final class ReturnFalse {
    private ReturnFalse() {}

    @SuppressWarnings("UnusedVariable") // the method returns it
    @Advice.OnMethodExit
    static void deny(@Advice.Return(readOnly = false) boolean result) {
      result = false;
    }
  }

  /** The method returns 0. Stateless. */
  public static final class ReturnZero {
    private ReturnZero() {}

    @SuppressWarnings("UnusedVariable") // the method returns it
    @Advice.OnMethodExit
    static void forget(@Advice.Return(readOnly = false) long result) {
      result = 0;
    }
  }

  /** The method takes every identity for the anonymous one. Stateless. */
  public static final class Anonymous {
    private Anonymous() {}

    @SuppressWarnings("UnusedVariable") // the method reads it
    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 0, readOnly = false) Octets identity) {
      identity = Octets.EMPTY;
    }
  }
}
