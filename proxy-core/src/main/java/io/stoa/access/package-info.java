// SPDX-License-Identifier: Apache-2.0
/**
 * Who sees alike: identities, and the access classes by which what is stored is kept apart. Entry
 * class: {@link io.stoa.access.ClassTable}, thread-safe.
 */
@NullMarked
package io.stoa.access;

import org.jspecify.annotations.NullMarked;
