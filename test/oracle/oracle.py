"""
Works out from the raw answers of a service what hookdrift's reports must say, and says where they say something else.

    python3 oracle.py DIRECTORY [--keep DIRECTORY]

DIRECTORY holds SEED.world.json, SEED.reports.json, SEED.baselines.json, SEED.controls.json and SEED.messages.json of each
world. Prints one JSON object. Worlds with a disagreement are
copied to where --keep says. Shares no code with hookdrift, and needs nothing but Python; README.md says how far it is independent.
"""

import json
import re
import shutil
import sys
from pathlib import Path

import messages
import normal_form
from approved import UNEXPECTED, as_said
from controls import ACROSS_ROWS
from filter_rows import is_about_rows
from normal_form import MARK, Hidden, shown, without_digits
from runs import run_world


def main(directory, keep):
    total = {"worlds": 0, "runs": 0, "comparisons": {}, "disagreements": []}
    for file in sorted(Path(directory).glob("*.world.json")):
        seed = file.name.removesuffix(".world.json")
        reports_file = file.with_name(f"{seed}.reports.json")
        text = reports_file.read_text()
        before = len(total["disagreements"])
        baselines_file = file.with_name(f"{seed}.baselines.json")
        controls_file = file.with_name(f"{seed}.controls.json")
        messages_file = file.with_name(f"{seed}.messages.json")
        documents, bodies = controls_file.read_text(), messages_file.read_text()
        parts = (text, baselines_file.read_text(), documents, bodies)
        said = zip(*map(json.loads, parts), strict=True)
        compare_world(seed, json.loads(file.read_text()), list(said), total)
        for secret in normal_form.secrets_met:
            count(total, "secrets searched for")
            if any(secret in part for part in (text, documents, bodies)):
                disagree(total, seed, 0, "secrets", "", "no secret in a report or message", f"{secret[:4]}…")
        normal_form.secrets_met.clear()
        if keep and len(total["disagreements"]) > before:
            Path(keep).mkdir(mode=0o700, parents=True, exist_ok=True)
            for kept in (file, reports_file, baselines_file, controls_file, messages_file):
                shutil.copy(kept, keep)
    json.dump(total, sys.stdout)


def compare_world(seed, world, reports, total):
    total["worlds"] += 1
    seals, places, known = {}, {}, messages.Known()
    for number, (expected, (report, answers, documents, bodies)) in enumerate(zip(run_world(world), reports, strict=True), 1):
        total["runs"] += 1
        said = {**said_by(report), **said_of_baselines(world["runs"][number - 1]["baselines"], answers)}
        places |= {one["fingerprint"]: place_of_violation(one) for one in report["violations"]}
        said["controls"] = {place: one for document in documents for place, one in said_of_controls(document, places)}
        said["controls in doubt"] = {
            place: {"is_met": one["state"] == "met"}
            for place, one in said["controls"].items()
            if place in expected.get("controls in doubt", {})
        }
        said["messages"] = {channel["name"]: messages.said_of(bodies[channel["name"]]) for channel in world["channels"]}
        events = list(known.events_of(report))
        expected["messages"] = {
            channel["name"]: messages.expected_of(events, channel, said["messages"][channel["name"]])
            for channel in world["channels"]
        }
        for about in ABOUT:
            if about not in expected:
                continue
            for place in sorted({*expected[about], *said[about]}, key=str):
                count(total, about)
                mine, theirs = expected[about].get(place), said[about].get(place)
                if is_about_rows(about, place, mine, theirs):
                    count(total, "statements about rows")
                if about == "coverage" and None not in (mine, theirs):
                    theirs = {name: theirs[name] for name in mine}
                if about in ("changes", "baseline diffs") and mine is not None:
                    change, fields = mine
                    mine = [change, {path: [shown(was), shown(now)] for path, (was, now) in fields.items()}]
                    if theirs is not None:
                        compare_seals(fields, theirs, seals, total, (seed, number, place))
                        theirs = without_digits(theirs)
                if about == "controls" and None not in (mine, theirs):
                    count(total, "exemptions", len(mine["exemptions"]))
                    theirs = as_assessed(theirs, mine)
                if about == "messages":
                    count(total, "events", sum(mine["counts"].values()))
                if about == "violations":
                    count(total, "endings", int(mine is not None and mine["state"] == "resolved"))
                    if place[0].startswith("drift/") and place[1] in expected["approved"]:
                        count(total, "compared with approved states")
                    if "says" in (mine or {}) and "says" in (theirs or {}):
                        theirs = {**theirs, "says": as_said(theirs["says"], mine["says"])}
                if mine != theirs:
                    disagree(total, seed, number, about, place, mine, theirs)


ABOUT = (
    *("baselines", "baseline diffs", "coverage", "changes", "unreferenced", "violations", "controls", "verdicts"),
    *("controls in doubt", "messages"),
)


def said_by(report):
    """What a report says, by the places that the oracle speaks of."""
    referring = re.compile(r"^(\w+) (\S+) is no longer referenced")
    unreferenced = {}
    for notice in report["notices"]:
        found = referring.match(notice["text"])
        if found:
            unreferenced[notice["project"], *found.groups()] = True
    return {
        "coverage": {
            (walk["project"], walk["listing"]): {
                "status": walk["status"],
                "is_reasoned": walk["reason"] is not None,
                "pages": walk["pages"],
                "items": walk["items"],
                "requests": walk["requests"],
                # Of filter rows alone.
                "of": walk.get("of"),
                "oldest_at": walk.get("oldest_at"),
            }
            for walk in report["coverage"]
        },
        "changes": {place_of(change): said_of_change(change) for change in report["drift"]},
        "unreferenced": unreferenced,
        "violations": {
            place_of_violation(one): said_of(one) for one in report["violations"]
        },
        "verdicts": {
            "complete coverage": bool(report["coverage"])
            and all(gap["cause"] != "walk_incomplete" for gap in report["gaps"]),
            "exit 3": report["verdict"]["exit_code"] == 3,
        },
    }


def place_of(change):
    return change["project"], change["kind"], change["uid"]


def said_of_change(change):
    return [change["change"], {field["path"]: [field["before"], field["after"]] for field in change["fields"]}]


def place_of_violation(one):
    return one["rule"], one["project"], one["kind"], one["uid"], one["path"]


def said_of(violation):
    said = {name: violation[name] for name in ("state", "first_seen", "last_seen", "severity", "resolution")}
    said["ended_by"] = with_line(violation["ended_by"])
    if violation["rule"] == UNEXPECTED and said["state"] in ("opened", "continuing", "waived"):
        said["says"] = violation["message"]
    return said


def with_line(decision):
    """The line of the policy without its file, of which there is one."""
    if decision is None:
        return None
    said = dict(decision)
    place = said.pop("configured_at")
    return {**said, "line": place and place["line"]}


def said_of_controls(document, places):
    for control in document["controls"]:
        yield (document["framework"], control["id"]), {
            "state": control["state"],
            "observations": control["observations"],
            "exemptions": sorted((said_of_exemption(one, places) for one in control["exemptions"]), key=str),
            "gaps": sorted((gap["project"], gap["listing"], gap["status"]) for gap in control["coverage"]["gaps"]),
            "evaluated": {rule["id"]: rule["evaluated"] for rule in control["rules"]},
        }


def as_assessed(theirs, mine):
    """
    How many resources a rule evaluated is not compared where it can be silent without having read what it could not
    trust: of drift rules, and of those that compare rows. Nor, where only they would, whether a control's rules
    evaluated any.
    """
    counts = {rule: mine["evaluated"].get(rule) for rule in theirs["evaluated"] if is_counted_loosely(rule)}
    theirs = {**theirs, "evaluated": {**theirs["evaluated"], **counts}}
    is_open = counts and not any(number for rule, number in mine["evaluated"].items() if rule not in counts)
    if is_open and {theirs["state"], mine["state"]} == {"not_assessed", "partially_assessed"}:
        theirs["state"] = mine["state"]
    return theirs


def is_counted_loosely(rule):
    return rule.startswith("drift/") or rule in ACROSS_ROWS


def said_of_exemption(exemption, places):
    by = with_line(exemption)
    place = None if by["fingerprint"] is None else places.get(by["fingerprint"], by["fingerprint"])
    members = [by[name] for name in ("by", "reason", "at", "until", "line")]
    # Where a waiver is written follows from the waiver.
    return [by["kind"], by["rule"], place, *members[:-1], None if by["kind"] == "waiver" else by["line"]]


def said_of_baselines(requests, answers):
    said = {"baselines": {}, "baseline diffs": {}}
    for index, (request, answer) in enumerate(zip(requests, answers, strict=True)):
        ends = [tuple(one[name] for name in ("rule", "project", "kind", "uid", "path")) for one in answer["ends"]]
        said["baselines"][str(index), request["act"]] = {"is_refused": answer["is_refused"], "ends": sorted(ends)}
        for change in answer["differences"]:
            said["baseline diffs"][(str(index), *place_of(change))] = said_of_change(change)
    return said


def compare_seals(fields, said, seals, total, where):
    """Of a seal only this counts: the same for one secret, another one for another."""
    for path, (was, now) in fields.items():
        for mine, theirs in zip((was, now), said[1].get(path, ())):
            for secret, seal in pairs(mine, theirs):
                count(total, "seals")
                if seals.setdefault(secret, seal) != seal or seals.setdefault(seal, secret) != secret:
                    disagree(total, *where[:2], "seals", where[2], "a seal for a secret", f"{path}: {seal}")


def pairs(mine, theirs):
    if isinstance(mine, Hidden) and mine.shown == MARK and isinstance(theirs, str):
        yield mine.raw, theirs
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for name in mine:
            yield from pairs(mine[name], theirs.get(name))


def count(total, what, number=1):
    total["comparisons"][what] = total["comparisons"].get(what, 0) + number


def disagree(total, seed, run, about, place, mine, theirs):
    total["disagreements"].append(
        {
            "seed": seed,
            "run": run,
            "about": about,
            "place": place if isinstance(place, str) else " ".join(place),
            "oracle": mine,
            "hookdrift": theirs,
        }
    )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    keep = arguments[arguments.index("--keep") + 1] if "--keep" in arguments else None
    main(arguments[0], keep)
