"""
The state of a project that a person approved: how it comes about, what differs from it, and what an approval ends. From
docs/how-to/approve-a-baseline.md, docs/how-to/approve-a-baseline.md and docs/rules/drift/unexpected.md.
"""

import re

from answers import is_within
from filter_rows import DRIFT
from normal_form import differences, shows_alike
from rules import cannot_compare_rows, drift

UNEXPECTED = "drift/unexpected"
LISTING = {
    "endpoint": "endpoints",
    "source": "sources",
    "event_type": "event_types",
    "subscription": "subscriptions",
}


class Snapshot:
    """What was known of a project after a run, and whether the run may be approved."""

    def __init__(self, project, scan, number, started_at):
        self.number, self.started_at = number, started_at
        self.states = {(kind, uid): form for kind, of_kind in project.known.items() for uid, form in of_kind.items()}
        self.views = {kind: (listing, narrowed) for kind, (listing, narrowed, _) in project.baselines.items()}
        self.unreferenced = {("source", uid) for uid in project.unreferenced}
        self.is_scanned = scan is not None
        self.is_complete = scan is not None and all(status in ("complete", "skipped") for status in scan.statuses.values())


class Approved:
    """A state in force."""

    def __init__(self, request, states, views, as_of, amended):
        self.request = request
        self.states = states  # attributes by (kind, uid)
        self.views = views  # kind: (listing, filter) of the last complete walk by then
        self.as_of = as_of  # number and start of the run
        self.amended = amended  # the same of single resources, by (kind, uid)
        self.founded_by = request  # who approved all that is not in `approvers`
        self.approvers = {}  # request that changed the approved state of a resource last, by (kind, uid)

    def has(self, r):
        return (r.kind, r.uid) in self.states

    def run_of(self, kind, uid):
        """Number and start of the run whose state of a resource it has."""
        return self.amended.get((kind, uid), self.as_of)

    def approved_by(self, kind, uid):
        return self.approvers.get((kind, uid), self.founded_by)


# --- what people do

def ask(projects, requests):
    """
    By the place of a request: whether it is refused, and what it ends; and by resource what differs, where that is asked. All
    of a request happens, or nothing.
    """
    answers, differing = {}, {}
    for index, request in enumerate(requests):
        chosen = [projects[name] for name in request["projects"]]
        if request["act"] == "diff":
            compared = [project for project in chosen if project.approved is not None]
            answers[str(index), "diff"] = {"is_refused": not compared, "ends": []}
            for project in compared:
                for (kind, uid), change in differences_in(project, project.past[request["run"]]).items():
                    differing[str(index), project.name, kind, uid] = change
            continue
        if request["act"] == "revoke":
            states = {project: None for project in chosen if project.approved is not None}
        elif request["uids"]:
            states = amended_states(chosen, request)
        else:
            states = whole_states(chosen, request)
        ends = set()
        for project, (state, is_about) in (states or {}).items() if request["act"] == "approve" else ():
            ends |= {(place[0], project.name, *place[1:]) for place in ended_by(project, state, is_about)}
        answers[str(index), request["act"]] = {"is_refused": not states, "ends": sorted(ends)}
        for project, state in (states or {}).items():
            if state is None:
                project.revoked = (request, project.approved)
            project.approved = state and state[0]
    return answers, differing


def whole_states(chosen, request):
    """None where a project was not scanned completely: what was not seen cannot be approved."""
    snapshots = {project: project.past[request["run"]] for project in chosen}
    scanned = {project: past for project, past in snapshots.items() if past.is_scanned}
    if not all(past.is_complete for past in scanned.values()):
        return None
    states = {}
    for project, past in scanned.items():
        state = Approved(request, past.states, past.views, (past.number, past.started_at), {})
        base = project.approved
        states[project] = compared(base, state, {*past.states, *(base.states if base is not None else ())})
    return states


def compared(base, state, named):
    """The state that is in force after an approval, and which resources it is about: those whose approved state it changes."""
    if base is None:
        return state, lambda place: True
    changed = {place for place in named if not is_same(place[0], base.states.get(place), state.states.get(place))}
    if not changed and state.views == base.views:
        # A confirmation.
        return base, lambda place: False
    state.founded_by = base.founded_by
    state.approvers = {**base.approvers, **{place: state.request for place in changed}}
    return state, lambda place: place in changed


def is_same(kind, before, now):
    if before is None or now is None:
        return before is now
    return not differences(kind, before, now) and shows_alike(kind, before, now)


def amended_states(chosen, request):
    """Single resources, as the run left them: there or gone. The rest stays as it was approved before."""
    places = {}
    for uid in request["uids"]:
        found = [(project, place) for project in chosen for place in places_of(project, uid, request["run"])]
        if not found:
            return None
        for project, place in found:
            places.setdefault(project, set()).add(place)
    amended = {}
    for project, of_project in places.items():
        past, base = project.past[request["run"]], project.approved
        if base is None or not past.is_scanned or not past.is_complete:
            return None
        states = {place: state for place, state in base.states.items() if place not in of_project}
        states.update({place: past.states[place] for place in of_project if place in past.states})
        runs = {**base.amended, **{place: (past.number, past.started_at) for place in of_project}}
        state = Approved(request, states, base.views, base.as_of, runs)
        amended[project] = compared(base, state, of_project)
    return amended


def places_of(project, uid, run):
    """Where the project had a resource by a run, or has one in its approved state."""
    states = [past.states for number, past in project.past.items() if number <= run]
    states += [project.approved.states] if project.approved is not None else []
    return {place for known in states for place in known if place[1] == uid}


def ended_by(project, approved, is_about):
    """What is active and reports something that the state has as it is now."""
    for place in project.active:
        rule, kind, uid, path = place
        if not rule.startswith("drift/") or rule == "drift/flapping" or not is_about((kind, uid)):
            continue
        before, now = approved.states.get((kind, uid)), project.known[kind].get(uid)
        if before is None or now is None:
            if before is now:
                yield place
            continue
        about = [path, *ALSO_ABOUT.get(rule, ())]
        if not any(touches(one, other) for one in differences(kind, before, now) for other in about):
            yield place


def differences_in(project, past):
    """Between the approved state and what was known after a run."""
    approved, found = project.approved, {}
    for kind, uid in {*approved.states, *past.states}:
        if (kind, uid) in past.unreferenced:
            # No list shows whether it is still there, and how it is.
            continue
        before, now = approved.states.get((kind, uid)), past.states.get((kind, uid))
        is_shown = kind in approved.views and approved.views[kind] == past.views.get(kind)
        if before is None:
            if is_shown:
                found[kind, uid] = ("added", {})
        elif now is None:
            # A run before the approved one need not have seen what that one saw.
            if is_shown or approved.run_of(kind, uid)[1] <= past.started_at:
                found[kind, uid] = ("removed", {})
        elif differences(kind, before, now):
            found[kind, uid] = ("modified", differences(kind, before, now))
    return found


# --- what a scan finds

# What was lost is a limit: a number and a time.
LIMIT = ("/rate_limit", "/rate_limit_duration")
# Besides the place of a violation: a source is verified in one way, what is delivered is declared or decided by rows.
ALSO_ABOUT = {
    "drift/rate-limit-lost": LIMIT,
    "drift/verification-weakened": ("/verifier",),
    "drift/filter-widened": ("/filter_config", "/filters"),
}


def touches(one, other):
    return is_below(one, other) or is_below(other, one)


def is_below(path, pointer):
    return path == pointer or path.startswith(pointer + "/")


def left_fields(found, fields):
    """The fields that no other drift rule reports."""
    reported = [path for _, path in found]
    if any(rule == "drift/rate-limit-lost" for rule, _ in found):
        reported += LIMIT
    return [path for path in sorted(fields) if not any(is_below(path, pointer) for pointer in reported)]


def compare_with_approved(scan, r):
    """What drift rules find: violations by place with the state before, and what the rule about all the rest says."""
    before = scan.project.approved.states[r.kind, r.uid]
    fields = differences(r.kind, before, r.attributes)
    # What only one side shows does not differ.
    differing = drift(r, before, fields) if fields else ()
    found = [(rule, path) for rule, path in differing if scan.is_on(rule, r.kind, r.uid)]
    for rule, path in found:
        scan.found.add((rule, r.kind, r.uid, path))
        scan.origins[rule, r.kind, r.uid, path] = before
    left = left_fields(found, fields)
    if cannot_compare_rows(r, before):
        scan.doubted |= {(rule, r.uid) for rule in DRIFT}
    if r.kind == "subscription" and r.are_rows_unread:
        # What the rows are now is unknown.
        scan.doubted.add((UNEXPECTED, r.uid))
    if not r.are_rows_unread or not any(is_below(path, "/filters") for path in left):
        say(scan, (r.kind, r.uid), left)
    return {(rule, r.kind, r.uid, path) for rule, path in found}


def say(scan, place, what):
    if what and scan.is_on(UNEXPECTED, *place):
        scan.found.add((UNEXPECTED, *place, ""))
        scan.unexpected[place] = what


def compare_unapproved(scan, r):
    """Of what the state does not have. It may have been unobserved when it was approved."""
    listing, narrowed = scan.project.approved.views.get(r.kind, (None, None))
    now = "subscriptions" if r.kind == "source" and not r.passing else scan.listing_of(r.kind)
    if listing == now and narrowed == scan.filter_of(now):
        say(scan, (r.kind, r.uid), "added")


def compare_missing(scan):
    """Called when what is gone is known no longer."""
    shown = {(r.kind, r.uid) for r in scan.seen}
    for kind, uid in scan.project.approved.states:
        if kind not in LISTING or not scan.is_complete(kind) or (kind, uid) in shown:
            continue
        if kind == "source" and not scan.are_sources_listed:
            continue
        before = scan.project.approved.states[kind, uid]
        # What was gone before would be shown again if it came back as approved.
        is_known = uid in scan.project.known[kind]
        if (kind, uid) in scan.gone or not is_known and is_within(LISTING[kind], before, scan.run["filters"]):
            say(scan, (kind, uid), "removed")
        else:
            scan.unobserved.add((kind, uid))


# --- what a report says

def as_said(message, expected):
    """The expected words where a message of the rule says the same, else the message."""
    if isinstance(expected, str):
        return expected if message.startswith(f"{expected}: ") else message
    counted = re.match(r"(\d+) fields? differs? from the approved baseline: ", message)
    if counted is None or int(counted[1]) != len(expected):
        return message
    at = counted.end()
    for path in expected[:5]:
        at = message.find(f"{path} is ", at)
        if at < 0:
            return message
    return expected
