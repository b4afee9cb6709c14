// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.unboundid.ldap.protocol.LDAPMessage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OpTypeTest {

  @Test
  void everyTagIsKnownOnce() {
    Set<OpType> found =
        IntStream.range(0, 256)
            .mapToObj(OpType::ofTag)
            .filter(type -> type != null)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(OpType.class)));
    assertThat(found).containsExactlyInAnyOrder(OpType.values());
    assertThat(OpType.ofTag(0x7F)).isNull();
  }

  @Test
  void tagsEqualTheSdks() {
    assertThat(OpType.BIND_REQUEST.tag())
        .isEqualTo(LDAPMessage.PROTOCOL_OP_TYPE_BIND_REQUEST & 0xFF);
    assertThat(OpType.SEARCH_RESULT_REFERENCE.tag())
        .isEqualTo(LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_RESULT_REFERENCE & 0xFF);
    assertThat(OpType.INTERMEDIATE_RESPONSE.tag())
        .isEqualTo(LDAPMessage.PROTOCOL_OP_TYPE_INTERMEDIATE_RESPONSE & 0xFF);
    assertThat(OpType.DELETE_REQUEST.tag())
        .isEqualTo(LDAPMessage.PROTOCOL_OP_TYPE_DELETE_REQUEST & 0xFF);
  }

  @Test
  void finalResponsesEndAnOperation() {
    assertThat(OpType.values())
        .filteredOn(OpType::isFinalResponse)
        .extracting(OpType::tag)
        .containsExactlyInAnyOrder(0x61, 0x65, 0x67, 0x69, 0x6B, 0x6D, 0x6F, 0x78);
  }

  @Test
  void requestsHaveFinalResponsesButForTwo() {
    for (OpType type : OpType.values()) {
      boolean silent = type == OpType.UNBIND_REQUEST || type == OpType.ABANDON_REQUEST;
      if (type.isRequest() && !silent) {
        assertThat(type.response().isFinalResponse()).isTrue();
      } else {
        assertThatIllegalStateException().isThrownBy(type::response);
      }
    }
    assertThat(OpType.SEARCH_REQUEST.response()).isEqualTo(OpType.SEARCH_RESULT_DONE);
    assertThat(OpType.MODIFY_DN_REQUEST.response()).isEqualTo(OpType.MODIFY_DN_RESPONSE);
  }

  @Test
  void addDeleteModifyAndRenameAreUpdates() {
    assertThat(Arrays.stream(OpType.values()).filter(OpType::isUpdate))
        .containsExactlyInAnyOrder(
            OpType.ADD_REQUEST,
            OpType.DELETE_REQUEST,
            OpType.MODIFY_REQUEST,
            OpType.MODIFY_DN_REQUEST);
  }
}
