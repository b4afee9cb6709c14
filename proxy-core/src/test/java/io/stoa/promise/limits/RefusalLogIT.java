// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** Who is refused for a limit finds out why: a line of the log names the limit. */
class RefusalLogIT {
  private static final int BUSY = 51;
  private static final String LIMIT = "TOO_MANY_LONG_LIVED";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Logger logger =
      (Logger) LoggerFactory.getLogger("io.stoa.client.connection.RefusalLog");
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  @BeforeEach
  void listen() {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(appender);
    logger.setLevel(null);
    appender.stop();
  }

  /** Lines are bounded in number, so that it may take until the next second. */
  @Test
  void anOperationBeyondALimitIsAnsweredBusyAndLoggedOnce() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(upstream.port()).limit("longLivedSearches", 0).start();
        RawLdapClient client = proxy.client()) {
      Await.until("a line is there", () -> refused(client));
      assertThat(linesOfLimit()).hasSize(1);
      assertThat(linesOfLimit().get(0)).contains("SEARCH_REQUEST refused");
    }
  }

  /** Nothing is refused: what is too much is not read yet, and answered in its turn. */
  @Test
  void aClientAtItsOperationsInFlightIsLoggedAndServed() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(upstream.port()).cachesOff().limit("operationsInFlight", 4).start()) {
      Await.until("a line is there", () -> throttled(proxy));
    }
  }

  private boolean throttled(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client()) {
      byte[][] requests = new byte[20][];
      for (int id = 1; id <= requests.length; id++) {
        requests[id - 1] = People.find(id).encode(id);
      }
      client.sendOctets(Tlv.concat(requests));
      for (int id = 1; id <= requests.length; id++) {
        assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      }
    }
    return lines.stream().anyMatch(line -> line.contains("operationsInFlight"));
  }

  private boolean refused(RawLdapClient client) {
    assertThat(client.code(persistentSearch())).isEqualTo(BUSY);
    return !linesOfLimit().isEmpty();
  }

  private List<String> linesOfLimit() {
    return lines.stream().filter(line -> line.contains(LIMIT)).toList();
  }

  private static RawRequest persistentSearch() {
    Set<PersistentSearchChangeType> all = PersistentSearchChangeType.allChangeTypes();
    return search(People.SUFFIX)
        .request()
        .with(new PersistentSearchRequestControl(all, true, true));
  }
}
