// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.asn1.ASN1BigInteger;
import com.unboundid.asn1.ASN1BitString;
import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1ObjectIdentifier;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.asn1.ASN1UTCTime;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.util.LDAPSDKException;
import com.unboundid.util.OID;
import com.unboundid.util.ssl.cert.SignatureAlgorithmIdentifier;
import com.unboundid.util.ssl.cert.X509Certificate;
import com.unboundid.util.ssl.cert.X509CertificateExtension;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * An authority of its own, and certificates of it, as PEM files in a directory that is removed at
 * close. Thread-safe.
 */
public final class Certificates implements AutoCloseable {
  private static final SignatureAlgorithmIdentifier SIGNATURE =
      SignatureAlgorithmIdentifier.SHA_256_WITH_ECDSA;
  private static final int PATIENCE_MILLIS = 20_000;
  private static final long YEAR = Duration.ofDays(365).toMillis();
  private static final byte DNS_NAME = (byte) 0x82;
  private static final byte PUBLIC_KEY = (byte) 0xa1;
  private static final byte IP_ADDRESS = (byte) 0x87;

  /** A certificate and its key (PKCS #8). */
  public record Pair(Path certificate, Path key) {}

  private final Path directory;
  private final KeyPair keys;
  private final X509Certificate authority;
  private final AtomicInteger number = new AtomicInteger();

  private Certificates(Path directory)
      throws GeneralSecurityException, LDAPSDKException, IOException {
    this.directory = directory;
    this.keys = keys();
    long now = System.currentTimeMillis();
    X509CertificateExtension isAuthority =
        new X509CertificateExtension(
            new OID("2.5.29.19"), true, new byte[] {0x30, 3, 1, 1, (byte) 0xff});
    this.authority =
        X509Certificate.generateSelfSignedCertificate(
            SIGNATURE, keys, new DN("cn=Test authority"), now - YEAR, now + YEAR, isAuthority);
    Files.writeString(ca(), authority.toPEMString());
  }

  public static Certificates create() {
    try {
      return new Certificates(Leftovers.directory("stoa-certificates"));
    } catch (GeneralSecurityException | LDAPSDKException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The certificate of the authority. */
  public Path ca() {
    return directory.resolve("ca.pem");
  }

  /** A directory that is removed at close. */
  public Path directory() {
    return directory;
  }

  /** A new certificate for localhost, 127.0.0.1 and ::1. */
  public Pair server() {
    return issue("cn=localhost", YEAR, "localhost", "127.0.0.1", "::1");
  }

  /** The same with a certificate that expires so soon. */
  public Pair serverFor(Duration life) {
    return issue("cn=localhost", life.toMillis(), "localhost", "127.0.0.1", "::1");
  }

  /** A new certificate that bears no name of a host. */
  public Pair client(String dn) {
    return issue(dn, YEAR);
  }

  /** A certificate of the day before yesterday. */
  public Pair expired(String dn, String... hosts) {
    return issue(dn, -Duration.ofDays(1).toMillis(), hosts);
  }

  /** A certificate that is valid from tomorrow on. */
  public Pair notYetValid(String... hosts) {
    return issue("cn=" + hosts[0], Duration.ofDays(1).toMillis(), YEAR, hosts);
  }

  /** A certificate for other hosts. */
  public Pair server(String... hosts) {
    return issue("cn=" + hosts[0], YEAR, hosts);
  }

  /** Puts a pair in the place of another, each file at once, as those do who renew them. */
  public static void replace(Pair old, Pair by) {
    try {
      Files.move(by.key(), old.key(), StandardCopyOption.ATOMIC_MOVE);
      Files.move(by.certificate(), old.certificate(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A revocation list of the authority in DER, which expires after so long. */
  public byte[] revocationList(Duration validity, Pair... revoked) {
    long now = System.currentTimeMillis();
    try {
      List<ASN1Element> entries = new ArrayList<>();
      for (Pair pair : revoked) {
        entries.add(
            new ASN1Sequence(new ASN1BigInteger(serial(pair)), new ASN1UTCTime(now - YEAR)));
      }
      ASN1Element algorithm = new ASN1Sequence(new ASN1ObjectIdentifier(SIGNATURE.getOID()));
      List<ASN1Element> list = new ArrayList<>();
      list.add(new ASN1Integer(1));
      list.add(algorithm);
      list.add(ASN1Element.decode(issuer()));
      list.add(new ASN1UTCTime(now - YEAR));
      list.add(new ASN1UTCTime(now + validity.toMillis()));
      if (!entries.isEmpty()) {
        list.add(new ASN1Sequence(entries));
      }
      byte[] signed = new ASN1Sequence(list).encode();
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(keys.getPrivate());
      signature.update(signed);
      byte[] octets = signature.sign();
      byte[] bits = new byte[octets.length + 1];
      System.arraycopy(octets, 0, bits, 1, octets.length);
      return new ASN1Sequence(
              ASN1Element.decode(signed), algorithm, new ASN1Element((byte) 3, bits))
          .encode();
    } catch (GeneralSecurityException | ASN1Exception e) {
      throw new AssertionError(e);
    }
  }

  private byte[] issuer() {
    return read(ca()).getSubjectX500Principal().getEncoded();
  }

  private static BigInteger serial(Pair pair) {
    return read(pair.certificate()).getSerialNumber();
  }

  private static java.security.cert.X509Certificate read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return (java.security.cert.X509Certificate)
          CertificateFactory.getInstance("X.509").generateCertificate(in);
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private Pair issue(String dn, long toMillis, String... hosts) {
    return issue(dn, -Duration.ofDays(2).toMillis(), toMillis, hosts);
  }

  /** Valid between two times from now. */
  private Pair issue(String dn, long fromMillis, long toMillis, String... hosts) {
    int index = number.incrementAndGet();
    Pair pair =
        new Pair(
            directory.resolve("certificate" + index + ".pem"),
            directory.resolve("key" + index + ".pem"));
    try {
      KeyPair own = keys();
      Files.writeString(
          pair.certificate(), certificate(own, dn, fromMillis, toMillis, hosts).toPEMString());
      Files.writeString(pair.key(), pem("PRIVATE KEY", pkcs8(own)));
      return pair;
    } catch (GeneralSecurityException | LDAPSDKException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private X509Certificate certificate(
      KeyPair own, String dn, long fromMillis, long toMillis, String... hosts)
      throws LDAPSDKException, IOException {
    ASN1Element[] publicKey = sequence(own.getPublic().getEncoded());
    ASN1Element[] algorithm = sequence(publicKey[0].encode());
    return X509Certificate.generateIssuerSignedCertificate(
        SIGNATURE,
        authority,
        keys.getPrivate(),
        ASN1ObjectIdentifier.decodeAsObjectIdentifier(algorithm[0]).getOID(),
        algorithm[1],
        ASN1BitString.decodeAsBitString(publicKey[1]),
        null,
        new DN(dn),
        System.currentTimeMillis() + fromMillis,
        System.currentTimeMillis() + toMillis,
        names(hosts));
  }

  private static ASN1Element[] sequence(byte[] encoded) throws LDAPSDKException {
    return ASN1Sequence.decodeAsSequence(encoded).elements();
  }

  private static X509CertificateExtension[] names(String... hosts) throws IOException {
    ASN1Element[] names = new ASN1Element[hosts.length];
    for (int i = 0; i < hosts.length; i++) {
      boolean address = hosts[i].matches("[0-9.]+|.*:.*");
      names[i] =
          address
              ? new ASN1OctetString(IP_ADDRESS, InetAddress.getByName(hosts[i]).getAddress())
              : new ASN1OctetString(DNS_NAME, hosts[i]);
    }
    byte[] value = new ASN1Sequence(names).encode();
    return hosts.length == 0
        ? new X509CertificateExtension[0]
        : new X509CertificateExtension[] {
          new X509CertificateExtension(new OID("2.5.29.17"), false, value)
        };
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /** With the public key in it, which the JDK leaves out and GnuTLS wants to see. */
  private static byte[] pkcs8(KeyPair pair) throws LDAPSDKException {
    ASN1Element[] info = sequence(pair.getPrivate().getEncoded());
    ASN1Element[] key = sequence(info[2].getValue());
    ASN1Element[] publicKey = sequence(pair.getPublic().getEncoded());
    ASN1Element point = new ASN1Element(PUBLIC_KEY, publicKey[1].encode());
    byte[] whole = new ASN1Sequence(key[0], key[1], point).encode();
    return new ASN1Sequence(info[0], info[1], new ASN1OctetString(whole)).encode();
  }

  private static String pem(String type, byte[] octets) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(octets);
    return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
  }

  /** A context of the JDK that trusts the authority, for clients of tests. */
  public SSLContext clientContext() {
    return context(null);
  }

  /** The same with a certificate of its own. */
  public SSLContext clientContext(Pair own) {
    return context(own);
  }

  /** The serial number of the certificate that is shown at an address. */
  public String shownAt(InetSocketAddress address) {
    try (SSLSocket socket =
        (SSLSocket)
            clientContext()
                .getSocketFactory()
                .createSocket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.startHandshake();
      Certificate shown = socket.getSession().getPeerCertificates()[0];
      return ((java.security.cert.X509Certificate) shown).getSerialNumber().toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SSLContext context(@Nullable Pair own) {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry("authority", authority.toCertificate());
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(store);
      KeyManager[] keyManagers = own == null ? null : keyManagers(own);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static KeyManager[] keyManagers(Pair own) throws GeneralSecurityException, IOException {
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keyStore(own, "own", ""), new char[0]);
    return factory.getKeyManagers();
  }

  /** Writes a pair as PKCS #12. */
  static void writePkcs12(Pair own, String name, String password, Path to) {
    try (OutputStream out = Files.newOutputStream(to)) {
      keyStore(own, name, password).store(out, password.toCharArray());
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static KeyStore keyStore(Pair own, String name, String password)
      throws GeneralSecurityException, IOException {
    String text = Files.readString(own.key()).replaceAll("-----[A-Z ]*-----|\\s", "");
    byte[] encoded = Base64.getDecoder().decode(text);
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(own.certificate())) {
      Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(in);
      store.setKeyEntry(name, key, password.toCharArray(), new Certificate[] {certificate});
    }
    return store;
  }

  @Override
  public void close() {
    Leftovers.delete(directory);
  }
}
