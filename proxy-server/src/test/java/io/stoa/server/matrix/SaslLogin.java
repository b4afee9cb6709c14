// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.sdk.Control;
import io.stoa.server.differential.ScriptConnection;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;

/**
 * A bind by a mechanism of challenges and responses, step by step. Immutable.
 *
 * @param controls what each step carries
 */
record SaslLogin(String mechanism, String user, String password, Control... controls) {
  private static final int IN_PROGRESS = 14;

  /** All that the server answers, which must take the login: where none is taken none is proved. */
  List<RawMessage> grantedOn(ScriptConnection talk) {
    List<RawMessage> all = on(talk);
    if (RawLdapClient.last(all).resultCode() != 0) {
      throw new AssertionError(mechanism + " does not let " + user + " in: " + all);
    }
    return all;
  }

  /** All that the server answers, to the end. */
  List<RawMessage> on(ScriptConnection talk) {
    List<RawMessage> all = new ArrayList<>();
    try {
      SaslClient client = client();
      byte[] response = client.hasInitialResponse() ? client.evaluateChallenge(new byte[0]) : null;
      RawMessage answer = step(talk, response, all);
      while (answer.resultCode() == IN_PROGRESS) {
        answer = step(talk, client.evaluateChallenge(challenge(answer)), all);
      }
    } catch (SaslException e) {
      throw new AssertionError(mechanism + ": " + all, e);
    }
    return all;
  }

  private RawMessage step(ScriptConnection talk, byte[] response, List<RawMessage> all) {
    ASN1OctetString credentials = response == null ? null : new ASN1OctetString(response);
    RawRequest bind = Requests.of(new BindRequestProtocolOp("", mechanism, credentials));
    all.addAll(talk.call(bind.with(controls)));
    return RawLdapClient.last(all);
  }

  private static byte[] challenge(RawMessage answer) {
    ASN1OctetString sent = answer.decoded().getBindResponseProtocolOp().getServerSASLCredentials();
    return sent == null ? new byte[0] : sent.getValue();
  }

  private SaslClient client() throws SaslException {
    return mechanism.startsWith("SCRAM")
        ? new ScramClient(mechanism, user, password)
        : Sasl.createSaslClient(
            new String[] {mechanism}, null, "ldap", "localhost", Map.of(), this::answer);
  }

  private void answer(Callback... callbacks) throws UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        name.setName(user);
      } else if (callback instanceof PasswordCallback asked) {
        asked.setPassword(password.toCharArray());
      } else if (callback instanceof RealmCallback realm) {
        realm.setText(realm.getDefaultText());
      } else {
        throw new UnsupportedCallbackException(callback);
      }
    }
  }
}
