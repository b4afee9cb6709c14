// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.MemoryFences;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;

/**
 * The places of the fences without which {@link RingRaceTest} finds changes that are missed. On x86
 * locked instructions beside them keep the same order, so no race shows a fence that is left out
 * (decision 28).
 */
class MemoryFencesTest {
  private static final String FENCE = "MemoryFences.fullFence";

  /** All methods that a method calls, in the order in which they are written. */
  private static List<String> calls(Class<?> type, String method) throws IOException {
    List<String> calls = new ArrayList<>();
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      new ClassReader(in)
          .accept(
              new ClassVisitor(Opcodes.ASM9) {
                @Override
                public MethodVisitor visitMethod(
                    int access, String name, String text, String signature, String[] thrown) {
                  return name.equals(method) ? new Calls(calls) : null;
                }
              },
              ClassReader.SKIP_DEBUG);
    }
    return calls;
  }

  /** Writes them down. Thread-confined. */
  private static final class Calls extends MethodVisitor {
    private final List<String> calls;

    Calls(List<String> calls) {
      super(Opcodes.ASM9);
      this.calls = calls;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String text, boolean isInterface) {
      calls.add(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
    }
  }

  @Test
  void applyingPassesAFenceBetweenTheRingAndTheIndex() throws IOException {
    assertThat(calls(ChangeApplier.class, "apply"))
        .containsSubsequence("ChangeRing.append", FENCE, "ChangeApplier.effects");
    assertThat(calls(ChangeApplier.class, "effects")).contains("Invalidator.apply");
  }

  @Test
  void fillingPassesAFenceBetweenTheIndexAndTheRing() throws IOException {
    assertThat(calls(FillAdmission.class, "admit"))
        .containsSubsequence("View.register", FENCE, "FillAdmission.contradiction");
  }

  @Test
  void aFenceIsAFullFence() throws IOException {
    assertThat(calls(MemoryFences.class, "fullFence")).containsExactly("VarHandle.fullFence");
  }
}
