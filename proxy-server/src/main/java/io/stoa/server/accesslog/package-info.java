// SPDX-License-Identifier: Apache-2.0
/**
 * Access and audit logs. Event loops report completed operations to {@link
 * io.stoa.server.accesslog.AccessLogs}, which filters them and puts them into a bounded queue. The
 * thread {@code stoa-access-log} or {@code stoa-audit-log} writes the lines and alone touches the
 * disk or the network.
 *
 * <p>Must not know: the caches, the routing, the configuration file. Begin reading at {@link
 * io.stoa.server.accesslog.AccessLogs}; the formats are {@link
 * io.stoa.server.accesslog.OpenLdapFormat}, {@link io.stoa.server.accesslog.Ds389Format}, {@link
 * io.stoa.server.accesslog.JsonFormat} and {@link io.stoa.server.accesslog.LdifFormat}.
 */
@NullMarked
package io.stoa.server.accesslog;

import org.jspecify.annotations.NullMarked;
