// SPDX-License-Identifier: Apache-2.0
/**
 * What is known of the changes that a feed has told lately: the last one of each entry, and which
 * may still be in a transaction. Knows neither views nor how anything is asked. Entry class: {@link
 * io.stoa.commit.Commits}, confined to the thread that applies changes, but for one question.
 */
@NullMarked
package io.stoa.commit;

import org.jspecify.annotations.NullMarked;
