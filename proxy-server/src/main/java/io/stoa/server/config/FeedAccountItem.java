// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.util.List;

/** Account of the feed of one directory among several, as it is written. Threading: immutable. */
final class FeedAccountItem {
  private static final ElementField<String> SUFFIX =
      new ElementField<>(
              "suffix", ValueTypes.DN, "One of the directory's suffixes in upstream.servers.")
          .asRequired();
  private static final ElementField<String> BIND_DN =
      new ElementField<>(
          "bindDn",
          ValueTypes.DN,
          "DN of the feed's account in this directory. Without bindDn and passwordFile, the"
              + " directory has no feed.");
  private static final ElementField<String> PASSWORD_FILE =
      new ElementField<>(
          "passwordFile",
          IdentityKeys.PASSWORD_FILE,
          "File with the account's password and nothing else; read for each connection.");

  /** Type of an item of the list. */
  static final Items<DirectoryAccount> TYPE =
      new Items<>(
          "accounts",
          List.of(SUFFIX, BIND_DN, PASSWORD_FILE),
          List.of(
              "'dc=example,dc=com'",
              "'cn=stoa,ou=apps,dc=example,dc=com'",
              "/etc/stoa/feed-password"),
          FeedAccountItem::of,
          DirectoryAccount::suffix,
          true);

  private FeedAccountItem() {}

  private static DirectoryAccount of(ValueType.ItemValues values) {
    String suffix = values.require(SUFFIX);
    String file = values.get(PASSWORD_FILE).orElse("");
    Path path = file.isEmpty() ? null : Path.of(file);
    return new DirectoryAccount(suffix, FeedCredentials.of(values.get(BIND_DN).orElse(""), path));
  }
}
