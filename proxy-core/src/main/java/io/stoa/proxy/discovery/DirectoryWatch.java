// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.discovery;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Stage;
import io.stoa.upstream.server.BackendState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the directory's root DSE and schema, anonymously, when a server comes up and every 5 s.
 * Notifies a listener when they have changed.
 *
 * <p>Threading: event loop.
 */
public final class DirectoryWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);
  private static final long INTERVAL_SECONDS = 5;

  private static final List<String> ROOT_DSE =
      List.of(
          "objectClass",
          "vendorName",
          "vendorVersion",
          "namingContexts",
          "subschemaSubentry",
          "supportedControl",
          "supportedExtension",
          "supportedFeatures");

  private static final List<String> SUBSCHEMA =
      List.of("objectClass", "attributeTypes", "objectClasses", "matchingRules");

  /**
   * Result codes with which a server hides an entry: success, strongerAuthRequired, noSuchObject,
   * inappropriateAuthentication, insufficientAccessRights.
   */
  private static final Set<Integer> HIDDEN = Set.of(0, 8, 32, 48, 50);

  private final EventExecutor loop;
  private final Stage chain;
  private final RequestDecoder decoder;
  private final InternalSession session;
  private final Supplier<String> servers;
  private final Consumer<ServerProfile> listener;
  private byte @Nullable [] knownRoot;
  private byte @Nullable [] knownSchema;
  private boolean reading;
  private boolean loggedHidden;
  private volatile boolean settled;

  /**
   * Creates a watch that has not started.
   *
   * @param servers returns the servers of the directory, for the log
   */
  public DirectoryWatch(
      EventExecutor loop,
      Stage chain,
      RequestDecoder decoder,
      Supplier<String> servers,
      Consumer<ServerProfile> listener) {
    this.loop = loop;
    this.chain = chain;
    this.decoder = decoder;
    this.session = new InternalSession(loop);
    this.servers = servers;
    this.listener = listener;
  }

  public void start() {
    loop.scheduleAtFixedRate(
        new GuardedTask("poll of the root DSE", this::read),
        INTERVAL_SECONDS,
        INTERVAL_SECONDS,
        TimeUnit.SECONDS);
  }

  /** Reads when a server has come up. Thread-safe: posts to the loop. */
  public void onServerState(BackendState state) {
    if (state == BackendState.UP) {
      loop.execute(this::read);
    }
  }

  /** True if the schema was read, or is known to be unreadable. Thread-safe. */
  public boolean isSettled() {
    return settled;
  }

  private void read() {
    if (!reading) {
      reading = true;
      search(new byte[0], ROOT_DSE, this::rootFound);
    }
  }

  private void search(byte[] base, List<String> attributes, Consumer<Found> outcome) {
    SearchParameters entry = SearchParameters.entry(base, attributes);
    chain.handle(InternalSearch.of(session, decoder, entry, outcome));
  }

  private void rootFound(Found found) {
    if (found.read() == null && HIDDEN.contains(found.code()) && !loggedHidden) {
      loggedHidden = true;
      LOG.warn(
          "root DSE not readable anonymously: the product is unknown, so there is no "
              + "change feed, and only identical requests are hits. Allow anonymous read of "
              + "the entry with the empty DN (servers: {})",
          servers.get());
    }
    rootRead(found.read());
  }

  private void rootRead(byte @Nullable [] root) {
    byte[] subschema = root == null ? null : subschemaDn(root);
    if (root == null) {
      settled = true;
      reading = false; // no server answers now, so the known schema stays
    } else if (subschema == null) {
      schemaRead(root, null);
    } else {
      search(subschema, SUBSCHEMA, schema -> schemaRead(root, schema.read()));
    }
  }

  private byte @Nullable [] subschemaDn(byte[] root) {
    try {
      for (SearchEntry.AttributeOctets attribute : SearchEntry.parse(root).attributes()) {
        String type = new String(attribute.type(), StandardCharsets.UTF_8);
        if (type.equalsIgnoreCase("subschemaSubentry") && !attribute.values().isEmpty()) {
          return attribute.values().get(0);
        }
      }
    } catch (LdapProtocolException e) {
      LOG.warn(
          "root DSE of the directory is malformed: {} (servers: {})",
          e.getMessage(),
          servers.get());
    }
    return null;
  }

  private void schemaRead(byte[] root, byte @Nullable [] schema) {
    reading = false;
    if (schema == null && knownSchema != null) {
      return; // the schema was readable before, so the known one stays
    }
    if (isSameEntry(root, knownRoot) && isSameEntry(schema, knownSchema)) {
      return;
    }
    boolean first = knownRoot == null;
    knownRoot = root;
    knownSchema = schema;
    ServerProfile profile = profile(root, schema);
    listener.accept(profile);
    settled = true;
    LOG.info("the directory's schema {}: {}", first ? "was read" : "has changed", profile.kind());
    if (!profile.isSchemaKnown()) {
      LOG.warn(
          "directory schema not readable anonymously: only identical requests are hits (servers: "
              + "{})",
          servers.get());
    }
  }

  /**
   * True if both entries are equal as sets. 389-ds sends its schema in another order after each
   * start.
   */
  private static boolean isSameEntry(byte @Nullable [] entry, byte @Nullable [] known) {
    if (entry == null || known == null || Arrays.equals(entry, known)) {
      return Arrays.equals(entry, known);
    }
    try {
      return ResponseContents.of(0, List.of(entry)).equals(ResponseContents.of(0, List.of(known)));
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static ServerProfile profile(byte[] root, byte @Nullable [] schema) {
    try {
      SearchEntry subschema = schema == null ? null : SearchEntry.parse(schema);
      return ServerProfile.of(SearchEntry.parse(root), subschema);
    } catch (LdapProtocolException e) {
      return ServerProfile.EXACT;
    }
  }
}
