"""
What messages about runs must say of violations and listings: docs/how-to/send-notifications.md. It follows from what the
reports of the runs say, which the rest of the oracle holds to what the service answered.
"""

SEVERITIES = ("critical", "high", "medium", "low", "info")
OPEN = ("opened", "continuing")


class Known:
    """What the reader of all reports knows of violations and listings."""

    def __init__(self):
        self.states = {}  # fingerprint: open, waived or ended, as last checked
        self.severities = {}  # fingerprint: as last checked
        self.walks = {}  # (project, listing): its status in the last report that names it

    def events_of(self, report):
        """The events of a run, without those about rules: [type, about, project, severity]."""
        return [*self.of_listings(report), *self.of_violations(report)]

    def of_listings(self, report):
        for walk in report["coverage"]:
            project, listing, status = (walk[name] for name in ("project", "listing", "status"))
            was = self.walks.get((project, listing))
            self.walks[project, listing] = status
            if status == "complete" and was not in (None, "complete"):
                yield ["coverage.regained", listing, project, "critical"]
            # What is not offered was lost only if it was there; what never failed before is lost the first time.
            if status != "complete" and was in ((None, "complete", "skipped") if status != "skipped" else ("complete",)):
                yield ["coverage.lost", listing, project, "critical"]

    def of_violations(self, report):
        for one in report["violations"]:
            about, state = one["fingerprint"], one["state"]
            was = self.states.get(about)
            if state == "unknown":
                continue
            now = "open" if state in OPEN else "ended" if state == "resolved" else "waived"
            was_rated = self.severities.get(about)
            self.states[about], self.severities[about] = now, one["severity"]
            event = [None, about, one["project"], one["severity"]]
            if now == "open" and was != "open":
                yield ["violation.opened" if was is None else "violation.reopened", *event[1:]]
            # A channel may not have heard of it while it was lighter.
            if now == was == "open" and SEVERITIES.index(one["severity"]) < SEVERITIES.index(was_rated):
                yield ["violation.raised", *event[1:]]
            if now == "ended" and was != "ended":
                if one["resolution"] in ("fixed", "removed"):
                    yield ["violation.resolved", *event[1:]]
                else:
                    # One event is about all that the policy no longer asks for.
                    yield ["violation.closed", "policy" if one["resolution"] == "policy" else about, *event[2:]]


def chosen(events, channel):
    """What a channel is notified of: [type, about]."""
    names = []
    for event, about, project, severity in events:
        if SEVERITIES.index(severity) > SEVERITIES.index(channel["min_severity"]):
            continue
        # The policy is not a project: all channels hear of it.
        if channel["projects"] and project not in channel["projects"] and project != "hookdrift/policy":
            continue
        if [event, about] not in names or about != "policy":
            names.append([event, about])
    return names


def expected_of(events, channel, said):
    """What a message must count; and where it names all, what it must name."""
    names = chosen(events, channel)
    counts = {event: sum(name == event for name, _ in names) for event in sorted({name for name, _ in names})}
    # A digest names the worst ones only.
    return {"counts": counts, "names": sorted(names) if said["names"] is not None else None}


def said_of(message):
    """The same of a message; a channel that got none was notified of nothing."""
    if message is None:
        return {"counts": {}, "names": []}
    counts = {event: number for event, number in sorted(message["counts"].items()) if event != "rule.unknown"}
    events = [one for one in message["events"] if one["type"] != "rule.unknown"]
    is_all = message["storm"] is None and message["more"] == 0
    return {"counts": counts, "names": sorted([one["type"], about_of(one)] for one in events) if is_all else None}


def about_of(event):
    if event["type"] == "violation.closed" and event["resolution"] == "policy":
        return "policy"
    return event["listing"] if event["type"].startswith("coverage.") else event["fingerprint"]
