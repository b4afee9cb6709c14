// SPDX-License-Identifier: Apache-2.0
/**
 * Where Stoa's answers must differ from those of the directory to be true or useful. Knows neither
 * caches nor servers: its stages stand before or behind the cache. Entry class: {@link
 * io.stoa.adapt.RootDseStage}. Stages and sinks are event-loop confined.
 */
@NullMarked
package io.stoa.adapt;

import org.jspecify.annotations.NullMarked;
