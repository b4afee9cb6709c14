// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Connections on which people bind by SASL PLAIN, but for some. Immutable. */
public final class SaslDialer implements Dialer {
  /** What a slapd needs to know them so. */
  public static final String SETTINGS =
      """
      sasl-host localhost
      sasl-secprops none
      authz-regexp uid=([^,]*),cn=.*auth uid=$1,ou=people,dc=example,dc=org
      """;

  private static final Pattern PERSON =
      Pattern.compile("uid=([a-z]+)," + Directory.PEOPLE, Pattern.CASE_INSENSITIVE);

  private final Set<String> others;

  /** With the names of those who bind as the script has it. */
  SaslDialer(String... others) {
    this.others = Set.of(others);
  }

  @Override
  public RawLdapClient dial(InetSocketAddress address) {
    return RawLdapClient.connect(address);
  }

  @Override
  public RawRequest spoken(RawRequest request) {
    return request.tag() == Received.BIND ? bySasl(request) : request;
  }

  private RawRequest bySasl(RawRequest request) {
    BindRequestProtocolOp bind =
        RawMessage.parse(request.encode(1)).decoded().getBindRequestProtocolOp();
    Matcher person = PERSON.matcher(bind.getBindDN());
    boolean simple = bind.getSimplePassword() != null;
    if (!simple
        || !person.matches()
        || others.contains(person.group(1).toLowerCase(Locale.ROOT))
        || bind.getSimplePassword().getValueLength() == 0) {
      return request;
    }
    String password = bind.getSimplePassword().stringValue();
    RawRequest plain = Requests.saslBind("PLAIN", "\0" + person.group(1) + "\0" + password);
    return new RawRequest(plain.op(), request.controls());
  }
}
