"""
How violations end, and who or what ended them: docs/how-to/approve-a-baseline.md, docs/reference/coverage.md,
docs/how-to/exceptions.md and docs/reference/reports.md.
"""

import approved
from normal_form import differences
from policy import found_in, options_under, selects
from rules import Resource, needs_of

SEVERITIES = ("critical", "high", "medium", "low", "info")
LESS = "the rule is on but requires less"


def worse(one, other):
    return min(one, other, key=SEVERITIES.index)


def ended(kind, by=None, reason=None, at=None, run=None, line=None):
    return {"kind": kind, "by": by, "reason": reason, "at": at, "run": run, "line": line}


# --- people

def by_acceptance(at):
    return "accepted", ended("acceptance", by="lee", reason="moves in spring", at=at)


def by_baseline(scan, place):
    request = scan.project.approved.approved_by(place[1], place[2])
    return "accepted", ended("baseline", by="lee", reason=request["note"], at=request["at"], run=request["run"])


def by_revocation(scan):
    """`drift/unexpected` has nothing to compare with."""
    request, state = scan.project.revoked
    number, _ = state.as_of
    return "policy", ended("baseline", by="lee", reason="the baseline was revoked", at=request["at"], run=number)


# --- the policy

def by_policy(scan, place, reason=None):
    kind, line = deciding(scan, *place[:3])
    return "policy", ended(kind, reason=reason, line=line)


def by_expiry(scan, place):
    _, line = deciding(scan, *place[:3])
    return "expired", ended("expiry", reason="not put back within 30 d", line=line)


def deciding(scan, rule, kind, uid):
    """The line that says last whether a rule is on for a resource. What no line says, the file as a whole says."""
    lines, found = scan.run["policy_lines"], None
    for override, at in zip(scan.run["exceptions"]["overrides"], lines["overrides"], strict=True):
        if rule in override["rules"] and selects(scan, override["match"], kind, uid):
            found = at[rule]
    return ("override", found) if found is not None else ("rule_off", lines["rules"].get(rule, 1))


# --- silence

def ending_of(scan, place):
    """Of a violation that a scan no longer finds which saw all that the rule needs."""
    rule, kind, uid, _ = place
    first_seen, last_seen = scan.project.active[place]
    if not scan.is_asked(rule):
        return by_policy(scan, place)
    state = scan.project.approved
    if rule == approved.UNEXPECTED and has_by_now(scan, place, first_seen):
        return by_baseline(scan, place)
    if is_gone(scan, kind, uid):
        return "removed", None
    if not scan.is_on(rule, kind, uid):
        return by_policy(scan, place)
    if rule == approved.UNEXPECTED and (kind, uid) in state.states:
        # What differs still is what other rules report, also in a resource that is back.
        seen = (r.attributes for r in scan.seen if (r.kind, r.uid) == (kind, uid))
        now = next(seen, scan.project.known[kind].get(uid))
        if now is not None and differences(kind, state.states[kind, uid], now):
            return by_policy(scan, place, "other drift rules report what differs")
    if rule == FLAPPING and counts_otherwise(scan, place, last_seen):
        return by_policy(scan, place, LESS)
    if needs_of(rule)[0] == "resource" and not rule.startswith("drift/"):
        if asks_for_less(scan, place, last_seen):
            return by_policy(scan, place, LESS)
    return "fixed", None


def has_by_now(scan, place, first_seen):
    """Whether the approved state has what was found: it is as young, or was approved since and the resource did not change."""
    _, kind, uid, _ = place
    state, before = scan.project.approved, scan.project.known[kind].get(uid)
    if state.run_of(kind, uid)[1] >= first_seen:
        return True
    if state.approved_by(kind, uid)["at"] <= first_seen:
        return False
    seen = [r.attributes for r in scan.seen if (r.kind, r.uid) == (kind, uid)]
    now = seen[0] if seen else before
    if now is not None and (kind, uid) in state.states and differences(kind, state.states[kind, uid], now):
        return False
    if not seen:
        return before is None or not is_gone(scan, kind, uid)
    return before is not None and not differences(kind, before, seen[0])


FLAPPING = "drift/flapping"


def counts_otherwise(scan, place, last_seen):
    """Whether the policy that found it last counted otherwise. What changed since then decides nothing."""
    rule, kind, uid, _ = place
    counted = [
        {"min_changes": 3, "within_hours": 24, **(options_under(scan, policy, rule, kind, uid) or {})}
        for policy in (scan.project.runs[last_seen][0], scan.run)
    ]
    return any(counted[0][option] != counted[1][option] for option in ("min_changes", "within_hours"))


def is_gone(scan, kind, uid):
    return (kind, uid) in scan.gone


# They read what no state of a resource has: since when, and what moves by itself.
SINCE, OF_MORE = "endpoint/paused-long", "endpoint/failure-rate-high"


def asks_for_less(scan, place, last_seen):
    """Whether another policy found it last, and this one would not find it in the resource as it was then."""
    rule, kind, uid, path = place
    run, known = scan.project.runs[last_seen]
    if all(run[said] == scan.run[said] for said in ("rules", "exceptions")):
        return False
    if rule in (SINCE, OF_MORE):
        seen = next((r.attributes for r in scan.seen if (r.kind, r.uid) == (kind, uid)), scan.project.known[kind].get(uid))
        differing = differences(kind, known[kind, uid], seen)
        return not any(rule == OF_MORE or at == path for at in differing)
    before = Resource(scan.project.name, kind, uid, known[kind, uid], {})
    return path not in found_in(scan, before, rule)
