"""
Filter rows of subscriptions and the catalogue of event types: whose rows are due in a run, what the answers prove, and
what the rules say of what a subscription is delivered.
"""

import json

from answers import Walk, data_of
from normal_form import FIELDS, FREE, PLAIN, TIME, Things, escaped, normal

PARTS = ("body", "headers", "query", "path")
ROW = {**{part: FREE for part in PARTS}, "enabled_at": TIME}
FIELDS["subscription"]["filters"] = Things(**ROW)
FIELDS["event_type"] = {"json_schema": FREE, "deprecated_at": TIME}
# They name the row, or say again what it says.
NOT_OF_A_ROW = {"uid", "subscription_id", "event_type", *(f"raw_{part}" for part in PARTS)}


# --- the catalogue

def read_catalogue(exchanges):
    """One answer without pages. Its items do not say whose they are."""
    walk = Walk()
    walk.requests = len(exchanges)
    data, walk.end = data_of(exchanges[-1])
    if walk.end is not None:
        return walk
    items = [] if data is None else data
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        walk.end = "broken"
        return walk
    uids = [item.get("uid") for item in items]
    is_proof = all(isinstance(uid, str) and uid != "" for uid in uids) and len(set(uids)) == len(uids)
    walk.end = "complete" if is_proof else "broken"
    if is_proof:
        walk.pages.append(items)
    return walk


# --- rows

class RowReading:
    """What a scan read of the rows of a project's subscriptions."""

    def __init__(self):
        self.rows = {}  # of whom they were read, by uid and event type
        self.unread = set()  # whose rows are unknown now
        self.listed = []
        self.due = 0
        self.requests = 0
        self.taken = 0  # pages of subscriptions that were taken with them
        self.is_foreign = False
        self.is_offered = None  # until an answer shows it
        self.denied = 0
        self.faults = 0

    def status(self, listing, offer):
        """`listing`: what the walk of the subscriptions proved."""
        if self.is_foreign or listing == "foreign":
            return "failed"
        is_listed = listing in ("complete", "suspect")
        is_absent = self.is_offered is False or (self.is_offered is None and self.denied > 0 and self.faults == 0)
        if is_absent and offer != "required" and is_listed:
            return "skipped"
        if self.due > len(self.rows):
            return "partial" if self.rows else "failed"
        if is_listed:
            return "complete"
        return "failed" if listing == "failed" else "partial"


def read_rows(walk, exchanges, most, past):
    """
    `walk`: of the subscriptions. `exchanges`: about rows. `past`: of the project, with `readings` (when rows were read
    before, by uid), `is_known(uid)`, `is_accused(uid)` and `is_changed(item)`.
    """
    reading = RowReading()
    reading.requests = len(exchanges)
    answers = {}
    for exchange in exchanges:
        # …/subscriptions/{uid}/filters: of several tries the last one counts.
        answers[exchange["path"].split("/")[-2]] = exchange
    # Where not all can be read, the list is read first.
    is_held = len(past.readings) >= most
    windows = [walk.pages] if is_held else [[page] for page in walk.pages]
    if walk.end == "foreign" and is_held:
        windows = []
    for pages in windows:
        items = [item for page in pages for item in page]
        chosen, overdue = choose(items, most - reading.due, past)
        reading.due += len(chosen)
        reading.listed += [item["uid"] for item in items]
        read_some(reading, {uid: answers[uid] for uid in answers if uid in chosen})
        if reading.is_foreign:
            return reading
        # What a scan failed to read stays unknown until it is read.
        unread = {uid for uid in chosen if uid not in reading.rows} | (overdue & (set(past.readings) | past.unread))
        # Where the service has no rows, and never had, nothing is unknown.
        reading.unread |= unread & (set(past.readings) | past.unread) if reading.is_offered is False else unread
        reading.taken += len(pages)
    return reading


def leave_rows(walk, past):
    """No rows are to be read: those that an earlier scan read may have changed since."""
    reading = RowReading()
    if walk.end != "foreign":
        reading.listed = [item["uid"] for item in walk.items]
        reading.unread = set(reading.listed) & (set(past.readings) | past.unread)
    return reading


def choose(items, left, past):
    """Whose rows are due, and whose are not although the list shows that something has changed."""
    uids = [item["uid"] for item in items]
    if len(uids) <= left:
        return set(uids), set()
    changed = {item["uid"] for item in items if past.is_changed(item)}

    def comes_first(uid):
        return uid in changed or not (uid in past.readings or past.is_known(uid))

    first = [uid for uid in uids if comes_first(uid)][: max(0, left)]
    in_turn = sorted((uid for uid in uids if not comes_first(uid)), key=lambda uid: past.readings.get(uid, ""))
    accused = [uid for uid in in_turn if past.is_accused(uid)][: (max(0, left) - len(first)) // 2]
    others = [uid for uid in in_turn if uid not in accused]
    chosen = set((first + accused + others)[: max(0, left)])
    return chosen, changed - chosen


def read_some(reading, answers):
    """In the order in which they came; until it is clear whether there are rows at all, one was asked for at a time."""
    for uid, exchange in answers.items():
        what, rows = rows_in(exchange, uid)
        if what == "read":
            reading.is_offered = True
            reading.rows[uid] = rows
        elif what == "foreign":
            reading.is_foreign = True
        elif what == "denied":
            # One may have been deleted since it was listed.
            reading.denied += 1
            if reading.is_offered is None and reading.denied > 1:
                reading.is_offered = False
        elif what == "not-offered" and reading.is_offered is None:
            reading.is_offered = False
        else:
            reading.faults += 1


def rows_in(exchange, uid):
    """What an answer is, and the rows by event type where it is all of this subscription's."""
    status = exchange["status"]
    data, fault = data_of(exchange)
    if fault is not None:
        if status == 404 and fault == "not-offered" and message_of(exchange) is not None:
            return "denied", None
        return fault, None
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        return "broken", None
    rows = {}
    for row in data:
        owner, name = row.get("subscription_id"), row.get("event_type")
        if not isinstance(owner, str) or owner == "":
            return "broken", None
        if owner != uid:
            return "foreign", None
        if not isinstance(name, str) or name == "" or name in rows:
            return "broken", None
        members = {member: value for member, value in row.items() if member not in NOT_OF_A_ROW}
        rows[name] = {member: normal(value, ROW.get(member, PLAIN)) for member, value in members.items()}
    return "read", dict(sorted(rows.items()))


def message_of(exchange):
    if not (exchange["type"] or "").startswith("application/json"):
        return None
    try:
        envelope = json.loads(exchange["body"])
    except ValueError:
        return None
    message = envelope.get("message") if isinstance(envelope, dict) else None
    return message if isinstance(message, str) else None


# --- what a subscription says, and what it is delivered

def rows_of(attributes):
    """All rows by event type; None where no scan has read them."""
    return attributes.get("filters")


def applied(attributes):
    """Rows that are on. A release that does not show `enabled_at` has no such switch."""
    rows = rows_of(attributes)
    return None if rows is None else {name: row for name, row in rows.items() if not is_off(row)}


def is_off(row):
    return row.get("enabled_at", "on") is None


def declared_types(attributes):
    """No event type at all means every one."""
    return (attributes.get("filter_config") or {}).get("event_types") or ["*"]


def declared_filter(attributes):
    return (attributes.get("filter_config") or {}).get("filter") or {}


def delivered(attributes):
    """Filters by event type; `*` is that of types without one of their own."""
    rows = applied(attributes)
    return {name: declared_filter(attributes) for name in declared_types(attributes)} if rows is None else rows


def filter_for(filters, name):
    return filters.get(name, filters.get("*"))


def is_open(conditions):
    return not any(conditions.get(part) for part in PARTS)


def dotted(conditions, prefix=""):
    """`a.b` is the same as `b` within `a`."""
    fields = {}
    for key, asked in conditions.items():
        is_field = isinstance(asked, dict) and asked and not any(name.startswith("$") for name in asked)
        if is_field and not key.startswith("$"):
            fields.update(dotted(asked, f"{prefix}{key}."))
        else:
            fields[f"{prefix}{key}"] = asked
    return fields


def asks_the_same(row, other, parts=PARTS):
    """What a row does not show is not compared."""
    return all(part not in row or dotted(row[part] or {}) == dotted(other.get(part) or {}) for part in parts)


def faulty_parts(conditions):
    """Parts that match no event: a condition on an absent field is skipped, so all of them have to be dead."""
    return [part for part in PARTS if conditions.get(part) and all(map(is_dead, dotted(conditions[part]).values()))]


def is_dead(asked):
    """Of such conditions, worlds have an empty `$in` alone."""
    return isinstance(asked, dict) and asked.get("$in") == []


def sufficient(conditions):
    """Fields by one of which alone an event passes. `$or` is never skipped."""
    fields = dotted(conditions)
    return set() if "$or" in fields else {name for name, asked in fields.items() if not is_dead(asked)}


# --- rules about one subscription

def wildcard(r, o, now):
    def takes_all(filters):
        return "*" in filters and is_open(filters["*"])

    if takes_all(delivered(r.attributes)):
        says_so = takes_all({name: declared_filter(r.attributes) for name in declared_types(r.attributes)})
        yield "/filter_config" if says_so else "/filters/*"


def wildcard_mixed(r, o, now):
    rows, names = applied(r.attributes), declared_types(r.attributes)
    is_declared = "*" in names and any(name != "*" for name in names)
    if rows is None:
        is_mixed = is_declared
    else:
        is_mixed = "*" in rows and any(
            name != "*" and asks_the_same(row, rows["*"]) for name, row in rows.items()
        )
    if is_mixed:
        yield "/filter_config/event_types" if is_declared else "/filters/*"


def event_type_odd(r, o, now):
    rows, names = applied(r.attributes), declared_types(r.attributes)

    def is_odd(names):
        return any(name != "*" and (name.strip() != name or name == "") for name in names)

    if is_odd(names if rows is None else [name for name in rows if name in names]):
        yield "/filter_config/event_types"
    if rows is not None and is_odd([name for name in rows if name not in names]):
        yield "/filters"


def no_filter(r, o, now):
    if rows_of(r.attributes) == {}:
        yield "/filters"


def filter_off(r, o, now):
    for name, row in (rows_of(r.attributes) or {}).items():
        if is_off(row):
            yield f"/filters/{escaped(name)}/enabled_at"


def filter_diverges(r, o, now):
    rows, on, names = rows_of(r.attributes), applied(r.attributes), declared_types(r.attributes)
    # Where there is no row at all, another rule says so; so it is with one that is switched off.
    if not rows:
        return
    lacks_row = "*" not in on and any(name not in rows for name in names)
    is_undeclared = "*" not in names and any(name not in names for name in on)
    asks_otherwise = any(
        not asks_the_same(row, declared_filter(r.attributes))
        for name, row in on.items()
        if "*" in names or name in names
    )
    if lacks_row or is_undeclared or asks_otherwise:
        yield "/filters"


def filter_unsatisfiable(r, o, now):
    rows, declared = applied(r.attributes), declared_filter(r.attributes)
    if rows is None:
        for part in faulty_parts(declared):
            yield f"/filter_config/filter/{part}"
        return
    for name, row in rows.items():
        for part in faulty_parts(row):
            is_declared = asks_the_same(row, declared, [part])
            yield f"/filter_config/filter/{part}" if is_declared else f"/filters/{escaped(name)}/{part}"


ONE_SUBSCRIPTION = {
    "subscription/wildcard": wildcard,
    "subscription/wildcard-mixed": wildcard_mixed,
    "subscription/event-type-odd": event_type_odd,
    "subscription/no-filter": no_filter,
    "subscription/filter-off": filter_off,
    "subscription/filter-diverges": filter_diverges,
    "subscription/filter-unsatisfiable": filter_unsatisfiable,
}


# --- rules across subscriptions and the catalogue

def across_rows(subscriptions, catalogue, is_catalogue_whole):
    """Found: (uid, path) by rule. In doubt: rules that needed rows of a subscription that were not read."""
    found, doubted = {}, set()
    names = {entry.get("name") for entry in catalogue} - {None}
    deprecated = {entry.get("name") for entry in catalogue if entry.get("deprecated_at") is not None}
    routes = {}
    for r in subscriptions:
        if r.get("endpoint_uid") is not None:
            if r.are_rows_unread:
                doubted.add("subscription/duplicate")
            else:
                routes.setdefault((r.get("endpoint_uid"), r.get("source_uid")), []).append(r)
        if r.are_rows_unread:
            if deprecated:
                doubted.add("subscription/event-type-deprecated")
            continue
        declared = set(declared_types(r.attributes)) - {"*"}
        rows = set(rows_of(r.attributes) or {}) - {"*"}
        for path, named in (("/filter_config/event_types", declared), ("/filters", rows - declared)):
            if named & deprecated:
                found.setdefault("subscription/event-type-deprecated", set()).add((r.uid, path))
    if not names:
        # Every project's catalogue has `*`: an empty one says nothing.
        doubted.add("subscription/event-type-deprecated")
    for parallel in routes.values():
        for r in parallel:
            paths = set(duplicates(r, sorted((other for other in parallel if other is not r), key=lambda o: o.uid)))
            found.setdefault("subscription/duplicate", set()).update((r.uid, path) for path in paths)
    return found, doubted


def duplicates(r, others):
    """
    Event types that another subscription delivers to the same endpoint under the same conditions, one of those that
    `r` has the same filter for. Of several, the one is named that the oldest subscription with `*` shares.
    """
    mine = delivered(r.attributes)
    filters = []
    for conditions in mine.values():
        if not any(same_filter(conditions, other) for other in filters):
            filters.append(conditions)
    for conditions in filters:
        names = [name for name in mine if same_filter(mine[name], conditions)]
        shared = []
        for other in others:
            theirs = delivered(other.attributes)
            # `*` is all types that neither of the two names.
            everything = "*" in theirs and same_filter(theirs["*"], conditions)
            if "*" in names:
                candidates = {*names, *(name for name in theirs if name not in mine), "*"}
                if any(
                    filter_for(theirs, name) is not None
                    and same_filter(filter_for(theirs, name), conditions)
                    and same_filter(filter_for(mine, name), conditions)
                    for name in candidates
                ):
                    shared.append((not everything, "*"))
                continue
            for name in names:
                if filter_for(theirs, name) is not None and same_filter(filter_for(theirs, name), conditions):
                    shared.append((not everything, name))
                    if everything:
                        break
        if shared:
            by_all = [name for is_named, name in shared if not is_named]
            name = by_all[0] if by_all else min((name for _, name in shared), key=names.index)
            is_declared = rows_of(r.attributes) is None or name in declared_types(r.attributes)
            yield "/filter_config/event_types" if is_declared else f"/filters/{escaped(name)}"


def same_filter(one, other):
    return all((one.get(part) or {}) == (other.get(part) or {}) for part in PARTS)


# --- compared with what it was

DRIFT = ("drift/filter-removed", "drift/filter-widened")


def rows_drift(before, after, was_widened):
    """
    Rows are compared with rows, and the declared filter where one side has none. Of a filter that `was_widened` before, each
    part is widened that does not surely ask for as much.
    """
    old, now = applied(before), applied(after)
    if old is not None and now is not None:
        for name in {*old, *now}:
            if is_delivered(filter_for(old, name)) and not is_delivered(filter_for(now, name)):
                yield "drift/filter-removed", "/filters"
        paths = widened_rows(old, now, was_widened)
    else:
        paths = widened_declaration(before, after, was_widened)
    for path in paths:
        yield "drift/filter-widened", path


def is_delivered(conditions):
    return conditions is not None and not faulty_parts(conditions)


def widened_rows(old, now, was_widened):
    added = {name for name in now if filter_for(old, name) is None}
    if added:
        yield "/filters"
    for name in {*old, *now}:
        was, is_now = filter_for(old, name), filter_for(now, name)
        # A type that falls back to a new row of `*` is in what was added.
        if was is not None and is_now is not None and not (name not in now and "*" in added):
            yield from widened_filter(was, is_now, f"/filters/{escaped(name)}", was_widened)


def widened_declaration(before, after, was_widened):
    old, now = declared_types(before), declared_types(after)
    if "*" not in old and not set(now) <= set(old):
        yield "/filter_config/event_types"
    yield from widened_filter(declared_filter(before), declared_filter(after), "/filter_config/filter", was_widened)


def widened_filter(old, now, path, was_widened):
    if is_open(old) or faulty_parts(now):
        return
    if is_open(now):
        yield path
        return
    for part in PARTS:
        if part in old and part in now:
            was, is_now = old[part] or {}, now[part] or {}
            passes, still = sufficient(was), sufficient(is_now)
            # An event without the fields that were asked for passes by a new one.
            is_added = bool(passes) and passes < still
            if part in faulty_parts(old) or is_added or is_relaxed(was, is_now, was_widened):
                yield f"{path}/{part}"


def is_relaxed(old, now, was_widened):
    """Only where it is certain: of a condition that replaced another, it is not."""
    is_replaced = any(key not in old for key in now)
    return any(
        is_condition_relaxed(key, asked, now[key], was_widened) if key in now else was_widened or not is_replaced
        for key, asked in old.items()
    )


def is_condition_relaxed(key, old, now, was_widened):
    if isinstance(old, dict) and isinstance(now, dict):
        return is_relaxed(old, now, was_widened)
    return old != now and not asks_less(key, now, old) if was_widened else asks_less(key, old, now)


def asks_less(key, old, now):
    if isinstance(old, list) and isinstance(now, list):
        gained, lost = [value for value in now if value not in old], [value for value in old if value not in now]
        if key in ("$in", "$or"):
            return bool(gained) and not lost
        return key in ("$nin", "$and") and bool(lost) and not gained
    if isinstance(old, (int, float)) and isinstance(now, (int, float)):
        return (key in ("$gt", "$gte") and now < old) or (key in ("$lt", "$lte") and now > old)
    return False


# --- statements that are about them

RULES = {*ONE_SUBSCRIPTION, *DRIFT, "subscription/event-type-deprecated"}


def is_about_rows(about, place, mine, theirs):
    if about == "coverage":
        return place[1] in ("filters", "event_types")
    if about == "changes":
        paths = [path for said in (mine, theirs) if said is not None for path in said[1]]
        return place[1] == "event_type" or any(path == "/filters" or path.startswith("/filters/") for path in paths)
    return about == "violations" and (place[0] in RULES or place[4].startswith("/filters"))
