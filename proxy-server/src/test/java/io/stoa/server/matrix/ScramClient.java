// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;

/** The client's side of SCRAM without channel binding (RFC 5802). Not thread-safe. */
final class ScramClient implements SaslClient {
  private static final String HEADER = "n,,";

  private final String mechanism;
  private final String hash;
  private final String password;
  private final String bare;
  private boolean complete;

  ScramClient(String mechanism, String user, String password) {
    this.mechanism = mechanism;
    this.hash = mechanism.substring("SCRAM-".length());
    this.password = password;
    this.bare = "n=" + user + ",r=" + UUID.randomUUID();
  }

  @Override
  public String getMechanismName() {
    return mechanism;
  }

  @Override
  public boolean hasInitialResponse() {
    return true;
  }

  @Override
  public byte[] evaluateChallenge(byte[] challenge) throws SaslException {
    if (challenge.length == 0) {
      return (HEADER + bare).getBytes(UTF_8);
    }
    complete = true;
    try {
      return last(new String(challenge, UTF_8)).getBytes(UTF_8);
    } catch (GeneralSecurityException e) {
      throw new SaslException(mechanism, e);
    }
  }

  private String last(String serverFirst) throws GeneralSecurityException {
    String[] parts = serverFirst.split(",", -1);
    String binding = Base64.getEncoder().encodeToString(HEADER.getBytes(UTF_8));
    String withoutProof = "c=" + binding + "," + parts[0];
    byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
    byte[] salted = salted(salt, Integer.parseInt(parts[2].substring(2)));
    byte[] proof = hmac(salted, "Client Key".getBytes(UTF_8));
    byte[] stored = MessageDigest.getInstance(hash).digest(proof);
    String message = bare + "," + serverFirst + "," + withoutProof;
    xor(proof, hmac(stored, message.getBytes(UTF_8)));
    return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
  }

  private byte[] salted(byte[] salt, int rounds) throws GeneralSecurityException {
    byte[] first = Arrays.copyOf(salt, salt.length + 4);
    first[salt.length + 3] = 1;
    byte[] round = hmac(password.getBytes(UTF_8), first);
    byte[] all = round.clone();
    for (int i = 1; i < rounds; i++) {
      round = hmac(password.getBytes(UTF_8), round);
      xor(all, round);
    }
    return all;
  }

  private byte[] hmac(byte[] key, byte[] octets) throws GeneralSecurityException {
    String algorithm = "Hmac" + hash.replace("-", "").toUpperCase(Locale.ROOT);
    Mac mac = Mac.getInstance(algorithm);
    mac.init(new SecretKeySpec(key, algorithm));
    return mac.doFinal(octets);
  }

  private static void xor(byte[] target, byte[] by) {
    for (int i = 0; i < target.length; i++) {
      target[i] ^= by[i];
    }
  }

  @Override
  public boolean isComplete() {
    return complete;
  }

  @Override
  public byte[] unwrap(byte[] incoming, int offset, int length) {
    throw new IllegalStateException("no security layer");
  }

  @Override
  public byte[] wrap(byte[] outgoing, int offset, int length) {
    throw new IllegalStateException("no security layer");
  }

  @Override
  public Object getNegotiatedProperty(String name) {
    return null;
  }

  @Override
  public void dispose() {
    // Nothing is held.
  }
}
