// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void writesAllTypesInOrder() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a \"b\" \\ c");
    map.put("whole", 12L);
    map.put("share", 0.25);
    map.put("infinite", Double.POSITIVE_INFINITY);
    map.put("truth", true);
    map.put("nothing", null);
    map.put("list", Arrays.asList("a", null, List.of()));
    assertThat(Json.of(map))
        .isEqualTo(
            "{\"text\":\"a \\\"b\\\" \\\\ c\",\"whole\":12,\"share\":0.25,\"infinite\":null,"
                + "\"truth\":true,\"nothing\":null,\"list\":[\"a\",null,[]]}");
  }

  /** Another parser reads each of the first 65,536 characters as what it was. */
  @Test
  void everyCharacterComesBack() throws JSONException {
    for (char c = 0; c < Character.MAX_VALUE; c++) {
      if (!Character.isSurrogate(c)) {
        String json = Json.of(Map.of("c", String.valueOf(c)));
        assertThat(new JSONObject(json).getFieldAsString("c"))
            .as(Integer.toHexString(c))
            .isEqualTo(String.valueOf(c));
      }
    }
    String pair = Json.of(Map.of("c", "\ud83d\ude00"));
    assertThat(pair).isEqualTo("{\"c\":\"\\ud83d\\ude00\"}");
  }

  @Test
  void controlCharactersAreEscaped() {
    List<String> hostile = new ArrayList<>();
    for (char c = 0; c < 0x20; c++) {
      hostile.add(c + "[31m");
    }
    hostile.addAll(List.of("\u007f", "\u009b31m", "\u202etxt.exe", "\u2028"));
    assertThat(Json.of(hostile)).matches("[\\x20-\\x7e]*");
  }
}
