"""
Works out from the raw answers of a service what hookdrift's reports must say, and says where they say something else.

    python3 oracle.py DIRECTORY [--keep DIRECTORY]

DIRECTORY holds pairs of SEED.world.json and SEED.reports.json. Prints one JSON object. Worlds with a disagreement are
copied to where --keep says. Shares no code with hookdrift, and needs nothing but Python; README.md says how far it is independent.
"""

import json
import re
import shutil
import sys
from pathlib import Path

import normal_form
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
        compare_world(seed, json.loads(file.read_text()), json.loads(text), total)
        for secret in normal_form.secrets_met:
            count(total, "secrets searched for")
            if secret in text:
                disagree(total, seed, 0, "secrets", "", "no secret in a report", f"{secret[:4]}…")
        normal_form.secrets_met.clear()
        if keep and len(total["disagreements"]) > before:
            Path(keep).mkdir(mode=0o700, parents=True, exist_ok=True)
            for kept in (file, reports_file):
                shutil.copy(kept, keep)
    json.dump(total, sys.stdout)


def compare_world(seed, world, reports, total):
    total["worlds"] += 1
    seals = {}
    for number, (expected, report) in enumerate(zip(run_world(world), reports, strict=True), 1):
        total["runs"] += 1
        said = said_by(report)
        for about in ("coverage", "changes", "unreferenced", "violations", "verdicts"):
            for place in sorted({*expected[about], *said[about]}, key=str):
                count(total, about)
                mine, theirs = expected[about].get(place), said[about].get(place)
                if is_about_rows(about, place, mine, theirs):
                    count(total, "statements about rows")
                if about == "coverage" and None not in (mine, theirs):
                    theirs = {name: theirs[name] for name in mine}
                if about == "changes" and mine is not None:
                    change, fields = mine
                    mine = [change, {path: [shown(was), shown(now)] for path, (was, now) in fields.items()}]
                    if theirs is not None:
                        compare_seals(fields, theirs, seals, total, (seed, number, place))
                        theirs = without_digits(theirs)
                if mine != theirs:
                    disagree(total, seed, number, about, place, mine, theirs)


def said_by(report):
    """What a report says, by the places that the oracle speaks of."""
    referring = re.compile(r"^(\w+) (\S+) is no longer referenced")
    changes, unreferenced = {}, {}
    for change in report["drift"]:
        fields = {field["path"]: [field["before"], field["after"]] for field in change["fields"]}
        changes[change["project"], change["kind"], change["uid"]] = [change["change"], fields]
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
        "changes": changes,
        "unreferenced": unreferenced,
        "violations": {
            (one["rule"], one["project"], one["kind"], one["uid"], one["path"]): {
                name: one[name] for name in ("state", "first_seen", "last_seen")
            }
            for one in report["violations"]
        },
        "verdicts": {"complete coverage": report["verdict"]["exit_code"] != 3},
    }


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


def count(total, what):
    total["comparisons"][what] = total["comparisons"].get(what, 0) + 1


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
