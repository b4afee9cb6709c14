// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Supplies the credentials of a bind. Threading: confined to one command. */
@FunctionalInterface
public interface AdminCredentials {
  /**
   * Returns the credentials.
   *
   * @return null for the user of this process, by SASL EXTERNAL
   * @throws StoaException if there is no password
   */
  @Nullable Simple get() throws StoaException;

  /**
   * Returns credentials that are requested once and can be used for several binds. Threading:
   * confined to one command.
   */
  default AdminCredentials reusable() {
    AtomicReference<Simple> entered = new AtomicReference<>();
    AtomicBoolean prompted = new AtomicBoolean();
    return () -> {
      if (prompted.compareAndSet(false, true)) {
        entered.set(get());
      }
      Simple simple = entered.get();
      return simple == null ? null : new Simple(simple.dn(), simple.password().clone());
    };
  }

  /**
   * A name and its password, which the bind zeroes after use. Must not be logged.
   *
   * @param password password in UTF-8
   */
  record Simple(String dn, byte[] password) {
    @Override
    public String toString() {
      return dn;
    }
  }
}
