// SPDX-License-Identifier: Apache-2.0
/**
 * When two requests must be answered alike: normal forms of names, values and filters, as far as
 * the directory's own schema proves them equal, and which answer holds another.
 *
 * <p>Two requests get one key only if the directory must give them the same answer, octet for
 * octet; where that is not proved, they keep two. Knows the schema and the kind of the directory,
 * never a connection, an identity or a cache. Entry classes: {@link io.stoa.match.ServerProfile}
 * (what is known of the directory), {@link io.stoa.match.QueryNormalizer} (keys), {@link
 * io.stoa.match.AttributeSelection} (attribute lists) and {@link io.stoa.match.NormalDn}.
 *
 * <p>Threads: everything is immutable and may be shared.
 */
@NullMarked
package io.stoa.match;

import org.jspecify.annotations.NullMarked;
