// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.commons.validation.Failure;
import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.session.Session;
import io.gatling.javaapi.core.internal.Expressions;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import scala.Function1;

/** A text that may depend on the virtual user. */
@FunctionalInterface
public interface Text {
  String of(Session session);

  /** Returns a text in Gatling's expression language, such as {@code user.#{n}}. */
  static Text el(String text) {
    if (!text.contains("#{")) {
      return session -> text;
    }
    Function1<Session, Validation<String>> expression = Expressions.toStringExpression(text);
    return session -> value(expression.apply(session));
  }

  /** Returns a text computed from the session. */
  static Text of(Function<io.gatling.javaapi.core.Session, String> function) {
    return session -> function.apply(new io.gatling.javaapi.core.Session(session));
  }

  default byte[] octets(Session session) {
    return of(session).getBytes(StandardCharsets.UTF_8);
  }

  private static String value(Validation<String> validation) {
    if (validation instanceof Success<String> success) {
      return success.value();
    }
    Object failure = validation;
    throw new IllegalArgumentException(((Failure) failure).message());
  }
}
