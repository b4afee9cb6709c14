// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The results that the clients of one event loop page through: their cookies and their bounds. */
class CursorsTest {
  private static final int MOST_OF_A_CLIENT = 16;
  private static final int ENTRY = 10_000;
  private static final long MAX_OCTETS = 4 * ENTRY;
  private static final RawRequest PAGE =
      Requests.search("dc=x").request().with(new SimplePagedResultsControl(1));

  private final ManualLoop loop = new ManualLoop();
  private final TestSession client = new TestSession(loop);
  private final TestSession other = new TestSession(loop);
  private final Cursors cursors = new Cursors(MAX_OCTETS);

  /** Returns a cursor at the beginning of a result with one entry. */
  private static Cursor cursor(TestSession session, int octets) {
    List<EncodedResponse> entries = new ArrayList<>();
    entries.add(new EncodedResponse(new byte[octets]));
    PagedRequest request = PagedRequest.of(session.operation(PAGE));
    return new Cursor(session, request, entries, new byte[0]);
  }

  private byte[] begin(TestSession session) {
    return cursors.begin(cursor(session, ENTRY));
  }

  private List<byte[]> beginSmall(int count) {
    List<byte[]> cookies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cookies.add(cursors.begin(cursor(client, 1)));
    }
    return cookies;
  }

  @Test
  void aCookieFindsItsCursorOnce() {
    Cursor cursor = cursor(client, ENTRY);
    byte[] cookie = cursors.begin(cursor);
    assertThat(cursors.take(client, cookie)).isSameAs(cursor);
    assertThat(cursors.take(client, cookie)).isNull();
  }

  @Test
  void aCookieOfAnotherClientFindsNothing() {
    byte[] cookie = begin(client);
    assertThat(cursors.take(other, cookie)).isNull();
    begin(other);
    assertThat(cursors.take(other, cookie)).isNull();
    assertThat(cursors.take(client, cookie)).isNotNull();
  }

  @Test
  void onlyCookiesOfStoaAreRecognized() {
    byte[] cookie = begin(client);
    assertThat(Cursors.isOwn(cookie)).isTrue();
    assertThat(Cursors.isOwn(new byte[cookie.length])).isFalse();
    assertThat(Cursors.isOwn(Arrays.copyOf(cookie, cookie.length - 1))).isFalse();
    assertThat(Cursors.isOwn(new byte[0])).isFalse();
  }

  @Test
  void theCursorAboveTheMaximumOfAClientEndsItsOldest() {
    List<byte[]> cookies = beginSmall(MOST_OF_A_CLIENT + 1);
    assertThat(cursors.take(client, cookies.get(0))).isNull();
    assertThat(cookies.subList(1, cookies.size()))
        .allMatch(cookie -> cursors.take(client, cookie) != null);
  }

  @Test
  void theOldestCursorOfAllClientsEndsAboveTheCommonBound() {
    byte[] oldest = begin(client);
    byte[] second = begin(other);
    byte[] third = begin(client);
    byte[] newest = begin(other);
    assertThat(cursors.take(client, oldest)).isNull();
    assertThat(cursors.take(other, second)).isNotNull();
    assertThat(cursors.take(client, third)).isNotNull();
    assertThat(cursors.take(other, newest)).isNotNull();
  }

  @Test
  void aCursorAboveTheCommonBoundStaysAlone() {
    byte[] small = begin(client);
    byte[] large = cursors.begin(cursor(client, (int) MAX_OCTETS + 1));
    assertThat(cursors.take(client, small)).isNull();
    assertThat(cursors.take(client, large)).isNotNull();
  }

  @Test
  void aBindEndsTheCursorsOfItsClientAlone() {
    byte[] cookie = begin(client);
    byte[] others = begin(other);
    client.reset();
    assertThat(cursors.take(client, cookie)).isNull();
    assertThat(cursors.take(other, others)).isNotNull();
  }

  @Test
  void aClientCanPageAgainAfterABind() {
    begin(client);
    client.reset();
    byte[] cookie = begin(client);
    client.reset();
    assertThat(cursors.take(client, cookie)).isNull();
    assertThat(cursors.take(client, begin(client))).isNotNull();
  }

  @Test
  void aClientWithoutRoomGetsNoCookie() {
    client.room(ENTRY);
    assertThat(begin(client)).isNull();
    assertThat(client.room()).isEqualTo(ENTRY);
  }

  @Test
  void aClientWithLittleRoomLosesItsOlderCursors() {
    client.room(2 * ENTRY);
    byte[] first = begin(client);
    byte[] second = begin(client);
    assertThat(cursors.take(client, first)).isNull();
    assertThat(cursors.take(client, second)).isNotNull();
  }

  @Test
  void theRoomOfACursorIsGivenBackOnceAtItsEnd() {
    client.room(MOST_OF_A_CLIENT * ENTRY);
    cursors.take(client, begin(client));
    beginSmall(MOST_OF_A_CLIENT + 1);
    client.reset();
    assertThat(client.room()).isEqualTo(MOST_OF_A_CLIENT * ENTRY);
  }
}
