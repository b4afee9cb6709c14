// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.net.InetSocketAddress;

/** A measured server, with its name in tables. */
public record Target(String name, InetSocketAddress address) {}
