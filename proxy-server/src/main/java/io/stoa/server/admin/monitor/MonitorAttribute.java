// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import java.util.List;
import java.util.function.Function;

/**
 * One attribute of {@code cn=monitor}, described once for both the answers and the documentation.
 *
 * <p>Threading: immutable.
 *
 * @param name name as in answers
 * @param meaning one line for users
 * @param values reads the values; an attribute without values is left out
 */
record MonitorAttribute(
    String name, String meaning, Function<MonitorSnapshot, List<String>> values) {}
