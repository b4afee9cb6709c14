// SPDX-License-Identifier: Apache-2.0
/**
 * Generates the files of the packages that follow from code: manual pages, shell completion and the
 * configuration with all defaults.
 *
 * <p>Start reading at {@link io.stoa.packaging.PackageFiles}. The commands come from picocli's
 * model, the configuration keys from {@code io.stoa.server.config}.
 *
 * <p>No class of this package is part of Stoa: Maven runs it when it builds the packages.
 *
 * <p>Threads: one.
 */
@NullMarked
package io.stoa.packaging;

import org.jspecify.annotations.NullMarked;
