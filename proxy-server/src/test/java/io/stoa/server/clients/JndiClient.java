// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Hashtable;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.ReferralException;
import javax.naming.directory.Attribute;
import javax.naming.directory.BasicAttribute;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.ModificationItem;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.Control;
import javax.naming.ldap.ExtendedRequest;
import javax.naming.ldap.ExtendedResponse;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.PagedResultsControl;
import javax.naming.ldap.PagedResultsResponseControl;
import javax.naming.ldap.SortControl;
import javax.naming.ldap.SortKey;
import javax.naming.ldap.SortResponseControl;
import javax.naming.ldap.StartTlsRequest;
import javax.naming.ldap.StartTlsResponse;
import org.jspecify.annotations.Nullable;

/**
 * JNDI, as servers in Java use it: a connection for each bind, referrals ignored (that is,
 * ManageDsaIT with every request) unless said otherwise. Not thread-safe.
 */
@SuppressWarnings({"BanJNDI", "JdkObsolete"}) // it is JNDI, Hashtable and all, that is tested
final class JndiClient implements JavaClient {
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final Pattern CODE = Pattern.compile("error code (\\d+)");

  private final Target target;
  private final OutputLines lines;
  private LdapContext context;

  private JndiClient(Target target, OutputLines lines) throws NamingException, IOException {
    this.target = target;
    this.lines = lines;
    this.context = connect(Map.of());
  }

  /** Runs the programme. */
  static Transcript run(Target target) throws NamingException, IOException {
    OutputLines lines = new OutputLines();
    JndiClient client = new JndiClient(target, lines);
    try {
      return Programme.run(client, lines, target);
    } finally {
      client.context.close();
    }
  }

  private Hashtable<String, String> environment() {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, target.url());
    if (target.kind() == ConnectionKind.LDAPS) {
      TrustingSocketFactory.trust(target.certificates().clientContext());
      environment.put("java.naming.ldap.factory.socket", TrustingSocketFactory.class.getName());
    }
    environment.put("com.sun.jndi.ldap.read.timeout", "30000");
    environment.put("java.naming.ldap.attributes.binary", "jpegPhoto");
    return environment;
  }

  /** Connects, and then binds with what the credentials say. */
  private LdapContext connect(Map<String, String> credentials) throws NamingException, IOException {
    Hashtable<String, String> environment = environment();
    if (target.kind() != ConnectionKind.STARTTLS) {
      environment.putAll(credentials);
      return new InitialLdapContext(environment, null);
    }
    LdapContext secured = new InitialLdapContext(environment, null);
    StartTlsResponse tls = (StartTlsResponse) secured.extendedOperation(new StartTlsRequest());
    tls.negotiate(target.certificates().clientContext().getSocketFactory());
    try {
      bind(secured, credentials);
      return secured;
    } catch (NamingException failed) {
      secured.close();
      throw failed;
    }
  }

  private static void bind(LdapContext context, Map<String, String> credentials)
      throws NamingException {
    for (Map.Entry<String, String> property : credentials.entrySet()) {
      context.addToEnvironment(property.getKey(), property.getValue());
    }
    if (!credentials.isEmpty()) {
      context.reconnect(null);
    }
  }

  /** JNDI tells result codes in its messages only. */
  @Override
  public int explain(Exception failure) {
    lines.add(failure.getClass().getSimpleName() + ": " + failure.getMessage());
    if (failure instanceof ReferralException referral) {
      lines.add("referral: " + referral.getReferralInfo());
      return 10;
    }
    Matcher code = CODE.matcher(String.valueOf(failure.getMessage()));
    if (!(failure instanceof NamingException) || !code.find()) {
      throw new AssertionError(failure);
    }
    return Integer.parseInt(code.group(1));
  }

  // What is printed

  /** A connection stays open as long as an enumeration is that came over it. */
  private void show(NamingEnumeration<SearchResult> results) throws NamingException {
    try {
      while (results.hasMore()) {
        show(results.next());
      }
    } finally {
      results.close();
    }
  }

  private void show(SearchResult result) throws NamingException {
    lines.add("dn: " + result.getNameInNamespace());
    for (Attribute attribute : Collections.list(result.getAttributes().getAll())) {
      for (Object value : Collections.list(attribute.getAll())) {
        lines.value(attribute.getID(), octets(value));
      }
    }
  }

  private static byte[] octets(Object value) {
    return value instanceof byte[] octets
        ? octets
        : value.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void showControls() throws NamingException {
    for (Control control : controls()) {
      lines.add("control: " + control.getID() + " " + control.isCritical());
      if (control instanceof PagedResultsResponseControl paged) {
        byte[] cookie = paged.getCookie();
        lines.add("size: " + paged.getResultSize());
        lines.add("cookie: " + (cookie == null ? "" : HexFormat.of().formatHex(cookie)));
      } else if (control instanceof SortResponseControl sorted) {
        lines.add("sortResult: " + sorted.getResultCode());
      }
    }
  }

  private List<Control> controls() throws NamingException {
    Control[] controls = context.getResponseControls();
    return controls == null ? List.of() : List.of(controls);
  }

  // What the programme asks for

  /** A bind that fails leaves an anonymous client. */
  @Override
  public int bind(String dn, String password) throws NamingException, IOException {
    context.close();
    try {
      context =
          connect(
              Map.of(
                  Context.SECURITY_AUTHENTICATION, "simple",
                  Context.SECURITY_PRINCIPAL, dn,
                  Context.SECURITY_CREDENTIALS, password));
    } catch (NamingException failed) {
      context = connect(Map.of());
      throw failed;
    }
    return 0;
  }

  @Override
  public int whoAmI() throws NamingException {
    ExtendedResponse response = context.extendedOperation(new Extended(WHO_AM_I, null));
    lines.add("I am: " + text(response.getEncodedValue()));
    return 0;
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  @Override
  public int search(Search search) throws NamingException {
    return search(search, new Control[0]);
  }

  private int search(Search search, Control... controls) throws NamingException {
    context.setRequestControls(controls);
    try {
      show(context.search(search.base(), search.filter(), constraints(search)));
      showControls();
      return 0;
    } finally {
      context.setRequestControls(null);
    }
  }

  private static SearchControls constraints(Search search) {
    SearchControls constraints = new SearchControls();
    constraints.setSearchScope(search.scope());
    if (!search.attributes().isEmpty()) {
      constraints.setReturningAttributes(search.attributes().toArray(String[]::new));
    }
    return constraints;
  }

  @Override
  public int searchInPages(Search search, int size) throws NamingException, IOException {
    byte @Nullable [] cookie = null;
    do {
      search(search, new PagedResultsControl(size, cookie, Control.CRITICAL));
      cookie = cookie();
    } while (cookie != null && cookie.length > 0);
    return 0;
  }

  private byte @Nullable [] cookie() throws NamingException {
    for (Control control : controls()) {
      if (control instanceof PagedResultsResponseControl paged) {
        return paged.getCookie();
      }
    }
    return null;
  }

  @Override
  public int searchSorted(Search search, String attribute) throws NamingException, IOException {
    SortKey[] keys = {new SortKey(attribute, false, Programme.ORDERING)};
    return search(search, new SortControl(keys, Control.CRITICAL));
  }

  @Override
  public int searchWithReferrals(Search search) throws NamingException {
    context.addToEnvironment(Context.REFERRAL, "throw");
    try {
      return search(search);
    } finally {
      context.removeFromEnvironment(Context.REFERRAL);
    }
  }

  /** JNDI that ignores referrals sends the control by itself. */
  @Override
  public int searchManaged(Search search) throws NamingException {
    return search(search);
  }

  /** A search of this form is what JNDI sends as a compare. */
  @Override
  public int compare(String dn, String attribute, String value) throws NamingException {
    SearchControls constraints = new SearchControls();
    constraints.setSearchScope(SearchControls.OBJECT_SCOPE);
    constraints.setReturningAttributes(new String[0]);
    NamingEnumeration<SearchResult> found =
        context.search(dn, "(" + attribute + "=" + value + ")", constraints);
    try {
      return found.hasMore() ? 6 : 5;
    } finally {
      found.close();
    }
  }

  @Override
  public int add(String dn) throws NamingException {
    BasicAttributes attributes = new BasicAttributes();
    attributes.put("objectClass", "inetOrgPerson");
    attributes.put("uid", "new");
    attributes.put("cn", "New One");
    attributes.put("sn", "One");
    context.createSubcontext(dn, attributes).close();
    return 0;
  }

  @Override
  public int modify(String dn) throws NamingException {
    BasicAttribute titles = new BasicAttribute("title", "First");
    titles.add("Second");
    ModificationItem[] items = {
      new ModificationItem(
          DirContext.REPLACE_ATTRIBUTE, new BasicAttribute("mail", "new@example.com")),
      new ModificationItem(DirContext.ADD_ATTRIBUTE, titles)
    };
    context.modifyAttributes(dn, items);
    return 0;
  }

  @Override
  public int rename(String dn, String newRdn, String parent) throws NamingException {
    context.rename(dn, newRdn + "," + parent);
    return 0;
  }

  @Override
  public int delete(String dn) throws NamingException {
    context.destroySubcontext(dn);
    return 0;
  }

  @Override
  public int passwordModify(String dn, String old, String password) throws NamingException {
    PasswordModifyExtendedRequest request = new PasswordModifyExtendedRequest(dn, old, password);
    context.extendedOperation(new Extended(request.getOID(), request.getValue().getValue()));
    return 0;
  }

  /** JNDI abandons a search whose enumeration is closed before its end. */
  @Override
  public int abandon(String base) throws NamingException {
    context.search(base, "(objectClass=*)", constraints(new Search(base, 2, ""))).close();
    return whoAmI();
  }

  @Override
  public int unbind() throws NamingException {
    context.close();
    return 0;
  }

  /** An extended operation that JNDI has no class for. Immutable. */
  private record Extended(String oid, byte @Nullable [] value) implements ExtendedRequest {
    @Serial private static final long serialVersionUID = 1;

    @Override
    public String getID() {
      return oid;
    }

    @Override
    public byte @Nullable [] getEncodedValue() {
      return value;
    }

    @Override
    public ExtendedResponse createExtendedResponse(
        @Nullable String id, byte[] octets, int offset, int length) {
      byte[] answer =
          octets == null ? new byte[0] : Arrays.copyOfRange(octets, offset, offset + length);
      return new Extended.Answer(id, answer);
    }

    /** Its response. Immutable. */
    private record Answer(@Nullable String id, byte[] value) implements ExtendedResponse {
      @Serial private static final long serialVersionUID = 1;

      @Override
      public @Nullable String getID() {
        return id;
      }

      @Override
      public byte[] getEncodedValue() {
        return value;
      }
    }
  }
}
