"""What an item says, in any release: one form in which two scans can be compared."""

import re
from decimal import Decimal

UNKNOWN = object()  # not shown


class Hidden:
    """Holds secrets. Compared by what it really is; shown with a mark in place of a secret."""

    def __init__(self, raw, shown, secrets=None):
        self.raw, self.shown = raw, shown
        self.secrets = frozenset([raw] if secrets is None else secrets)

    def __eq__(self, other):
        return isinstance(other, Hidden) and self.raw == other.raw

    def __hash__(self):
        return hash(self.raw)


class Masked:
    """The service masks it: there is one, and nothing else is known."""

    def __eq__(self, other):
        return isinstance(other, Masked)

    __hash__ = object.__hash__


class Exact:
    """A number that no double holds as it is written. Compared, and shown, by its text."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Exact) and self.text == other.text

    def __hash__(self):
        return hash(self.text)


def number(text):
    """For the reader of JSON, which would read whole numbers exactly and round all others."""
    value = float(text)
    if value in (float("inf"), float("-inf")) or Decimal(repr(value)) != Decimal(text):
        return Exact(text)
    return int(text) if re.fullmatch(r"-?\d+", text) else value


MARK = "«secret»"
secrets_met = set()


def hide(raw):
    if isinstance(raw, str) and len(raw) >= 12:
        secrets_met.add(raw)
    return Masked() if raw == "[REDACTED]" else Hidden(raw, MARK)


# --- the fields, from the service's document and from how it behaves

PLAIN, SET, SECRET, URL, CHAT, TIME, FREE = "plain", "set", "secret", "url", "chat", "time", "free"
CERTIFICATE = "certificate"  # public, and anything else there may be the private key


class Group:
    """An object that is always there; each member is shown or not."""

    def __init__(self, **members):
        self.members = members


class Part:
    """An object that may be none, in many spellings."""

    def __init__(self, **members):
        self.members = members


class Things:
    """A list of objects with a uid. `ordered`: the service goes by the place of each."""

    def __init__(self, ordered=False, **members):
        self.ordered, self.members = ordered, members


MEANS_EMPTY_WHEN_ABSENT = {
    "endpoint": {"owner_id", "support_email", "slack_webhook_url", "teams_webhook_url", "mtls_client_cert"},
    "subscription": {"retry_config", "alert_config", "rate_limit_config"},
}
MOVES_BY_ITSELF = {
    "updated_at",
    "events",
    "failure_rate",
    "cb_state",
    "period_failure_rate",
    "success_count",
    "failure_count",
    "retry_count",
    "statistics",
    "retained_events",
}
NOT_ITS_OWN = {"endpoint_metadata", "source_metadata", "device_metadata"}

MTLS = Part(client_cert=CERTIFICATE, client_key=SECRET)
API_KEY = Part(header_name=PLAIN, header_value=SECRET)
BASIC = Part(username=PLAIN, password=SECRET)
QUEUE = Part(
    type=PLAIN,
    workers=PLAIN,
    sqs=Part(access_key_id=SECRET, secret_key=SECRET),
    google=Part(service_account=SECRET),
    kafka=Part(auth=Part(password=SECRET)),
    amqp=Part(auth=Part(password=SECRET)),
)
FIELDS = {
    "endpoint": {
        "url": URL,
        "slack_webhook_url": CHAT,
        "teams_webhook_url": CHAT,
        "created_at": TIME,
        "secrets": Things(value=SECRET, created_at=TIME, expires_at=TIME, deleted_at=TIME),
        "authentication": Part(api_key=API_KEY, basic_auth=BASIC, oauth2=Part(client_secret=SECRET)),
        "mtls_client_cert": MTLS,
    },
    "subscription": {
        "created_at": TIME,
        "alert_config": Part(),
        "rate_limit_config": Part(),
        "retry_config": Part(),
        "filter_config": Group(
            event_types=SET, filter=Group(body=FREE, headers=FREE, query=FREE, path=FREE, is_flattened=PLAIN)
        ),
    },
    "source": {
        "created_at": TIME,
        "url": URL,
        "forward_headers": SET,
        "idempotency_keys": SET,
        "custom_response": Part(),
        "provider_config": FREE,
        "pub_sub": QUEUE,
        "verifier": Part(api_key=API_KEY, basic_auth=BASIC, hmac=Part(secret=SECRET)),
    },
    "project": {
        "created_at": TIME,
        "config": Group(
            ssl=Group(),
            ratelimit=Group(),
            strategy=Group(),
            signature=Group(versions=Things(ordered=True, created_at=TIME)),
            meta_event=Group(event_type=SET, secret=SECRET, pub_sub=QUEUE),
            circuit_breaker=Group(),
        ),
    },
}
# What a subscription fills of the source that it carries.
STUB = ("uid", "project_id", "name", "type", "mask_id", "is_disabled", "url", "verifier")


def normal_form(kind, item):
    """Attributes by name; what is not shown is not in there."""
    fields = FIELDS[kind]
    form = {}
    for name, raw in item.items():
        if name not in MOVES_BY_ITSELF and name not in NOT_ITS_OWN:
            form[name] = normal(raw, fields.get(name, PLAIN))
    for name in MEANS_EMPTY_WHEN_ABSENT.get(kind, ()):
        form.setdefault(name, None)
    if kind == "subscription":
        for other in ("endpoint", "source", "device"):
            form[f"{other}_uid"] = uid_of(item.get(f"{other}_metadata"))
    if kind == "source" and "verifier" in form and form["verifier"] is None:
        form["verifier"] = {"type": "noop"}
    return form


def stub_form(item):
    """A source as a subscription carries it: what is empty there was not filled."""
    form = normal_form("source", {name: item[name] for name in STUB if name in item})
    return {name: value for name, value in form.items() if value is not None}


def uid_of(embedded):
    return (embedded.get("uid") or None) if isinstance(embedded, dict) else None


def normal(raw, field):
    if field == SET:
        return sorted(raw or [])
    if isinstance(field, Things):
        places = [{"position": at + 1} if field.ordered else {} for at in range(len(raw or []))]
        return {thing["uid"]: thing_form(thing, field) | place for thing, place in zip(raw or [], places)}
    if raw is None or raw == "":
        return None
    if field == SECRET:
        return hide(raw)
    if field == CERTIFICATE and not raw.startswith("-----BEGIN CERTIFICATE-----\nMII"):
        return hide(raw)
    if field == URL:
        return hide_within_url(raw)
    if field == CHAT:
        host = re.match(r"^[a-z]+://[^/]*", raw).group()
        secrets_met.add(raw)
        return Hidden(raw, f"{host}/{MARK}")
    if field == TIME:
        return normal_time(raw)
    if isinstance(field, Group):
        return {name: normal(value, field.members.get(name, PLAIN)) for name, value in raw.items()}
    if isinstance(field, Part):
        members = {name: normal(value, field.members.get(name, PLAIN)) for name, value in raw.items()}
        filled = {name: value for name, value in members.items() if not is_empty(value)}
        return None if all(value in (0, False) for value in filled.values()) else filled
    return raw


def thing_form(thing, field):
    return {
        name: normal(value, field.members.get(name, PLAIN))
        for name, value in thing.items()
        if name not in ("uid", *MOVES_BY_ITSELF)
    }


def is_empty(value):
    return value is None or value == "" or value == [] or value == {}


def normal_time(text):
    """UTC, without trailing zeros; year 1 is "not filled"."""
    if text.startswith("0001-01-01T"):
        return None
    whole, fraction, offset = re.match(r"^(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$", text).groups()
    if offset != "Z":
        from datetime import datetime, timezone

        whole = datetime.fromisoformat(whole + offset).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = (fraction or "").rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"


SAYS_SECRET = re.compile(r"^(token|key|secret|password|sig)$")
# The worlds have random steps of 40 digits, and otherwise words and short numbers.
RANDOM_STEP = re.compile(r"(?<=/)(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{32,}(?=[/?#]|$)")


def hide_within_url(url):
    """Userinfo, the values of parameters whose names say that they are secret, and random steps of the path."""
    secrets = []

    def hide_one(before, secret, behind):
        secrets.append(secret)
        return before + MARK + behind

    shown = re.sub(r"^([a-z]+://)([^/@]+)@", lambda found: hide_one(found[1], found[2], "@"), url, flags=re.IGNORECASE)
    shown = re.sub(
        r"([?&])([^=&]+)=([^&]+)",
        lambda found: hide_one(f"{found[1]}{found[2]}=", found[3], "") if SAYS_SECRET.match(found[2]) else found[0],
        shown,
    )
    shown = RANDOM_STEP.sub(lambda found: hide_one("", found[0], ""), shown)
    return Hidden(url, shown, secrets) if secrets else url


# --- two scans

def carried(kind, before, now):
    """What is known after a scan: what it showed, and for the rest what was known."""
    return carried_members(FIELDS[kind], before, now)


def carried_members(fields, before, now):
    merged = {}
    for name in {**before, **now}:
        if name not in now:
            merged[name] = before[name]
        elif name not in before:
            merged[name] = now[name]
        else:
            merged[name] = carried_value(fields.get(name, PLAIN), before[name], now[name])
    return merged


def carried_value(field, before, now):
    if isinstance(now, Masked) and isinstance(before, Hidden):
        return before
    if not isinstance(before, dict) or not isinstance(now, dict):
        return now
    if isinstance(field, Group):
        return carried_members(field.members, before, now)
    if isinstance(field, Things):
        return {uid: carried_members(field.members, before.get(uid, {}), thing) for uid, thing in now.items()}
    if isinstance(field, Part):
        return {
            name: carried_value(field.members.get(name, PLAIN), before[name], value) if name in before else value
            for name, value in now.items()
        }
    return now


def differences(kind, before, now):
    """JSON Pointers with both values. What one side does not show is compared with nothing."""
    found = {}
    compare_members(FIELDS[kind], before, now, "", found)
    return found


def shows_alike(kind, before, now):
    """Whether both sides show the same fields."""
    return has_same_members(FIELDS[kind], before, now)


def has_same_members(fields, before, now):
    if before.keys() != now.keys():
        return False
    for name, old in before.items():
        field, new = fields.get(name, PLAIN), now[name]
        if not isinstance(old, dict) or not isinstance(new, dict):
            continue
        if isinstance(field, Group) and not has_same_members(field.members, old, new):
            return False
        if isinstance(field, Things):
            if not all(has_same_members(field.members, old[key], new[key]) for key in old.keys() & new.keys()):
                return False
    return True


def compare_members(fields, before, now, path, found):
    for name in before:
        if name in now:
            compare(fields.get(name, PLAIN), before[name], now[name], f"{path}/{escaped(name)}", found)


def compare(field, before, now, path, found):
    if is_same(before, now):
        return
    if field == FREE and is_empty(before) and is_empty(now):
        return
    if not isinstance(before, dict) or not isinstance(now, dict):
        found[path] = (before, now)
    elif isinstance(field, Group):
        compare_members(field.members, before, now, path, found)
    else:
        members = {} if field in (PLAIN, FREE) else field.members
        for name in {**before, **now}:
            here = f"{path}/{escaped(name)}"
            if isinstance(field, Things) and name in before and name in now:
                compare_members(members, before[name], now[name], here, found)
            elif isinstance(field, Things) and is_deleted(before.get(name, now.get(name))):
                continue
            else:
                compare(members.get(name, PLAIN), before.get(name), now.get(name), here, found)


def is_deleted(thing):
    """Only some releases list it."""
    return isinstance(thing, dict) and thing.get("deleted_at") is not None


def is_same(before, now):
    for one, other in ((before, now), (now, before)):
        if isinstance(one, Masked) and isinstance(other, Hidden):
            return True
    # In Python, but not in JSON, 0 is False.
    return before == now and isinstance(before, bool) == isinstance(now, bool)


def escaped(name):
    return name.replace("~", "~0").replace("/", "~1")


def value_at(attributes, path):
    for step in path.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        attributes = attributes.get(step) if isinstance(attributes, dict) else None
    return attributes


def shown(value):
    """As a report may show it, but for the digits of seals."""
    if isinstance(value, Hidden):
        return value.shown
    if isinstance(value, Masked):
        return "sealed:masked"
    if isinstance(value, Exact):
        return value.text
    if isinstance(value, dict):
        return {name: shown(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shown(member) for member in value]
    return value


def without_digits(value):
    """The same of what a report shows."""
    if isinstance(value, str):
        return re.sub(r"sealed:[0-9a-f]{32}", MARK, value)
    if isinstance(value, dict):
        return {name: without_digits(member) for name, member in value.items()}
    if isinstance(value, list):
        return [without_digits(member) for member in value]
    return value
