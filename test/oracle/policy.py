"""What a policy says of a resource: docs/reference/policy.md."""

from datetime import datetime
from fnmatch import fnmatchcase

from rules import ONE_RESOURCE, seconds, seconds_of


def selects(scan, match, kind, uid):
    """Every member must hold."""
    name, labels = scan.project.name, scan.labels
    return (
        fnmatchcase(name, match.get("project", "*"))
        and match.get("kind", kind) == kind
        and match.get("uid", uid) == uid
        and all(labels.get(label) == value for label, value in match.get("labels", {}).items())
    )


def options_for(scan, rule, kind, uid):
    """Of a rule that evaluates one resource: later overrides win, option by option. None: it is off."""
    return options_under(scan, scan.run, rule, kind, uid)


def options_under(scan, policy, rule, kind, uid):
    options = policy["rules"].get(rule)
    for override in policy["exceptions"]["overrides"]:
        setting = override["rules"].get(rule)
        if setting is not None and selects(scan, override["match"], kind, uid):
            options = None if setting == "off" else {**(options or {}), **setting}
    return options


def waiver_for(scan, rule, kind, uid):
    """When it ends; of several, the one that lasts longest counts. None: there is none."""
    now = seconds_of(scan.run["started_at"])
    matching = [
        end_of(waiver["expires"])
        for waiver in scan.run["exceptions"]["waivers"]
        if fnmatchcase(rule, waiver["rule"]) and selects(scan, waiver["match"], kind, uid)
    ]
    return max((end for end in matching if now < end), default=None)


def end_of(expires):
    """A day holds to its end in UTC, a time is that instant."""
    if len(expires) == 10:
        return seconds(f"{expires}T00:00:00Z") + 86400
    return datetime.fromisoformat(expires).timestamp()


def found_in(scan, r, rule):
    """Pointers at which a rule about one resource finds something, as the policy has it on for the resource."""
    options = options_for(scan, rule, r.kind, r.uid)
    if options is None:
        return []
    if rule == "subscription/type-cli":
        is_development = scan.labels.get("env") in (None, "dev", "development", "test")
        return ["/type"] if r.get("type") == "cli" and not is_development else []
    check = ONE_RESOURCE[r.kind].get(rule)
    found = check(r, options, seconds_of(scan.run["started_at"])) if check is not None else ()
    # Of several that are alike, the first is named.
    return [min(path) if isinstance(path, tuple) else path for path in found]
