"""What the raw answers to one listing prove: pages of items, and how the walk ended."""

import json
import re
from urllib.parse import parse_qs, urlsplit

from normal_form import number

NOT_THERE = re.compile(r"^(project not found|unauthorized to process request)$", re.IGNORECASE)


class Walk:
    def __init__(self):
        self.pages = []  # lists of items
        self.requests = 0
        self.end = None  # "complete", "foreign", "not-found", "not-offered" or "broken"

    @property
    def lacks_promised_page(self):
        return len(self.pages) > 1 and not self.pages[-1]

    @property
    def items(self):
        return [item for page in self.pages for item in page]

    def status(self, is_optional):
        if self.end == "complete":
            return "complete"
        if self.end == "foreign":
            return "failed"
        # Something that was there a page ago is offered.
        if self.end == "not-offered" and is_optional and not self.pages:
            return "skipped"
        return "partial" if self.pages else "failed"


def exchanges_of(exchanges, project_uid):
    """By listing, in the order in which they were made. The project itself is the listing `project`."""
    by_listing = {}
    for exchange in exchanges:
        parts = urlsplit(exchange["path"]).path.split("/")
        # /api/v1/projects/{uid}[/{listing}[/{subscription}/filters]]
        if parts[4] == project_uid:
            listing = parts[7] if len(parts) > 7 else parts[5].replace("-", "_") if len(parts) > 5 else "project"
            by_listing.setdefault(listing, []).append(exchange)
    return by_listing


def read_walk(listing, exchanges, project_uid, filters, may_stop=False):
    """
    Follows the cursors; a request that is repeated was tried again, and only the last try counts. `may_stop`: something
    else may have ended it before its answers did.
    """
    walk = Walk()
    walk.requests = len(exchanges)
    tries = []
    for exchange in exchanges:
        if tries and tries[-1][-1]["path"] == exchange["path"]:
            tries[-1].append(exchange)
        else:
            tries.append([exchange])
    expected, cursors, uids = "", set(), set()
    for place, attempts in enumerate(tries):
        last = attempts[-1]
        asked = parse_qs(urlsplit(last["path"]).query).get("next_page_cursor", [""])[0]
        if asked != expected:
            raise AssertionError(f"asked for the page {asked!r} where {expected!r} comes next")
        data, fault = data_of(last)
        if fault is None and listing == "project":
            fault = fault_of_project(data, project_uid)
            if fault is None:
                walk.pages.append([data])
            walk.end = fault or "complete"
            break
        if fault is None:
            items, cursor, fault = page_of(data)
        if fault is None:
            fault = fault_of_items(listing, items, project_uid, filters, uids)
        if fault in (None, "doubled") and cursor in cursors:
            fault = "broken"
        if fault == "doubled":
            # It is found when the page is taken, and the page after it was asked for by then.
            walk.end = "broken"
            tries = tries[: max(place + 1, len(tries) - 1)]
            break
        if fault is not None:
            walk.end = fault
            break
        walk.pages.append(items)
        if cursor is None:
            walk.end = "complete"
            break
        cursors.add(cursor)
        expected = cursor
    if walk.end is None and may_stop:
        walk.end = "stopped"
    if walk.end is None or place != len(tries) - 1:
        raise AssertionError(f"the walk of {listing} stopped at another place than its answers say")
    return walk


def data_of(exchange):
    """`data` of a success, or why there is none."""
    status, body = exchange["status"], exchange["body"]
    if status is None:
        return None, "broken"
    envelope = None
    is_json = re.match(r"application/json\s*(;|$)", exchange["type"] or "")
    if status == 200 and not is_json:
        return None, "not-offered"
    if is_json:
        try:
            envelope = json.loads(body, parse_int=number, parse_float=number)
        except ValueError:
            pass
    if status == 200:
        if not isinstance(envelope, dict) or envelope.get("status") is not True:
            return None, "broken"
        # What the service cannot write, it leaves out.
        return (envelope["data"], None) if "data" in envelope else (None, "broken")
    message = envelope.get("message") if isinstance(envelope, dict) else None
    if status in (400, 404) and isinstance(message, str) and NOT_THERE.match(message):
        return None, "not-found"
    return None, "not-offered" if status in (404, 405) else "broken"


def fault_of_project(data, project_uid):
    if not isinstance(data, dict) or not isinstance(data.get("uid"), str) or data["uid"] == "":
        return "broken"
    return None if data["uid"] == project_uid else "foreign"


def page_of(data):
    """Items, the cursor of the next page (None on the last), and what is wrong."""
    wrong = ([], None, "broken")
    if not isinstance(data, dict) or not isinstance(data.get("pagination"), dict):
        return wrong
    has_next = data["pagination"].get("has_next_page")
    cursor = data["pagination"].get("next_page_cursor")
    items = data.get("content")
    if not isinstance(has_next, bool) or not isinstance(cursor, str):
        return wrong
    if items is None and not has_next:
        items = []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return wrong
    if has_next and (cursor == "" or not items):
        return wrong
    return items, cursor if has_next else None, None


def fault_of_items(listing, items, project_uid, filters, uids):
    if any(item.get("project_id") not in (None, "", project_uid) for item in items):
        return "foreign"
    for item in items:
        uid = item.get("uid")
        if item.get("project_id") != project_uid or not isinstance(uid, str) or uid == "" or uid in uids:
            return "broken"
        uids.add(uid)
        if not is_within(listing, item, filters):
            return "broken"
    return "doubled" if any(has_doubles(item.get("secrets")) for item in items) else None


def has_doubles(entries):
    """Two entries of one uid would be one, and would hide the other."""
    uids = [entry["uid"] for entry in entries or [] if isinstance(entry, dict) and entry.get("uid")]
    return len(set(uids)) < len(uids)


def is_within(listing, item, filters):
    """Whether a filter would have shown it: the service ignores parameters that it does not know."""
    mine = filters.get(listing, {})
    part = mine.get("name", "")
    if part and part.lower() not in (item.get("name") or "").lower():
        return False
    return not mine.get("owner") or item.get("owner_id") == mine["owner"]
