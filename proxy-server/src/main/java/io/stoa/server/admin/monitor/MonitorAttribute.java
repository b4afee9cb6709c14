// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import java.util.List;
import java.util.function.Function;

/**
 * One attribute of {@code cn=monitor}, described once for the answers and for the documentation.
 * Immutable.
 *
 * @param name as it is spelled in answers
 * @param meaning one line for people
 * @param values reads it; without values it is not shown
 */
record MonitorAttribute(
    String name, String meaning, Function<MonitorSnapshot, List<String>> values) {}
