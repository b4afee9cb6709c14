// SPDX-License-Identifier: Apache-2.0
/**
 * What a search of a client may take: entries, time, pages, sorting. A limit changes what is asked
 * for, or ends what is answered, on the way between the client and everything else, so that nothing
 * behind it knows of limits: what is stored is what the directory has said. Entry class: {@link
 * io.stoa.limit.LimitStage}. Event-loop confined, but for {@link io.stoa.limit.PagedSearches}.
 */
@NullMarked
package io.stoa.limit;

import org.jspecify.annotations.NullMarked;
