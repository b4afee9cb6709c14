// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.net.InetSocketAddress;

/** A server that is measured, by the name that stands in tables. */
public record Target(String name, InetSocketAddress address) {}
