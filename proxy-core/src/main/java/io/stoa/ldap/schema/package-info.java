// SPDX-License-Identifier: Apache-2.0
/**
 * Names, attribute types and matching rules, and the normal forms that follow from them.
 *
 * <p>Two requests get one key only if the directory must answer both alike, octet for octet. Where
 * the schema does not prove that, they keep two keys. Entry classes: {@link
 * io.stoa.ldap.schema.ServerProfile} (facts about the directory), {@link
 * io.stoa.ldap.schema.AttributeSelection} (attribute lists) and {@link
 * io.stoa.ldap.schema.NormalDn}. Immutable.
 */
@NullMarked
package io.stoa.ldap.schema;

import org.jspecify.annotations.NullMarked;
