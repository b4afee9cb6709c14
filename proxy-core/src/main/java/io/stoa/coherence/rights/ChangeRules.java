// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.protocol.Uuid;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a change for other entries than its own, and for who may see what: to be told
 * of each before it counts as applied. Confined to the thread that applies changes.
 *
 * <p>What was before a change nobody knows. So any change of a group may be one of its members, and
 * whatever is deleted may have been a group.
 */
public final class ChangeRules implements Consumer<Change> {
  private static final int MOST_NAMES = 50_000;
  private static final String OBJECT_CLASS = "objectclass";
  private static final String GROUP = "group";

  /** What only groups have. */
  private static final Set<String> MEMBERS =
      Set.of("member", "uniquemember", "memberuid", "memberurl", "nisnetgrouptriple");

  private final RightsWatermark horizon;
  private final Supplier<DerivedAttributes> attributes;
  private final Supplier<RightsGroups> groups;
  private final String context;
  private final Names names = new Names(MOST_NAMES);

  /**
   * Makes them.
   *
   * @param attributes what is derived, as far as is known now
   * @param groups those that decide who may see what, as far as is known now
   * @param context the naming context, as positions name it
   */
  public ChangeRules(
      RightsWatermark horizon,
      Supplier<DerivedAttributes> attributes,
      Supplier<RightsGroups> groups,
      String context) {
    this.horizon = horizon;
    this.attributes = attributes;
    this.groups = groups;
    this.context = context;
  }

  @Override
  public void accept(Change change) {
    boolean moved = moved(change);
    boolean group = mayBeGroup(change);
    int facets = facets(change, moved, group);
    if (facets != DerivedData.NONE) {
      horizon.derived(facets, position(change));
    }
    if (moved && groups.get().mayBeRepaired() && attributes.get().hasMembersLinked()) {
      horizon.repaired(position(change));
    } else if (groups.get().mayHaveChanged(change, moved, group)
        || change.receipt().rights()
        || carriesRules(change)
        || isCollective(change.image())) {
      horizon.revoked(position(change));
    }
  }

  /**
   * Whether its entry brings rules to another place. They are about what is below, which is void
   * there anyway, and so is what goes with an entry that is deleted.
   */
  private static boolean carriesRules(Change change) {
    Image image = change.image();
    return change instanceof Renamed && image != null && RightsAttributes.areIn(image.entry());
  }

  private Position position(Change change) {
    Csn csn = change.csn();
    return csn == null ? Position.NONE : csn.in(context);
  }

  /** Whether its entry may have had another name. */
  private boolean moved(Change change) {
    Uuid uuid = change.uuid();
    if (change instanceof Modified it) {
      return names.moved(it.uuid(), it.dn());
    }
    if (uuid != null && change.dn() != null && !(change instanceof Deleted)) {
      names.moved(uuid, change.dn());
    } else if (uuid != null) {
      names.gone(uuid);
    }
    return true;
  }

  /** A directory that repairs names in groups changes with them who is a member. */
  private int facets(Change change, boolean moved, boolean group) {
    boolean known = change instanceof Modified;
    Image image = change.image();
    boolean tree = moved && (image == null || !image.isLeaf()); // there may be groups in it
    if (!known || tree || (moved && attributes.get().hasLinks())) {
      return DerivedData.ALL;
    }
    return group ? DerivedData.GROUPS : DerivedData.NONE;
  }

  private static boolean mayBeGroup(Change change) {
    Image image = change.image();
    return image == null
        || !image.complete()
        || image.entry().attributes().stream().anyMatch(ChangeRules::isOfGroup);
  }

  private static boolean isOfGroup(AttributeOctets attribute) {
    String type = new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
    return MEMBERS.contains(type)
        || (type.equals(OBJECT_CLASS)
            && attribute.values().stream()
                .anyMatch(
                    value -> new String(value, UTF_8).toLowerCase(Locale.ROOT).contains(GROUP)));
  }

  /** All below have it from there. */
  private boolean isCollective(@Nullable Image image) {
    return image != null
        && image.entry().attributes().stream()
            .anyMatch(attribute -> attributes.get().isCollective(attribute.type()));
  }
}
