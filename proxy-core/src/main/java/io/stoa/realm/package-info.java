// SPDX-License-Identifier: Apache-2.0
/**
 * What one feed covers: a naming context of a directory. Changes are applied in the order in which
 * they are said; what is read meanwhile is compared with them before it may be kept. Knows neither
 * how a feed speaks nor how answers are kept, and opens no connections. Entry class: {@link
 * io.stoa.realm.Realm}, shared by all; changes are applied on one executor of its own.
 */
@NullMarked
package io.stoa.realm;

import org.jspecify.annotations.NullMarked;
