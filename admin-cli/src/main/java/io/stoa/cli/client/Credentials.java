// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** As whom to bind. Implementations are confined to one command. */
@FunctionalInterface
public interface Credentials {
  /**
   * Who it is.
   *
   * @return null for whoever runs this process, by SASL EXTERNAL
   * @throws StoaException if there is no password
   */
  @Nullable Simple get() throws StoaException;

  /** The same, asked for once, for who may have to bind again. Confined to one command. */
  default Credentials kept() {
    AtomicReference<Simple> kept = new AtomicReference<>();
    AtomicBoolean asked = new AtomicBoolean();
    return () -> {
      if (asked.compareAndSet(false, true)) {
        kept.set(get());
      }
      Simple simple = kept.get();
      return simple == null ? null : new Simple(simple.dn(), simple.password().clone());
    };
  }

  /**
   * A name and its password, which is wiped after use. Not for logs.
   *
   * @param password in UTF-8
   */
  record Simple(String dn, byte[] password) {
    @Override
    public String toString() {
      return dn;
    }
  }
}
