// SPDX-License-Identifier: Apache-2.0
/**
 * TLS on both sides of the proxy: certificates and keys that are reloaded when their files change,
 * protocols, cipher suites and client certificates.
 *
 * <p>Entry class: {@link io.stoa.net.tls.TlsContext}, thread-safe.
 */
@NullMarked
package io.stoa.net.tls;

import org.jspecify.annotations.NullMarked;
