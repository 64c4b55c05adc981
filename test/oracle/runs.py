"""One world, run by run: what is known, what each scan proves, what changed, and which violations are active."""

import approved
import controls
import endings
from answers import Walk, exchanges_of, is_within, read_walk
from filter_rows import DRIFT, ONE_SUBSCRIPTION, leave_rows, read_catalogue, read_rows, rows_in
from normal_form import carried, differences, is_same, normal_form, stub_form, uid_of, value_at
from policy import found_in, options_for, waiver_for
from rules import (
    ONE_RESOURCE,
    Resource,
    across_fleet,
    across_project,
    cannot_compare_rows,
    drift,
    is_returned,
    needs_of,
    returned,
    seconds_of,
)

LISTINGS = ("project", "endpoints", "sources", "event_types", "subscriptions")
KIND = {
    "project": "project",
    "endpoints": "endpoint",
    "sources": "source",
    "event_types": "event_type",
    "subscriptions": "subscription",
}


class Project:
    """What is known of a project before a run."""

    def __init__(self, name, uid):
        self.name, self.uid = name, uid
        self.known = {kind: {} for kind in KIND.values()}
        self.baselines = {}  # kind: (listing, filter, attributes by uid)
        self.withheld = {}  # listing: uids
        self.unreferenced = set()
        self.were_sources_listed = False
        self.paused_since = {}  # endpoint uid: start of a run
        self.changed_at = {}  # (kind, uid, path): starts of runs
        self.active = {}  # (rule, kind, uid, path): [first seen, last seen]
        self.severities = {}  # the same: as of the run that found it last
        self.waivers = {}  # the same: the instant at which the waiver ends that covered it when it was found last
        self.remaining = {}  # the same: its state as of the last scan
        self.silenced = {}  # the same: how it ended although its value is there, that value, and whether there was a resource
        self.origins = {}  # the same, of drift rules: attributes before the change
        self.accepted = {}  # the same: the value that a person accepted, and when
        self.approved = None  # the state that a person approved, if it is in force
        self.revoked = None  # the last revocation, and what it took back
        self.past = {}  # run: what it left
        self.runs = {}  # start of a run that scanned it: the run, and what was known after it
        self.readings = {}  # subscription uid: start of the run that read its rows last
        self.unread = set()  # subscriptions whose rows the last scan that showed them could not read

    def is_known(self, uid):
        return uid in self.known["subscription"]

    def is_changed(self, item):
        """Whether a list shows something else of a subscription than is known. What could not be read is not known."""
        known = self.known["subscription"].get(item["uid"])
        if known is None:
            return False
        return item["uid"] in self.unread or carried("subscription", known, normal_form("subscription", item)) != known

    def is_accused(self, uid):
        places = [place for place in self.active if place[1:3] == ("subscription", uid)]
        return any(path == "/filters" or path.startswith("/filters/") for *_, path in places)


class Scan:
    """What a run saw of a project, and what that proves."""

    def __init__(self, project, run, world):
        self.project, self.run, self.labels, self.catalogue = project, run, world["labels"], world["catalogue"]
        self.walks, self.statuses = {}, {}
        self.is_foreign = False
        self.unproven = set()
        self.seen = []
        self.found = set()  # (rule, kind, uid, path)
        self.origins = {}  # of what is found first
        self.endings = {}  # of what ends with any scan of it: resolution, and who or what ended it
        self.unexpected = {}  # (kind, uid): how it differs from the approved state
        self.drift = {}
        self.unreferenced = set()
        self.unobserved = set()
        self.gone = set()
        self.withheld = False
        self.rows = None  # what was read of filter rows; None where no subscription was listed
        self.doubted = set()  # (rule, subscription uid): what it needed was not read
        self.blurred = set()  # rules across resources that could not evaluate one of them

    def filter_of(self, listing):
        return sorted(self.run["filters"].get(listing, {}).items())

    @property
    def are_sources_listed(self):
        return self.statuses.get("sources") not in (None, "skipped")

    def listing_of(self, kind):
        if kind == "source":
            return "sources" if self.are_sources_listed else "subscriptions"
        return next(listing for listing, its in KIND.items() if its == kind)

    @property
    def lists_event_types(self):
        return self.statuses.get("event_types") not in (None, "skipped")

    def is_complete(self, kind):
        return self.statuses.get(self.listing_of(kind)) == "complete"

    def is_whole(self, kind):
        return self.is_complete(kind) and not self.filter_of(self.listing_of(kind))

    def is_on(self, rule, kind, uid):
        return options_for(self, rule, kind, uid) is not None

    def severity_of(self, rule, kind, uid, path):
        options = options_for(self, rule, kind, uid) or {}
        return options.get("severity", "low" if is_returned(rule, path) else self.catalogue[rule]["severity"])

    def is_asked(self, rule):
        """Of any resource."""
        settings = [override["rules"].get(rule, "off") for override in self.run["exceptions"]["overrides"]]
        return rule in self.run["rules"] or any(setting != "off" for setting in settings)


def run_world(world):
    """What a report must say, run by run."""
    projects = {name: Project(name, uid) for name, uid in world["projects"].items()}
    for number, run in enumerate(world["runs"], 1):
        if "unreadable" in run:
            scans = [Scan(projects[name], run, world) for name in run["scanned"]]
            yield {"controls in doubt": dict(controls.in_doubt(world, run, projects, scans))}
        else:
            yield run_once(number, run, world, projects)


def run_once(number, run, world, projects):
    answers, differing = approved.ask(projects, run["baselines"])
    now = seconds_of(run["started_at"])
    for one in run["accepted"]:
        project, place = projects[one["project"]], (one["rule"], one["kind"], one["uid"], one["path"])
        project.accepted[place] = value_at(project.known[one["kind"]][one["uid"]], one["path"]), one["at"]
    scans = [Scan(projects[name], run, world) for name in run["scanned"]]
    for scan in scans:
        walk_all(scan)
        if not scan.is_foreign:
            take_in(scan, now)
    reconcile_fleet(scans, len(scans) == len(projects))
    violations = {}
    for scan in scans:
        violations.update(reconcile(scan, scans, len(scans) == len(projects)))
        if not scan.is_foreign:
            remember(scan)
        scan.project.runs[run["started_at"]] = (run, known_states(scan.project))
    for name, project in projects.items():
        scan = next((scan for scan in scans if scan.project is project), None)
        project.past[number] = approved.Snapshot(project, scan, number, run["started_at"])
    # A run that walked nothing at all proves nothing.
    is_complete = any(scan.statuses for scan in scans) and all(
        status in ("complete", "skipped") for scan in scans for status in scan.statuses.values()
    )
    return {
        "baselines": answers,
        "baseline diffs": differing,
        "approved": {scan.project.name for scan in scans if scan.project.approved is not None},
        "coverage": {
            (scan.project.name, listing): {
                "status": status,
                "is_reasoned": status != "complete",
                "pages": len(scan.walks[listing].pages),
                "items": len(scan.walks[listing].items),
                "requests": scan.walks[listing].requests,
            }
            for scan in scans
            for listing, status in scan.statuses.items()
            if listing != "filters"
        }
        | {(scan.project.name, "filters"): coverage_of_rows(scan) for scan in scans if "filters" in scan.statuses},
        "changes": {
            (scan.project.name, kind, uid): change for scan in scans for (kind, uid), change in scan.drift.items()
        },
        "unreferenced": {(scan.project.name, "source", uid): True for scan in scans for uid in scan.unreferenced},
        "violations": violations,
        "controls": controls.assess_all(world, run, projects, scans, violations),
        "verdicts": {
            "complete coverage": is_complete,
            # Of what could not be seen again, only what would fail the run counts.
            "exit 3": not is_complete
            or any(
                said["state"] == "unknown" and kind != "probe" and is_lost((rule, kind, uid, path), said, scans, project, run)
                for (rule, project, kind, uid, path), said in violations.items()
            ),
        },
    }


def is_lost(place, said, scans, project, run):
    """Whether a violation would fail the run, were it still open."""
    known = next((scan.project for scan in scans if scan.project.name == project), None)
    until = None if known is None else known.waivers.get(place)
    # Waived when it was found last, and until then.
    if run["fail_on"] == "never" or (until is not None and until > seconds_of(run["started_at"])):
        return False
    if not controls.decides(said["severity"], run["fail_on"]):
        return False
    if run["fail_on"] != "new":
        return True
    # What was approved before it came is not what a person agreed to.
    approved = next((scan.project.approved for scan in scans if scan.project.name == project), None)
    return approved is not None and said["first_seen"] > approved.request["at"]


def known_states(project):
    return {(kind, uid): form for kind, of_kind in project.known.items() for uid, form in of_kind.items()}


# --- coverage

def walk_all(scan):
    run, project = scan.run, scan.project
    exchanges = exchanges_of(run["exchanges"], project.uid)
    due = [listing for listing in LISTINGS if run["listings"].get(listing) != "off"]
    for listing in due:
        if scan.is_foreign:
            scan.walks[listing] = Walk()
            continue
        if listing == "event_types":
            walk = read_catalogue(exchanges.get(listing, []))
        else:
            of_rows = exchanges.get("filters", []) if listing == "subscriptions" else []
            may_stop = any(rows_in(one, one["path"].split("/")[-2])[0] == "foreign" for one in of_rows)
            walk = read_walk(listing, exchanges.get(listing, []), project.uid, run["filters"], may_stop)
        scan.walks[listing] = walk
        if listing == "subscriptions":
            walk_rows(scan, exchanges.get("filters", []))
        scan.statuses[listing] = walk.status(run["listings"].get(listing) == "auto")
        scan.is_foreign = walk.end == "foreign"
    if not scan.is_foreign:
        prove_identity(scan, exchanges)
    if scan.is_foreign:
        of_rows = ["filters"] if run["listings"].get("filters") != "off" else []
        scan.statuses = {listing: "failed" for listing in [*due, *of_rows]}


def walk_rows(scan, exchanges):
    """Rows are read with the pages of subscriptions."""
    offer = scan.run["listings"].get("filters")
    most = float("inf") if offer == "required" else scan.run["filters_per_run"]
    walk = scan.walks["subscriptions"]
    if offer == "off":
        scan.rows = leave_rows(walk, scan.project)
        return
    scan.rows = read_rows(walk, exchanges, most, scan.project)
    if scan.rows.is_foreign or walk.end == "foreign":
        walk.end, walk.pages = "foreign", walk.pages[: scan.rows.taken]


def coverage_of_rows(scan):
    rows, readings, status = scan.rows, scan.project.readings, scan.statuses["filters"]
    now = {} if scan.is_foreign or rows is None else {uid: scan.run["started_at"] for uid in rows.rows}
    times = [time for time in map({**readings, **now}.get, rows.listed if rows else []) if time is not None]
    said = {
        "status": status,
        "is_reasoned": status != "complete",
        "pages": 0,
        "items": len(now),
        "of": len(rows.listed) if rows else 0,
        "oldest_at": min(times, default=None),
    }
    # How many of those that were sent at once were answered when one of them ended the scan, is chance.
    return said if rows and rows.is_foreign else {**said, "requests": rows.requests if rows else 0}


def prove_identity(scan, exchanges):
    """An empty list does not say whose it is; the project does, where it is offered."""
    # Nor does a catalogue, with items or without.
    named = [name for name, walk in scan.walks.items() if walk.items and name != "event_types"]
    empty = [name for name, walk in scan.walks.items() if walk.end == "complete"]
    if not empty or named:
        return
    asked = scan.walks.get("project")
    if asked is None:
        asked = read_walk("project", exchanges.get("project", []), scan.project.uid, {})
        is_offered = asked.end != "not-offered"
    else:
        is_offered = scan.statuses["project"] != "skipped"
    if asked.end == "complete":
        return
    if asked.end == "foreign":
        scan.is_foreign = True
    elif not is_offered:
        scan.unproven = set(empty)
    else:
        for listing in empty:
            scan.statuses[listing] = "failed"


# --- what was seen

def take_in(scan, now):
    project = scan.project
    passing, forms = {}, {}
    for listing, walk in scan.walks.items():
        for item in walk.items:
            passing[KIND[listing], item["uid"]] = item
            forms[KIND[listing], item["uid"]] = normal_form(KIND[listing], item)
    for uid, rows in scan.rows.rows.items():
        forms["subscription", uid]["filters"] = rows
    for item in scan.walks["subscriptions"].items:
        source = item.get("source_metadata")
        if uid_of(source) is not None and ("source", source["uid"]) not in forms:
            forms["source", source["uid"]] = stub_form(source)
    again = {kind: 0 for kind in KIND.values()}
    for (kind, uid), form in forms.items():
        before = project.known[kind].get(uid)
        if before is not None:
            again[kind] += 1
            form = carried(kind, before, form)
        scan.seen.append(Resource(project.name, kind, uid, form, passing.get((kind, uid), {})))
        scan.seen[-1].are_rows_unread = kind == "subscription" and uid in scan.rows.unread
    withhold_removals(scan, again)
    if scan.run["listings"]["filters"] != "off":
        scan.statuses["filters"] = scan.rows.status(scan.statuses["subscriptions"], scan.run["listings"]["filters"])
    for r in scan.seen:
        if r.are_rows_unread and "filters" in r.attributes:
            # What the rows are now is unknown, also where nothing else differs.
            scan.doubted |= {(rule, r.uid) for rule in DRIFT}
        compare_with_baseline(scan, r)
        evaluate(scan, r)
        evaluate_history(scan, r, now)
    remove(scan)
    if project.approved is not None:
        approved.compare_missing(scan)
    if "project/vanished" in scan.run["rules"] and any(walk.end == "not-found" for walk in scan.walks.values()):
        scan.found.add(("project/vanished", "project", project.uid, ""))
    if scan.withheld and "project/mass-removal" in scan.run["rules"]:
        scan.found.add(("project/mass-removal", "project", project.uid, ""))
    across, scan.blurred = across_project(scan.seen, scan.is_whole)
    for rule, places in across.items():
        if rule in scan.run["rules"]:
            scan.found |= {(rule, *place) for place in places}


def unseen(scan, kind):
    seen = {r.uid for r in scan.seen if r.kind == kind}
    return {uid for uid in scan.project.known[kind] if uid not in seen}


def within_filter(scan, kind, uids):
    listing = next(listing for listing, its in KIND.items() if its == kind)
    return {uid for uid in uids if is_within(listing, scan.project.known[kind][uid], scan.run["filters"])}


def withhold_removals(scan, again):
    """What is not believed yet: too much gone at once, a promised page that came empty, an empty list of an unproven project,
    a list without what subscriptions of the same scan show."""
    options = scan.run["rules"].get("project/mass-removal")
    withheld = scan.project.withheld

    def is_mass(missing, known):
        if options is None:
            return False
        return missing > options.get("max_resources", 10) and missing * 100 > known * options.get("max_percent", 30)

    for listing in ("endpoints", "sources", "event_types", "subscriptions"):
        if scan.statuses.get(listing) != "complete":
            continue
        kind = KIND[listing]
        missing = within_filter(scan, kind, unseen(scan, kind))
        known = len(missing) + again[kind]
        before = withheld.pop(listing, None)
        if scan.run["accepts_removals"]:
            continue
        if listing in scan.unproven:
            # Repeating it proves nothing. Who has been seen before, and holds nothing, has nothing to lose.
            baseline = scan.project.baselines.get(kind)
            if missing or baseline is None or baseline[0] != listing:
                scan.statuses[listing] = "suspect"
                scan.withheld = scan.withheld or bool(missing)
            continue
        if not scan.filter_of(listing) and contradicted(scan, listing):
            if missing:
                withheld[listing] = missing
            scan.statuses[listing] = "suspect"
            scan.withheld = scan.withheld or is_mass(len(missing), known)
            continue
        fresh = missing - (before or set())
        if listing == "event_types" and missing and not scan.walks[listing].items:
            # Every project's catalogue has `*`, and no request deletes an event type.
            is_doubted = before is None or bool(fresh)
            scan.withheld = scan.withheld or is_doubted
        elif scan.walks[listing].lacks_promised_page:
            is_doubted = before is None or bool(fresh)
        else:
            is_doubted = is_mass(len(missing), known) and is_mass(len(fresh), known)
        if is_doubted:
            withheld[listing] = missing
            scan.statuses[listing] = "suspect"
            scan.withheld = scan.withheld or is_mass(len(missing), known)


EMBEDDED = {"endpoints": "endpoint_metadata", "sources": "source_metadata"}


def contradicted(scan, listing):
    """What subscriptions show and its own list leaves out. What was not known before may be new, but not where the list is empty."""
    if listing not in EMBEDDED:
        return set()
    listed = {item["uid"] for item in scan.walks[listing].items}
    embedded = {uid_of(item.get(EMBEDDED[listing])) for item in scan.walks["subscriptions"].items} - {None}
    left_out = embedded - listed
    return left_out & set(scan.project.known[KIND[listing]]) if listed else left_out


# Changes that are often meant: their violations end after 30 days.
OFTEN_MEANT = (
    "drift/secret-changed",
    "drift/function-changed",
    "drift/signature-changed",
    "drift/url-host-changed",
)


def follow_drift(scan, r, found=()):
    """
    A violation of a drift rule lasts until the value is as it was before the change, or at least as strong. Where a state of
    the resource is approved, it lasts as long as that differs (`found`), and otherwise the value is accepted.
    """
    is_approved = scan.project.approved is not None and scan.project.approved.has(r)
    places = [place for place in scan.project.origins if place[1:3] == (r.kind, r.uid)]
    for place in places:
        if place in found:
            continue
        age = seconds_of(scan.run["started_at"]) - seconds_of(scan.project.active[place][0])
        if not scan.is_on(*place[:3]):
            scan.endings[place] = endings.by_policy(scan, place)
            continue
        if place[0] in OFTEN_MEANT and age >= 30 * 86400 and not is_approved:
            scan.endings[place] = endings.by_expiry(scan, place)
            continue
        origin = scan.project.origins[place]
        fields = differences(r.kind, origin, r.attributes)
        others = set(returned(place[0], fields))
        # A state that was approved before the violation was found does not have what came back.
        is_approved_since = is_approved and not is_approved_before(scan, place)
        lost = {path for rule, path in drift(r, origin, fields, is_lost=True) if rule == place[0]}
        # Of what is found next to an open violation alone, a comparison with an older approved state says nothing.
        surely_lost = {path for rule, path in drift(r, origin, fields) if rule == place[0]}
        # Lost in another way than before, around it or in a part of it, is lost still.
        if place[3] in lost or any(overlaps(path, place[3]) for path in lost - others):
            if is_approved_since or (is_approved and place[3] in surely_lost):
                scan.endings[place] = endings.by_baseline(scan, place)
            else:
                scan.found.add(place)
        elif is_returned(place[0], place[3]) and place[3] in others:
            if is_approved_since:
                scan.endings[place] = endings.by_baseline(scan, place)
            else:
                scan.found.add(place)
        elif not is_approved_since:
            for path in others:
                if path.startswith(place[3] + "/"):
                    scan.found.add((*place[:3], path))
                    scan.origins[(*place[:3], path)] = origin
        if place[0] in DRIFT and cannot_compare_rows(r, origin):
            scan.doubted.add((place[0], r.uid))
    return places


def overlaps(one, other):
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


def is_approved_before(scan, place):
    approval = scan.project.approved.approved_by(place[1], place[2])
    return seconds_of(approval["at"]) < seconds_of(scan.project.active[place][0])


def compare_with_state(scan, r):
    """Drift rules compare with the approved state where it has the resource, and the list of changes never does."""
    state = scan.project.approved
    if state is None:
        return follow_drift(scan, r)
    if state.has(r):
        follow_drift(scan, r, approved.compare_with_approved(scan, r))
        return None
    approved.compare_unapproved(scan, r)
    return follow_drift(scan, r)


def compare_with_baseline(scan, r):
    followed = compare_with_state(scan, r)
    baseline = scan.project.baselines.get(r.kind)
    if baseline is None:
        return
    listing, narrowed, states = baseline
    before = states.get(r.uid)
    if before is None:
        if is_new(scan, r.kind, listing, narrowed, bool(r.passing)):
            scan.drift[r.kind, r.uid] = ("added", {})
        return
    fields = differences(r.kind, before, r.attributes)
    if not fields:
        return
    scan.drift[r.kind, r.uid] = ("modified", fields)
    if cannot_compare_rows(r, before) and followed is not None:
        scan.doubted |= {(rule, r.uid) for rule in DRIFT}
    for rule, path in drift(r, before, fields) if followed is not None else ():
        place = (rule, r.kind, r.uid, path)
        if scan.is_on(*place[:3]) and place not in followed and not is_way_back(scan, r, followed, rule, path):
            scan.found.add(place)
            scan.origins[place] = before


def is_way_back(scan, r, followed, rule, path):
    """A value that comes back, or half of the way, is not a violation of another rule."""
    for place in followed:
        if place in scan.endings or not approved.touches(place[3], path):
            continue
        origin = scan.project.origins[place]
        now = drift(r, origin, differences(r.kind, origin, r.attributes), is_lost=True)
        if not any(other == rule and approved.touches(path, where) for other, where in now):
            return True
    return False


def is_new(scan, kind, listing, narrowed, is_listed):
    """What was not there may also have been unobserved."""
    now = "subscriptions" if kind == "source" and not is_listed else scan.listing_of(kind)
    if now == "sources" and listing == "subscriptions":
        return scan.project.were_sources_listed
    return listing != now or narrowed == scan.filter_of(now)


def evaluate(scan, r):
    for rule in (*ONE_RESOURCE[r.kind], *(["subscription/type-cli"] if r.kind == "subscription" else [])):
        if rule in ONE_SUBSCRIPTION and r.are_rows_unread:
            if options_for(scan, rule, r.kind, r.uid) is not None:
                scan.doubted.add((rule, r.uid))
            continue
        scan.found |= {(rule, r.kind, r.uid, path) for path in found_in(scan, r, rule)}


def evaluate_history(scan, r, now):
    project = scan.project
    if r.kind == "endpoint":
        if r.get("status") == "paused":
            since = project.paused_since.setdefault(r.uid, now)
            options = options_for(scan, "endpoint/paused-long", r.kind, r.uid)
            if options is not None and now - since >= options.get("max_hours", 24) * 3600:
                scan.found.add(("endpoint/paused-long", r.kind, r.uid, "/status"))
        else:
            project.paused_since.pop(r.uid, None)
    # A report is not a change: until a walk is complete, every scan reports the same change again.
    reported = scan.drift.get((r.kind, r.uid), (None, {}))[1]
    for path in reported:
        if not has_changed(project.known[r.kind].get(r.uid), r.attributes, path):
            continue
        project.changed_at.setdefault((r.kind, r.uid), {}).setdefault(path, []).append(now)
    options = options_for(scan, "drift/flapping", r.kind, r.uid)
    for path, times in project.changed_at.get((r.kind, r.uid), {}).items() if options is not None else ():
        recent = [time for time in times if now - time <= options.get("within_hours", 24) * 3600]
        if len(recent) >= options.get("min_changes", 3):
            scan.found.add(("drift/flapping", r.kind, r.uid, path))


def has_changed(before, now, path):
    return before is not None and not is_same(value_at(before, path), value_at(now, path))


def remove(scan):
    """Only a complete walk of a kind's own listing says that something is gone."""
    project = scan.project
    for kind in ("endpoint", "source", "event_type", "subscription"):
        if not scan.is_complete(kind):
            continue
        missing = unseen(scan, kind)
        if kind == "source" and not scan.are_sources_listed:
            scan.unobserved |= {(kind, uid) for uid in missing}
            if scan.is_whole(kind):
                scan.unreferenced = missing - project.unreferenced
                project.unreferenced = missing
            continue
        if kind == "source":
            project.unreferenced = set()
        gone = within_filter(scan, kind, missing)
        if kind == "endpoint" and scan.filter_of("endpoints"):
            # It went out of view.
            gone -= contradicted(scan, "endpoints")
        scan.unobserved |= {(kind, uid) for uid in missing - gone}
        baseline = project.baselines.get(kind)
        for uid in gone:
            if baseline is not None and uid in baseline[2]:
                scan.drift[kind, uid] = ("removed", {})
            scan.gone.add((kind, uid))
            del project.known[kind][uid]
            project.paused_since.pop(uid, None)


def remember(scan):
    project = scan.project
    for r in scan.seen:
        project.known[r.kind][r.uid] = r.attributes
    for kind in KIND.values():
        if scan.is_complete(kind):
            listing = scan.listing_of(kind)
            project.baselines[kind] = (listing, scan.filter_of(listing), dict(project.known[kind]))
    if scan.statuses.get("sources") == "complete" and scan.walks["sources"].items:
        project.were_sources_listed = True
    for r in scan.seen:
        if r.kind == "subscription":
            (project.unread.add if r.are_rows_unread else project.unread.discard)(r.uid)
    if scan.is_whole("subscription"):
        project.readings = {uid: project.readings[uid] for uid in scan.rows.listed if uid in project.readings}
    project.readings.update({uid: scan.run["started_at"] for uid in scan.rows.rows})


# --- active violations

def reconcile_fleet(scans, is_whole_fleet):
    """Answers of another project count for no rule."""
    seen = [r for scan in scans if not scan.is_foreign for r in scan.seen]
    for rule, places in across_fleet(seen).items():
        for name, *place in places:
            scan = next(scan for scan in scans if scan.project.name == name)
            if rule in scan.run["rules"]:
                scan.found.add((rule, *place))


def reconcile(scan, scans, is_whole_fleet):
    reported = {}
    project, now = scan.project, scan.run["started_at"]

    def report(place, state, ending=(None, None)):
        rule, kind, uid, path = place
        first, last = project.active[place]
        said = reported[rule, project.name, kind, uid, path] = {"state": state, "first_seen": first, "last_seen": last}
        said["severity"] = project.severities[place]
        said["resolution"], said["ended_by"] = ending
        if rule == approved.UNEXPECTED and place in scan.found:
            said["says"] = scan.unexpected[kind, uid]
        if state != "resolved":
            project.remaining[place] = said

    def end(place, ending):
        report(place, "resolved", ending)
        for of_violation in (project.active, project.severities, project.remaining, project.waivers, project.origins):
            of_violation.pop(place, None)
        if ending[0] in ("accepted", "expired"):
            attributes = attributes_now(scan, *place[1:3])
            project.silenced[place] = (ending, value_at(attributes, place[3]), attributes is not None)

    def is_whole(rule, kind):
        """Whether all was seen that the rule needs before its silence means anything."""
        scope, kinds = needs_of(rule)
        kinds = [need or kind for need in kinds]
        if scope == "fleet":
            return is_whole_fleet and all(other.is_whole(need) for other in scans for need in kinds)
        return all((scan.is_whole if scope == "project" else scan.is_complete)(need) for need in kinds)

    def is_resolved(rule, kind, uid):
        if not scan.is_asked(rule):
            return True
        if (kind, uid) in scan.gone and not rule.startswith("drift/"):
            # What else the rule needs decides nothing of what is gone.
            return True
        if (kind, uid) in scan.unobserved or (rule, uid) in scan.doubted or rule in scan.blurred:
            return False
        if rule == "project/mass-removal" and any(scan.statuses.get(one) != "complete" for one in project.withheld):
            # Whether what was missing is gone is as open as it was.
            return False
        return is_whole(rule, kind)

    # Answers of another project say nothing about what is accepted in this one.
    for place, (value, at) in [] if scan.is_foreign else list(project.accepted.items()):
        rule, kind, uid, path = place
        if (kind, uid) in scan.gone:
            # With its resource, also while its rule is off.
            del project.accepted[place]
            continue
        now_seen = next((r for r in scan.seen if (r.kind, r.uid) == (kind, uid)), None)
        was_found = place in scan.found
        known = project.known[kind].get(uid)
        has_changed = now_seen is not None and known is not None and differences(kind, known, now_seen.attributes)
        is_over = not was_found and scan.is_asked(rule) and is_resolved(rule, kind, uid)
        if now_seen is not None and not is_same(value_at(now_seen.attributes, path), value):
            del project.accepted[place]
            continue
        # Silence about the same value is another policy, unless the resource changed or is gone.
        is_mended = has_changed and scan.is_on(rule, kind, uid)
        found_at = {list(project.runs)[-1], *project.active.get(place, ())[1:]}
        is_mended = is_mended and not any(endings.asks_for_less(scan, place, start) for start in found_at)
        if is_over and (now_seen is None or is_mended):
            del project.accepted[place]
            continue
        scan.found.discard(place)
        if place in project.active:
            end(place, endings.by_acceptance(at))

    for place in scan.found:
        first = project.active.get(place, [now])[0]
        waiver = waiver_for(scan, *place[:3])
        state = "waived" if waiver is not None else "continuing" if place in project.active else "opened"
        severity = scan.severity_of(*place)
        if place in project.active and needs_of(place[0])[0] in ("project", "fleet"):
            if place[0] in scan.blurred or not is_whole(place[0], place[1]):
                # Of several resources it may have seen fewer.
                severity = endings.worse(severity, project.severities[place])
        project.active[place], project.severities[place] = [first, now], severity
        project.waivers[place] = waiver
        if place in scan.origins:
            project.origins.setdefault(place, scan.origins[place])
        report(place, state)
    for place in [place for place in project.active if place not in scan.found]:
        rule, kind, uid, _ = place
        if rule == approved.UNEXPECTED and project.approved is None and scan.is_asked(rule) and not scan.is_foreign:
            # There is nothing to compare with.
            scan.endings[place] = endings.by_revocation(scan)
        if place in scan.endings or is_resolved(rule, kind, uid):
            end(place, scan.endings.get(place) or endings.ending_of(scan, place))
        else:
            report(place, "unknown")
    return reported


def attributes_now(scan, kind, uid):
    """Of a resource as the run leaves it; None where it is not known, or gone."""
    seen = next((r.attributes for r in scan.seen if (r.kind, r.uid) == (kind, uid)), None)
    if seen is None and (kind, uid) not in scan.gone:
        return scan.project.known[kind].get(uid)
    return seen
