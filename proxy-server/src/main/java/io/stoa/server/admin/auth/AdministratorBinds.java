// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.client.auth.LocalBinds;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.LogLimit;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.PasswordFile;
import io.stoa.operation.TargetName;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers binds of the administrator itself, so that no directory sees them. Two kinds are
 * answered: simple binds with a name at or below {@code cn=configuration}, and binds by EXTERNAL
 * over a local socket. Root and the user of the Stoa process are the administrator on a local
 * socket.
 *
 * <p>Two threads verify passwords. At most 16 binds wait for them; further ones are answered with
 * {@code busy}.
 *
 * <p>Threading: thread-safe.
 */
public final class AdministratorBinds implements LocalBinds, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdministratorBinds.class);
  private static final byte[] LAST_LETTERS = "configuration".getBytes(US_ASCII);

  private static final int VERSION = 3;
  private static final int THREADS = 2;
  private static final int MAX_WAITING = 16;
  private static final int IDLE_SECONDS = 10;

  private static final int SUCCESS = 0;
  private static final int CRITICAL_EXTENSION = 12;
  private static final int INVALID_CREDENTIALS = 49;
  private static final int INSUFFICIENT_ACCESS = 50;
  private static final int BUSY = 51;
  private static final int UNWILLING = 53;

  private final Supplier<AdministratorConfig> current;
  private final Predicate<Peer> mappedByRules;
  private final LogLimit refusals = new LogLimit(LOG);
  private final FailedBinds failures = new FailedBinds();
  private final ThreadPoolExecutor threads;

  /**
   * Creates the handler of administrator binds.
   *
   * @param current supplies the present configuration of the administrator
   * @param mappedByRules true for a client of a local socket that the rules of the configuration
   *     map to another identity; its bind is left to the directory
   */
  public AdministratorBinds(Supplier<AdministratorConfig> current, Predicate<Peer> mappedByRules) {
    this.current = current;
    this.mappedByRules = mappedByRules;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            AdministratorBinds::thread);
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-password");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public boolean handles(Operation operation, BindOp bind) {
    return bind.version() == VERSION
        && (bind.authentication() == BindAuthentication.SIMPLE
            ? isBelow(operation, bind.name())
            : isExternal(operation.session().peer(), bind));
  }

  private static boolean isBelow(Operation operation, byte[] name) {
    return TargetName.mayEndWith(operation.message(), LAST_LETTERS)
        && NormalDn.of(name, ServerProfile.EXACT).isBelowOrEqual(AdministratorConfig.CONFIGURATION);
  }

  /**
   * True for a bind by EXTERNAL of any local user. Users other than the administrator are refused
   * here, and the refusal names the permitted users.
   */
  private boolean isExternal(Peer peer, BindOp bind) {
    return "EXTERNAL".equalsIgnoreCase(bind.saslMechanism())
        && peer.user() != null
        && !mappedByRules.test(peer);
  }

  @Override
  public void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound) {
    operation.onAdministrative();
    Attempt attempt = new Attempt(operation, bound);
    if (operation.request().controls().stream().anyMatch(Control::critical)) {
      attempt.refuse(CRITICAL_EXTENSION, "critical extension is not recognized");
    } else if (bind.authentication() == BindAuthentication.SASL) {
      attempt.bindExternal(bind.credentialsLength() > 0);
    } else if (bind.credentialsLength() == 0) {
      attempt.refuse(UNWILLING, "unauthenticated bind (DN with no password) disallowed");
    } else {
      attempt.bindSimple(bind);
    }
  }

  /** Stops the threads. Binds in the queue are not answered, and their passwords are zeroed. */
  @Override
  public void close() {
    for (Runnable waiting : threads.shutdownNow()) {
      if (waiting instanceof Comparison comparison) {
        comparison.drop();
      }
    }
  }

  /** A password to verify, kept outside the heap until it is zeroed. Threading: one thread. */
  private record Comparison(ByteBuf password, Consumer<ByteBuf> compare) implements Runnable {
    static Comparison of(ByteBuf body, int start, int length, Consumer<ByteBuf> compare) {
      ByteBuf copy = Unpooled.directBuffer(length, length);
      return new Comparison(copy.writeBytes(body, start, length), compare);
    }

    @Override
    public void run() {
      try {
        compare.accept(password);
      } finally {
        drop();
      }
    }

    void drop() {
      PasswordFile.wipe(password);
    }
  }

  /** One bind. Threading: event loop, except {@code compare}, which runs on a password thread. */
  private final class Attempt {
    private final Operation operation;
    private final Octets network;
    private final Consumer<ClientIdentity> bound;
    private final AdministratorConfig config = current.get();

    Attempt(Operation operation, Consumer<ClientIdentity> bound) {
      this.operation = operation;
      this.network = operation.session().network();
      this.bound = bound;
    }

    /**
     * Binds the local user of the connection. A request for any other authorization identity is
     * refused.
     */
    void bindExternal(boolean asserted) {
      LocalUser user = operation.session().peer().user();
      if (user == null || !user.isOperator()) {
        refusals.info("administrator bind refused: from {}", origin());
        refuse(INVALID_CREDENTIALS, LocalUser.operators());
      } else if (asserted) {
        refuse(INVALID_CREDENTIALS, "");
      } else {
        accept();
      }
    }

    void bindSimple(BindOp bind) {
      PasswordHash hash = config.passwordHash().orElse(null);
      boolean tooLong = bind.credentialsLength() > PasswordHash.MAX_OCTETS;
      if (!config.permits(operation.session().peer())) {
        refuseNetwork();
      } else if (hash == null || tooLong) {
        refuseCredentials();
      } else if (failures.begin(network, System.nanoTime())) {
        queueComparison(hash, bind);
      } else {
        refuseBusy();
      }
    }

    /**
     * Queues the verification. The name is checked only after the password, so that the duration
     * reveals nothing about the name.
     */
    private void queueComparison(PasswordHash hash, BindOp bind) {
      ByteBuf body = operation.message().body();
      int start = body.readerIndex() + bind.credentialsOffset();
      boolean named = config.isNamed(bind.name());
      Comparison comparison =
          Comparison.of(
              body, start, bind.credentialsLength(), password -> compare(hash, password, named));
      operation.moveTo(OperationState.WAITING);
      try {
        threads.execute(comparison);
      } catch (RejectedExecutionException full) {
        comparison.drop();
        failures.onDropped(network);
        refuseBusy();
      }
    }

    private void compare(PasswordHash hash, ByteBuf password, boolean named) {
      boolean matches = hash.matches(password);
      if (matches && named) {
        failures.onSucceeded(network);
      } else {
        failures.onFailed(network, System.nanoTime());
      }
      operation.session().executor().execute(() -> onCompared(matches && named));
    }

    private void onCompared(boolean right) {
      if (operation.hasEnded()) {
        return; // the client has disconnected
      }
      if (right) {
        accept();
      } else {
        refuseCredentials();
      }
    }

    private void accept() {
      bound.accept(ClientIdentity.administrator(config.dn()));
      refusals.info("administrator bound: from {}", origin());
      complete(SUCCESS, "");
    }

    /**
     * Refuses by network alone, before the name or the password is checked, so that the result
     * reveals neither.
     */
    private void refuseNetwork() {
      refusals.info(
          "administrator bind refused by admin.networks or admin.listeners: from {}", origin());
      refuse(INSUFFICIENT_ACCESS, "");
    }

    private void refuseCredentials() {
      refusals.info("administrator bind refused: from {}", origin());
      refuse(INVALID_CREDENTIALS, "");
    }

    private void refuseBusy() {
      refusals.info("administrator bind answered busy (too many attempts): from {}", origin());
      refuse(BUSY, "too many failed or concurrent binds; retry later");
    }

    void refuse(int code, String diagnostic) {
      bound.accept(ClientIdentity.ANONYMOUS);
      complete(code, diagnostic);
    }

    private void complete(int code, String diagnostic) {
      operation.sink().complete(LdapResult.encode(OpType.BIND_RESPONSE, code, diagnostic));
    }

    private String origin() {
      return operation.session().peer().origin();
    }
  }
}
