// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The attributes whose values are never stored, under any of their names.
 *
 * <p>Each entry of each stored answer is checked. So the names that have proved harmless are
 * remembered as they are spelled, {@value #PLACES} at most. A new one may replace another.
 *
 * <p>Threading: thread-safe.
 */
final class SecretTypes {
  private static final int PLACES = 256;

  private final ServerProfile profile;
  private final Set<Octets> secrets;
  private final AtomicReferenceArray<byte[]> harmless = new AtomicReferenceArray<>(PLACES);

  /**
   * Creates the set.
   *
   * @param secrets keys as of {@link ServerProfile#attributeKey}
   */
  SecretTypes(Set<Octets> secrets, ServerProfile profile) {
    this.secrets = secrets;
    this.profile = profile;
  }

  /** Returns the keys. */
  Set<Octets> keys() {
    return secrets;
  }

  /** True if {@code octets[from..to)} names one of them. */
  boolean contains(byte[] octets, int from, int to) {
    int place = Octets.hash(octets, from, to) & (PLACES - 1);
    byte[] known = harmless.get(place);
    if (known != null && Arrays.equals(known, 0, known.length, octets, from, to)) {
      return false;
    }
    byte[] name = Arrays.copyOfRange(octets, from, to);
    boolean secret = secrets.contains(profile.attributeKey(name));
    if (!secret) {
      harmless.set(place, name);
    }
    return secret;
  }
}
