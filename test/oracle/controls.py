"""
The states of a framework's controls after a run, from docs/how-to/report-by-control.md: what its rules found, what they
could not see, and what people and the policy exempt.
"""

from datetime import datetime, timezone
from fnmatch import fnmatchcase

from answers import data_of, exchanges_of
from approved import UNEXPECTED
from endings import SEVERITIES
from filter_rows import DRIFT
from normal_form import is_same, value_at
from rules import needs_of

# The kinds that a drift rule compares, from its page; `hookdrift rules` names the first.
ALL = ("endpoint", "subscription", "source", "event_type", "project")
COMPARED = {
    "drift/authentication-lost": ("endpoint",),
    "drift/verification-weakened": ("source",),
    "drift/url-host-changed": ("endpoint",),
    "drift/rate-limit-lost": ("endpoint",),
    "drift/filter-removed": ("subscription",),
    "drift/filter-widened": ("subscription",),
    "drift/function-changed": ("subscription", "source"),
    "drift/secret-changed": ("endpoint", "source", "project"),
    "drift/signature-changed": ("project",),
    "drift/project-weakened": ("project",),
    "drift/unexpected": ALL,
    "drift/flapping": ALL,
}
# Without filter rows they find nothing; other rules take what a subscription declares.
OF_ROWS = ("subscription/no-filter", "subscription/filter-off", "subscription/filter-diverges", "drift/filter-removed")
ACROSS_ROWS = ("subscription/duplicate", "subscription/event-type-deprecated")
# About fields that the copies of sources in subscriptions do not show.
OF_LISTED_SOURCES = (
    *("source/dead-letter-missing", "source/event-type-unsigned", "source/idempotency-missing"),
    *("source/idempotency-broken", "source/queue-duplicate", "source/queue-plaintext", "source/queue-static-keys"),
    "source/verifier-broken",
)
LISTING = {
    "project": "project",
    "endpoint": "endpoints",
    "event_type": "event_types",
    "subscription": "subscriptions",
}


def assess_all(world, run, projects, scans, violations):
    """By framework and control. `violations`: what the run says of projects that it scanned, by place."""
    scanned = {scan.project.name for scan in scans}
    elsewhere = {
        (place[0], name, *place[1:]): said
        for name, project in projects.items()
        if name not in scanned
        for place, said in project.remaining.items()
    }
    found = {**violations, **elsewhere}
    silenced = list(still_silenced(projects, found))
    return {
        (framework["id"], control["id"]): Assessment(world, run, projects, scans, control).of(found, silenced)
        for framework in world["frameworks"][: None if run is world["runs"][-1] else 1]
        for control in framework["controls"]
    }


# Rules that read a field of every resource for which they are on, regardless of what else it shows: from their pages.
READ = {
    ("endpoints", "url"): (
        *("endpoint/url-not-https", "endpoint/url-metadata-address", "endpoint/url-private-address"),
        *("endpoint/url-raw-ip", "endpoint/url-odd-port", "endpoint/url-credentials", "drift/url-host-changed"),
    ),
    ("endpoints", "status"): ("endpoint/inactive", "endpoint/status-unknown", "endpoint/paused-long"),
    ("endpoints", "secrets"): (
        *("endpoint/secret-missing", "endpoint/secret-expired-active"),
        *("endpoint/secret-too-many", "endpoint/secret-stale", "endpoint/secret-shared"),
    ),
    ("endpoints", "authentication"): ("endpoint/auth-mismatch", "endpoint/auth-over-http", "endpoint/auth-shared"),
    ("sources", "type"): ("source/unverified", "source/idempotency-missing"),
    ("sources", "verifier"): ("source/verifier-broken", "source/verifier-replayable"),
    ("subscriptions", "endpoint_metadata"): ("subscription/target-missing", "subscription/target-not-active"),
}


def in_doubt(world, run, projects, scans):
    """
    By framework and control, where a rule of it is on for a resource of which a field that it reads was not shown, or
    shown with a wrong type: regardless of what else the run saw, the control is not met.
    """
    listing, member = run["unreadable"]["listing"], run["unreadable"]["member"]
    doubted = {}
    for scan in scans:
        for uid in unreadable_in(scan, listing, member):
            for rule in READ[listing, member]:
                if scan.is_on(rule, listing[:-1], uid):
                    doubted[rule] = True
    for framework in world["frameworks"]:
        for control in framework["controls"]:
            if any(rule in doubted for rule in Assessment(world, run, projects, scans, control).rules):
                yield (framework["id"], control["id"]), {"is_met": False}


def unreadable_in(scan, listing, member):
    for exchange in exchanges_of(scan.run["exchanges"], scan.project.uid).get(listing, []):
        data, fault = data_of(exchange)
        items = data.get("content") if fault is None and isinstance(data, dict) else None
        for item in items or ():
            if member not in item or item[member] == 7:
                yield item["uid"]


def still_silenced(projects, found):
    """What people or the policy ended, as long as the value is the same, and nothing reports it again."""
    for name, project in projects.items():
        for place, (ending, value, was_there) in project.silenced.items():
            rule, kind, uid, path = place
            known = project.known[kind].get(uid)
            if was_there != (known is not None):
                continue
            full = (rule, name, kind, uid, path)
            is_open = found.get(full, {}).get("state") in ("opened", "continuing")
            if not is_open and is_same(value_at(known, path), value):
                yield full, ending


class Assessment:
    def __init__(self, world, run, projects, scans, control):
        self.world, self.run, self.projects, self.scans = world, run, projects, scans
        self.patterns = [pattern for evidence in control["evidence"] for pattern in evidence["rules"]]
        self.rules = [rule for rule in world["catalogue"] if self.is_asked(rule) and self.is_of(rule)]

    def is_of(self, rule):
        return any(fnmatchcase(rule, pattern) for pattern in self.patterns)

    def is_asked(self, rule):
        overrides = self.run["exceptions"]["overrides"]
        return rule in self.run["rules"] or any(override["rules"].get(rule, "off") != "off" for override in overrides)

    def of(self, violations, silenced):
        if not self.patterns:
            return {"state": "not_covered", "observations": 0, "exemptions": [], "gaps": [], "evaluated": {}}
        found = {place: said for place, said in violations.items() if place[0] in self.rules}
        is_open = [said for said in found.values() if said["state"] in ("opened", "continuing")]
        counted = [said for said in is_open if decides(said["severity"], self.run["fail_on"])]
        gaps = sorted(self.gaps_of_walks())
        evaluated = {rule: self.evaluated(rule) for rule in self.rules}
        return {
            "state": self.state(counted, found, gaps, evaluated),
            "observations": len(is_open) - len(counted),
            "exemptions": sorted(self.exemptions(found, silenced), key=str),
            "gaps": gaps,
            "evaluated": evaluated,
        }

    def state(self, counted, found, gaps, evaluated):
        if not self.rules:
            return "not_assessed"
        if counted:
            return "not_met"
        is_unchecked = any(said["state"] == "unknown" for said in found.values())
        is_in_doubt = any(rule in scan.blurred or self.misses_rows(scan, rule) for scan in self.scans for rule in self.rules)
        is_missing = bool(gaps) or is_unchecked or is_in_doubt or not any(scan.statuses for scan in self.scans)
        if is_missing and not any(evaluated.values()):
            return "not_assessed"
        is_part = len(self.scans) < len(self.projects) or any(map(self.is_narrowed, self.scans))
        return "partially_assessed" if is_missing or is_part else "met"

    # --- what was seen

    def kinds(self):
        for rule in self.rules:
            if rule in COMPARED:
                yield from COMPARED[rule]
                continue
            scope, kinds = needs_of(rule)
            yield from (kind or self.world["catalogue"][rule]["kind"] for kind in kinds)
            if rule == "project/mass-removal" and any(scan.lists_event_types for scan in self.scans):
                yield "event_type"

    def listings(self, scan):
        return {LISTING.get(kind) or scan.listing_of(kind) for kind in self.kinds()}

    def gaps_of_walks(self):
        """A listing that is off shows nothing either."""
        for scan in self.scans:
            for listing in self.listings(scan):
                status = scan.statuses.get(listing, "skipped")
                if scan.statuses and status != "complete":
                    yield scan.project.name, listing, status
            is_unlisted = scan.statuses.get("sources", "skipped") == "skipped"
            if scan.statuses and is_unlisted and any(rule in OF_LISTED_SOURCES for rule in self.rules):
                yield scan.project.name, "sources", "skipped"

    def is_narrowed(self, scan):
        return any(scan.filter_of(listing) for listing in self.listings(scan))

    def misses_rows(self, scan, rule):
        """Rows that could not be read in this scan, or that no scan has read: not offered, off, or their turn never came."""
        if any(of == rule for of, _ in scan.doubted):
            return True
        if rule == UNEXPECTED:
            state = scan.project.approved
            return state is not None and any(r.are_rows_unread and state.has(r) for r in scan.seen)
        subscriptions = (r for r in scan.seen if r.kind == "subscription" and scan.is_on(rule, r.kind, r.uid))
        return any(self.misses_rows_of(rule, r) for r in subscriptions)

    def misses_rows_of(self, rule, r):
        is_unknown = "filters" not in r.attributes
        return (rule in OF_ROWS and is_unknown) or (rule in DRIFT and r.are_rows_unread and not is_unknown)

    def evaluated(self, rule):
        kind = self.world["catalogue"][rule]["kind"]
        return sum(
            r.kind == kind and scan.is_on(rule, kind, r.uid) and not self.is_missed(scan, rule, r)
            for scan in self.scans
            for r in scan.seen
        )

    def is_missed(self, scan, rule, r):
        if rule in OF_ROWS and "filters" not in r.attributes:
            return True
        return (rule, r.uid) in scan.doubted

    # --- what is exempt: kind, rule, place, who, why, when, until when, on which line

    def exemptions(self, found, silenced):
        named, scanned = {}, {scan.project.name for scan in self.scans}

        def name(kind, place, by, reason, at=None, until=None, line=None):
            named.setdefault((kind, place), [kind, place[0], place, by, reason, at, until, line])

        for place, said in found.items():
            end = self.projects[place[1]].waivers.get((place[0], *place[2:]))
            if said["state"] in ("waived", "unknown") and end is not None:
                name("waiver", place, "team", "moves", until=instant(end))
        for project in self.projects.values():
            for place, (_, at) in project.accepted.items():
                full = (place[0], project.name, *place[1:])
                # What the next scan of the project will end counts as it did in the last one.
                is_to_come = place in project.active and project.name not in scanned
                if place[0] in self.rules and not is_to_come:
                    name("acceptance", full, "lee", "moves in spring", at=at)
        ended = [(place, (said["resolution"], said["ended_by"])) for place, said in found.items()]
        for place, (resolution, by) in [*ended, *(one for one in silenced if self.is_of(one[0][0]))]:
            if resolution in ("accepted", "policy", "expired"):
                name(by["kind"], place, by["by"], by["reason"], at=by["at"], line=by["line"])
        lines = {(kind, rule, line) for kind, rule, *_, line in named.values()}
        yield from named.values()
        yield from (one for one in self.exempt_by_policy() if (one[0], one[1], one[-1]) not in lines)

    def exempt_by_policy(self):
        lines = self.run["policy_lines"]
        for rule, line in lines["rules"].items():
            if rule not in self.run["rules"] and self.is_of(rule):
                yield ["rule_off", rule, None, None, None, None, None, line]
        for override, at in zip(self.run["exceptions"]["overrides"], lines["overrides"], strict=True):
            for rule, setting in override["rules"].items():
                usual = self.run["rules"].get(rule)
                if usual is None or not self.is_of(rule):
                    continue
                said = self.loosened(rule, setting, usual)
                if said is not None:
                    yield ["override", rule, None, None, said, None, None, at[rule]]

    def loosened(self, rule, setting, usual):
        if setting == "off":
            return "switched off"
        if set(setting) != {"severity"}:
            return "other options"
        severity = usual.get("severity", self.world["catalogue"][rule]["severity"])
        is_milder = SEVERITIES.index(setting["severity"]) > SEVERITIES.index(severity)
        return f"severity {setting['severity']}" if is_milder else None


def decides(severity, fail_on):
    threshold = "medium" if fail_on in ("never", "new") else fail_on
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)


def instant(seconds):
    time = datetime.fromtimestamp(seconds, timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")
