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
 * Decides what a change means for derived data of other entries, and for rights. Called for each
 * change before it counts as applied.
 *
 * <p>The state before a change is not known. So any change of a group may be one of its members,
 * and any deleted entry may have been a group.
 *
 * <p>Threading: confined to the thread that applies changes.
 */
public final class ChangeRules implements Consumer<Change> {
  private static final int MAX_NAMES = 50_000;
  private static final String OBJECT_CLASS = "objectclass";
  private static final String GROUP = "group";

  /** Attributes that only groups have. */
  private static final Set<String> MEMBERS =
      Set.of("member", "uniquemember", "memberuid", "memberurl", "nisnetgrouptriple");

  private final RightsWatermark watermark;
  private final Supplier<DerivedAttributes> attributes;
  private final Supplier<RightsGroups> groups;
  private final String context;
  private final LastNames names = new LastNames(MAX_NAMES);

  /**
   * Makes the rules.
   *
   * @param attributes supplies the derived attributes known now
   * @param groups supplies the groups known now that decide about rights
   * @param context the naming context, as positions name it
   */
  public ChangeRules(
      RightsWatermark watermark,
      Supplier<DerivedAttributes> attributes,
      Supplier<RightsGroups> groups,
      String context) {
    this.watermark = watermark;
    this.attributes = attributes;
    this.groups = groups;
    this.context = context;
  }

  @Override
  public void accept(Change change) {
    boolean moved = moved(change);
    boolean group = mayBeGroup(change);
    int kinds = derivedKinds(change, moved, group);
    if (kinds != DerivedData.NONE) {
      watermark.onDerivedChange(kinds, position(change));
    }
    if (moved && groups.get().mayBeRepaired() && attributes.get().hasMembersLinked()) {
      watermark.onRepair(position(change));
    } else if (groups.get().mayHaveChanged(change, moved, group)
        || change.receipt().rights()
        || carriesRules(change)
        || isCollective(change.image())) {
      watermark.onRightsChange(position(change));
    }
  }

  /**
   * True if a renamed entry carries access rules to another place. The rules concern the subtree
   * below, which a rename invalidates anyway, as a deletion does.
   */
  private static boolean carriesRules(Change change) {
    Image image = change.image();
    return change instanceof Renamed
        && image != null
        && RightsAttributes.hasAccessRule(image.entry());
  }

  private Position position(Change change) {
    Csn csn = change.csn();
    return csn == null ? Position.NONE : csn.toPosition(context);
  }

  /** True if the entry may have had another name. */
  private boolean moved(Change change) {
    Uuid uuid = change.uuid();
    if (change instanceof Modified it) {
      return names.put(it.uuid(), it.dn());
    }
    if (uuid != null && change.dn() != null && !(change instanceof Deleted)) {
      names.put(uuid, change.dn());
    } else if (uuid != null) {
      names.remove(uuid);
    }
    return true;
  }

  /**
   * Returns the kinds of derived data that the change may alter. A directory that repairs names in
   * groups thereby changes their members.
   */
  private int derivedKinds(Change change, boolean moved, boolean group) {
    boolean isModified = change instanceof Modified;
    Image image = change.image();
    boolean tree = moved && (image == null || !image.isLeaf()); // a subtree may contain groups
    if (!isModified || tree || (moved && attributes.get().hasLinks())) {
      return DerivedData.ALL;
    }
    return group ? DerivedData.GROUPS : DerivedData.NONE;
  }

  private static boolean mayBeGroup(Change change) {
    Image image = change.image();
    return image == null
        || !image.isComplete()
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

  /** True if the entry has an attribute that all entries below get from it. */
  private boolean isCollective(@Nullable Image image) {
    return image != null
        && image.entry().attributes().stream()
            .anyMatch(attribute -> attributes.get().isCollective(attribute.type()));
  }
}
