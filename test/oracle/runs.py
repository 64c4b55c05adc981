"""One world, run by run: what is known, what each look proves, what changed, and what stands."""

from answers import Walk, exchanges_of, is_within, read_walk
from normal_form import carried, differences, is_same, normal_form, stub_form, uid_of
from rules import ONE_RESOURCE, Resource, across_fleet, across_project, drift, needs_of, seconds

LISTINGS = ("project", "endpoints", "sources", "subscriptions")
KIND = {"project": "project", "endpoints": "endpoint", "sources": "source", "subscriptions": "subscription"}


class Project:
    """What is known of a project before a run."""

    def __init__(self, name, uid):
        self.name, self.uid = name, uid
        self.known = {kind: {} for kind in KIND.values()}
        self.baselines = {}  # kind: (listing, filter, attributes by uid)
        self.held = {}  # listing: uids
        self.unreferenced = set()
        self.were_sources_listed = False
        self.paused_since = {}  # endpoint uid: start of a run
        self.changed_at = {}  # (kind, uid, path): starts of runs
        self.standing = {}  # (rule, kind, uid, path): [first seen, last seen]


class Look:
    """What a run saw of a project, and what that proves."""

    def __init__(self, project, run):
        self.project, self.run = project, run
        self.walks, self.statuses = {}, {}
        self.is_foreign = False
        self.unproven = set()
        self.seen = []
        self.found = set()  # (rule, kind, uid, path)
        self.drift = {}
        self.unreferenced = set()
        self.out_of_sight = set()
        self.held = False

    def filter_of(self, listing):
        return sorted(self.run["filters"].get(listing, {}).items())

    @property
    def are_sources_listed(self):
        return self.statuses.get("sources") not in (None, "skipped")

    def listing_of(self, kind):
        if kind == "source":
            return "sources" if self.are_sources_listed else "subscriptions"
        return next(listing for listing, its in KIND.items() if its == kind)

    def is_complete(self, kind):
        return self.statuses.get(self.listing_of(kind)) == "complete"

    def is_whole(self, kind):
        return self.is_complete(kind) and not self.filter_of(self.listing_of(kind))


def run_world(world):
    """What a report must say, run by run."""
    projects = {name: Project(name, uid) for name, uid in world["projects"].items()}
    for run in world["runs"]:
        yield run_once(run, world, projects)


def run_once(run, world, projects):
    now = seconds(run["started_at"].replace(".000Z", "Z"))
    looks = [Look(projects[name], run) for name in run["looked_at"]]
    for look in looks:
        walk_all(look)
        if not look.is_foreign:
            take_in(look, now, world["labels"])
    settle_fleet(looks, len(looks) == len(projects))
    violations = {}
    for look in looks:
        violations.update(settle(look, looks, len(looks) == len(projects)))
        if not look.is_foreign:
            remember(look)
    return {
        "coverage": {
            (look.project.name, listing): {
                "status": status,
                "is_reasoned": status != "complete",
                "pages": len(look.walks[listing].pages),
                "items": len(look.walks[listing].items),
                "requests": look.walks[listing].requests,
            }
            for look in looks
            for listing, status in look.statuses.items()
        },
        "changes": {
            (look.project.name, kind, uid): change for look in looks for (kind, uid), change in look.drift.items()
        },
        "unreferenced": {(look.project.name, "source", uid): True for look in looks for uid in look.unreferenced},
        "violations": violations,
        "verdicts": {
            "looked at everything": all(
                status in ("complete", "skipped") for look in looks for status in look.statuses.values()
            )
        },
    }


# --- coverage

def walk_all(look):
    run, project = look.run, look.project
    exchanges = exchanges_of(run["exchanges"], project.uid)
    due = [listing for listing in LISTINGS if run["listings"].get(listing) != "off"]
    for listing in due:
        if look.is_foreign:
            look.walks[listing] = Walk()
            continue
        walk = read_walk(listing, exchanges.get(listing, []), project.uid, run["filters"])
        look.walks[listing] = walk
        look.statuses[listing] = walk.status(run["listings"].get(listing) == "auto")
        look.is_foreign = walk.end == "foreign"
    if not look.is_foreign:
        prove_identity(look, exchanges)
    if look.is_foreign:
        look.statuses = {listing: "failed" for listing in due}


def prove_identity(look, exchanges):
    """An empty list does not say whose it is; the project does, where it is offered."""
    empty = [name for name, walk in look.walks.items() if walk.end == "complete" and not walk.items]
    if not empty or any(walk.items for walk in look.walks.values()):
        return
    asked = look.walks.get("project")
    if asked is None:
        asked = read_walk("project", exchanges.get("project", []), look.project.uid, {})
        is_offered = asked.end != "not-offered"
    else:
        is_offered = look.statuses["project"] != "skipped"
    if asked.end == "complete":
        return
    if asked.end == "foreign":
        look.is_foreign = True
    elif not is_offered:
        look.unproven = set(empty)
    else:
        for listing in empty:
            look.statuses[listing] = "failed"


# --- what was seen

def take_in(look, now, labels):
    project = look.project
    passing, forms = {}, {}
    for listing, walk in look.walks.items():
        for item in walk.items:
            passing[KIND[listing], item["uid"]] = item
            forms[KIND[listing], item["uid"]] = normal_form(KIND[listing], item)
    for item in look.walks["subscriptions"].items:
        source = item.get("source_metadata")
        if uid_of(source) is not None and ("source", source["uid"]) not in forms:
            forms["source", source["uid"]] = stub_form(source)
    again = {kind: 0 for kind in KIND.values()}
    for (kind, uid), form in forms.items():
        before = project.known[kind].get(uid)
        if before is not None:
            again[kind] += 1
            form = carried(kind, before, form)
        look.seen.append(Resource(project.name, kind, uid, form, passing.get((kind, uid), {})))
    hold_losses(look, again)
    for r in look.seen:
        compare_with_baseline(look, r)
        judge(look, r, now, labels)
        judge_history(look, r, now)
    remove(look)
    if "project/vanished" in look.run["rules"] and any(walk.end == "not-found" for walk in look.walks.values()):
        look.found.add(("project/vanished", "project", project.uid, ""))
    if look.held and "project/mass-removal" in look.run["rules"]:
        look.found.add(("project/mass-removal", "project", project.uid, ""))
    for rule, places in across_project(look.seen, look.is_whole).items():
        if rule in look.run["rules"]:
            look.found |= {(rule, *place) for place in places}


def unseen(look, kind):
    seen = {r.uid for r in look.seen if r.kind == kind}
    return {uid for uid in look.project.known[kind] if uid not in seen}


def within_filter(look, kind, uids):
    listing = next(listing for listing, its in KIND.items() if its == kind)
    return {uid for uid in uids if is_within(listing, look.project.known[kind][uid], look.run["filters"])}


def hold_losses(look, again):
    """What is not believed yet: too much gone at once, a promised page that came empty, an empty list of nobody's."""
    options = look.run["rules"].get("project/mass-removal")
    held = look.project.held

    def is_mass(missing, known):
        if options is None:
            return False
        return missing > options.get("max_resources", 10) and missing * 100 > known * options.get("max_percent", 30)

    for listing in ("endpoints", "sources", "subscriptions"):
        if look.statuses.get(listing) != "complete":
            continue
        kind = KIND[listing]
        missing = within_filter(look, kind, unseen(look, kind))
        known = len(missing) + again[kind]
        before = held.pop(listing, None)
        if look.run["accepts_removals"]:
            continue
        if listing in look.unproven:
            # Repeating it proves nothing. Who has been seen before, and holds nothing, has nothing to lose.
            baseline = look.project.baselines.get(kind)
            if missing or baseline is None or baseline[0] != listing:
                look.statuses[listing] = "suspect"
                look.held = look.held or bool(missing)
            continue
        fresh = missing - (before or set())
        if look.walks[listing].lacks_promised_page:
            is_doubted = before is None or bool(fresh)
        else:
            is_doubted = is_mass(len(missing), known) and is_mass(len(fresh), known)
        if is_doubted:
            held[listing] = missing
            look.statuses[listing] = "suspect"
            look.held = look.held or is_mass(len(missing), known)


def compare_with_baseline(look, r):
    baseline = look.project.baselines.get(r.kind)
    if baseline is None:
        return
    listing, narrowed, states = baseline
    before = states.get(r.uid)
    if before is None:
        if is_new(look, r.kind, listing, narrowed, bool(r.passing)):
            look.drift[r.kind, r.uid] = ("added", {})
        return
    fields = differences(r.kind, before, r.attributes)
    if not fields:
        return
    look.drift[r.kind, r.uid] = ("modified", fields)
    for rule, path in drift(r, before, fields):
        if rule in look.run["rules"]:
            look.found.add((rule, r.kind, r.uid, path))


def is_new(look, kind, listing, narrowed, is_listed):
    """What was not there may also have been out of sight."""
    now = "subscriptions" if kind == "source" and not is_listed else look.listing_of(kind)
    if now == "sources" and listing == "subscriptions":
        return look.project.were_sources_listed
    return listing != now or narrowed == look.filter_of(now)


def judge(look, r, now, labels):
    for rule, check in ONE_RESOURCE[r.kind].items():
        options = look.run["rules"].get(rule)
        if options is None:
            continue
        for path in check(r, options, now):
            if isinstance(path, tuple):
                path = min(path)
            look.found.add((rule, r.kind, r.uid, path))
    environment = labels.get("env")
    is_development = environment in (None, "dev", "development", "test")
    if r.kind == "subscription" and r.get("type") == "cli" and not is_development:
        if "subscription/type-cli" in look.run["rules"]:
            look.found.add(("subscription/type-cli", r.kind, r.uid, "/type"))


def judge_history(look, r, now):
    project, rules = look.project, look.run["rules"]
    if r.kind == "endpoint":
        if r.get("status") == "paused":
            since = project.paused_since.setdefault(r.uid, now)
            options = rules.get("endpoint/paused-long")
            if options is not None and now - since >= options.get("max_hours", 24) * 3600:
                look.found.add(("endpoint/paused-long", r.kind, r.uid, "/status"))
        else:
            project.paused_since.pop(r.uid, None)
    # Told is not changed: until a walk is complete, every look tells the same change again.
    told = look.drift.get((r.kind, r.uid), (None, {}))[1]
    for path in told:
        if not has_changed(project.known[r.kind].get(r.uid), r.attributes, path):
            continue
        project.changed_at.setdefault((r.kind, r.uid), {}).setdefault(path, []).append(now)
    options = rules.get("drift/flapping")
    for path, times in project.changed_at.get((r.kind, r.uid), {}).items() if options is not None else ():
        recent = [time for time in times if now - time <= options.get("within_hours", 24) * 3600]
        if len(recent) >= options.get("min_changes", 3):
            look.found.add(("drift/flapping", r.kind, r.uid, path))


def has_changed(before, now, path):
    def value_at(attributes):
        for step in path.split("/")[1:]:
            attributes = attributes.get(step) if isinstance(attributes, dict) else None
        return attributes

    return before is not None and not is_same(value_at(before), value_at(now))


def remove(look):
    """Only a complete walk of a kind's own listing says that something is gone."""
    project = look.project
    for kind in ("endpoint", "source", "subscription"):
        if not look.is_complete(kind):
            continue
        missing = unseen(look, kind)
        if kind == "source" and not look.are_sources_listed:
            look.out_of_sight |= {(kind, uid) for uid in missing}
            if look.is_whole(kind):
                look.unreferenced = missing - project.unreferenced
                project.unreferenced = missing
            continue
        if kind == "source":
            project.unreferenced = set()
        gone = within_filter(look, kind, missing)
        look.out_of_sight |= {(kind, uid) for uid in missing - gone}
        baseline = project.baselines.get(kind)
        for uid in gone:
            if baseline is not None and uid in baseline[2]:
                look.drift[kind, uid] = ("removed", {})
            del project.known[kind][uid]
            project.paused_since.pop(uid, None)


def remember(look):
    project = look.project
    for r in look.seen:
        project.known[r.kind][r.uid] = r.attributes
    for kind in KIND.values():
        if look.is_complete(kind):
            listing = look.listing_of(kind)
            project.baselines[kind] = (listing, look.filter_of(listing), dict(project.known[kind]))
    if look.statuses.get("sources") == "complete" and look.walks["sources"].items:
        project.were_sources_listed = True


# --- what stands

def settle_fleet(looks, is_whole_fleet):
    """A stranger's answers accuse nobody."""
    seen = [r for look in looks if not look.is_foreign for r in look.seen]
    for rule, places in across_fleet(seen).items():
        for name, *place in places:
            look = next(look for look in looks if look.project.name == name)
            if rule in look.run["rules"]:
                look.found.add((rule, *place))


def settle(look, looks, is_whole_fleet):
    told = {}
    project, now = look.project, look.run["started_at"]

    def tell(place, state):
        rule, kind, uid, path = place
        first, last = project.standing[place]
        told[rule, project.name, kind, uid, path] = {"state": state, "first_seen": first, "last_seen": last}

    def is_settled(rule, kind, uid):
        if rule not in look.run["rules"]:
            return True
        if (kind, uid) in look.out_of_sight:
            return False
        scope, kinds = needs_of(rule)
        kinds = [need or kind for need in kinds]
        if scope == "fleet":
            return is_whole_fleet and all(other.is_whole(need) for other in looks for need in kinds)
        return all((look.is_whole if scope == "project" else look.is_complete)(need) for need in kinds)

    for place in look.found:
        first = project.standing.get(place, [now])[0]
        state = "continuing" if place in project.standing else "opened"
        project.standing[place] = [first, now]
        tell(place, state)
    for place in [place for place in project.standing if place not in look.found]:
        rule, kind, uid, _ = place
        if is_settled(rule, kind, uid):
            tell(place, "resolved")
            del project.standing[place]
        else:
            tell(place, "unknown")
    return told
