// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.server.localtree.TypeHierarchy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Superior classes and attribute types of the names that {@code cn=monitor} uses, as in slapd's
 * back-monitor and lloadd. Threading: immutable.
 */
final class OpenLdapSchema {
  private static final List<String> MONITORS =
      List.of(
          "monitorServer",
          "monitorContainer",
          "monitorCounterObject",
          "monitorOperation",
          "monitorConnection",
          "monitoredObject");

  private static final List<String> COUNTERS =
      List.of(
          "monitorOpInitiated",
          "monitorOpCompleted",
          "monitorConnectionNumber",
          "monitorTotalListenerConnections",
          "monitorConnectionOpsReceived",
          "monitorConnectionOpsExecuting",
          "monitorConnectionOpsPending",
          "monitorConnectionOpsCompleted",
          "monitorConnectionOpsAsync",
          "olmReceivedOps",
          "olmForwardedOps",
          "olmRejectedOps",
          "olmCompletedOps",
          "olmFailedOps");

  private static final List<String> TEXTS =
      List.of(
          "monitorConnectionProtocol",
          "monitorConnectionMask",
          "monitorConnectionListener",
          "monitorConnectionPeerDomain",
          "monitorConnectionPeerAddress",
          "monitorConnectionLocalAddress");

  private static final List<String> TIMES =
      List.of("monitorConnectionStartTime", "monitorConnectionActivityTime");

  private static final List<String> OTHERS =
      List.of(
          "monitor",
          "extensibleObject",
          "olmBalancer",
          "olmBalancerServer",
          "olmBalancerOperation",
          "olmBalancerConnection",
          "stoaCaches",
          "stoaFeed",
          "stoaMaintenance",
          "stoaSharingClass",
          "stoaWindow",
          "stoaExplanation",
          "stoaTracedOperation",
          "stoaTraceSummary",
          "stoaFailedBinds",
          "stoaNetwork",
          "stoaWarnings",
          "stoaSearchDigest",
          "stoaAdvice",
          "stoaSizeCurve");

  /** Object classes and attribute types with their superiors. */
  static final TypeHierarchy KINDS = new TypeHierarchy(superiors());

  private OpenLdapSchema() {}

  private static Map<String, String> superiors() {
    Map<String, String> superiors = new HashMap<>(Map.of("cn", "name"));
    MONITORS.forEach(name -> superiors.put(name, "monitor"));
    OTHERS.forEach(name -> superiors.put(name, "top"));
    COUNTERS.forEach(name -> superiors.put(name, "monitorCounter"));
    TEXTS.forEach(name -> superiors.put(name, "monitoredInfo"));
    TIMES.forEach(name -> superiors.put(name, "monitorTimestamp"));
    return superiors;
  }
}
