"""The rules, from their pages: what each says of what is known, by JSON Pointer."""

import ipaddress
import re
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from filter_rows import DRIFT, ONE_SUBSCRIPTION, across_rows, rows_drift
from normal_form import Hidden, Masked

DAY = 86_400


class Resource:
    are_rows_unread = False  # of a subscription: they were due, and this scan could not read them

    def __init__(self, project, kind, uid, attributes, passing):
        self.project, self.kind, self.uid = project, kind, uid
        self.attributes = attributes  # all that is known
        self.passing = passing  # what moves by itself, as of this scan

    def get(self, *path):
        """None: shown and empty, or not shown."""
        here = self.attributes
        for step in path:
            here = here.get(step) if isinstance(here, dict) else None
        return here

    def shows(self, name):
        return name in self.attributes

    @property
    def url(self):
        url = self.get("url")
        return url.raw if isinstance(url, Hidden) else url or ""


def seconds(time):
    whole, fraction = re.match(r"^(.{19})(?:\.(\d+))?Z$", time).groups()
    return datetime.fromisoformat(f"{whole}+00:00").timestamp() + float(f"0.{fraction or 0}")


def seconds_of(time):
    """Of the start of a run."""
    return seconds(time.replace(".000Z", "Z"))


# --- addresses

METADATA = [
    ipaddress.ip_network(net)
    for net in ("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::254/128")
]
PRIVATE = [
    ipaddress.ip_network(net)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fe80::/10", "fc00::/7")
]
LOOPBACK = [ipaddress.ip_network(net) for net in ("127.0.0.0/8", "0.0.0.0/32", "::1/128")]


def host_of(url):
    return (urlsplit(url).hostname or "").rstrip(".")


def address_of(host):
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def reach_of(url):
    host = host_of(url)
    address = address_of(host)
    if address is not None:
        for reach, nets in (("metadata", METADATA), ("private", LOOPBACK), ("private", PRIVATE)):
            if any(address.version == net.version and address in net for net in nets):
                return reach
        return "public"
    if host in ("metadata.google.internal",):
        return "metadata"
    if host == "localhost" or "." not in host or host.endswith((".local", ".internal")):
        return "private"
    return "public"


def scheme_of(url):
    return urlsplit(url).scheme


def same_address(url):
    """Scheme and host without case, without the scheme's own port."""
    if "@" in url:
        return url
    parts = urlsplit(url)
    own = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in (None, own) else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path or '/'}?{parts.query}"


# --- endpoints

def active_secrets(endpoint):
    return {uid: secret for uid, secret in (endpoint.get("secrets") or {}).items() if secret.get("deleted_at") is None}


def secret_missing(r, o, now):
    if r.shows("secrets") and not active_secrets(r):
        yield "/secrets"


def ends(secret):
    return None if secret.get("expires_at") is None else seconds(secret["expires_at"])


def secret_expired_active(r, o, now):
    active = active_secrets(r)
    if active and all(ends(secret) is not None and ends(secret) < now for secret in active.values()):
        yield "/secrets"
    for uid, secret in active_secrets(r).items():
        if ends(secret) is not None and ends(secret) + o.get("max_days", 7) * DAY < now:
            yield f"/secrets/{uid}"


def secret_too_many(r, o, now):
    if len(active_secrets(r)) > o.get("max_secrets", 2):
        yield "/secrets"


def secret_stale(r, o, now):
    active = active_secrets(r)
    if not active or any(secret.get("created_at") is None for secret in active.values()):
        return
    newest = max(seconds(secret["created_at"]) for secret in active.values())
    if newest + o.get("max_days", 365) * DAY < now:
        yield tuple(f"/secrets/{uid}" for uid, s in active.items() if seconds(s["created_at"]) == newest)


def signature_simple(r, o, now):
    if r.get("advanced_signatures") is False:
        yield "/advanced_signatures"


def url_not_https(r, o, now):
    if scheme_of(r.url) == "http":
        yield "/url"


def url_metadata_address(r, o, now):
    if reach_of(r.url) == "metadata":
        yield "/url"


def url_private_address(r, o, now):
    if reach_of(r.url) == "private":
        yield "/url"


def url_raw_ip(r, o, now):
    if address_of(host_of(r.url)) is not None and reach_of(r.url) == "public":
        yield "/url"


def url_odd_port(r, o, now):
    parts = urlsplit(r.url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    if port not in o.get("allow_ports", [443, 8443]) and not (port == 80 and parts.scheme == "http"):
        yield "/url"


def url_credentials(r, o, now):
    parts = urlsplit(r.url)
    names = [name for name, value in parse_qsl(parts.query)]
    if parts.username is not None or any(name in ("token", "key", "secret", "password", "sig") for name in names):
        yield "/url"


def timeout_low(r, o, now):
    if 0 < (r.get("http_timeout") or 0) < o.get("min_seconds", 5):
        yield "/http_timeout"


def timeout_high(r, o, now):
    if (r.get("http_timeout") or 0) > o.get("max_seconds", 60):
        yield "/http_timeout"


def limit_of(r):
    return r.get("rate_limit") or 0, r.get("rate_limit_duration") or 0


def rate_limit_ineffective(r, o, now):
    count, duration = limit_of(r)
    if count and not duration:
        yield "/rate_limit_duration"


def rate_limit_absent(r, o, now):
    if r.shows("rate_limit") and limit_of(r)[0] == 0:
        yield "/rate_limit"


def rate_limit_low(r, o, now):
    count, duration = limit_of(r)
    if count and duration and count * 60 < o.get("min_per_minute", 1) * duration:
        yield "/rate_limit"


def inactive(r, o, now):
    if r.get("status") in ("inactive", "pending"):
        yield "/status"


def status_unknown(r, o, now):
    if r.get("status") not in (None, "active", "inactive", "paused", "pending"):
        yield "/status"


def failure_rate_high(r, o, now):
    if (r.passing.get("failure_rate") or 0) > o.get("max_percent", 20) or r.passing.get("cb_state") == "open":
        yield ""


def alert_contact_missing(r, o, now):
    if not any(r.get(name) for name in ("support_email", "slack_webhook_url", "teams_webhook_url")):
        yield "/support_email"


def owner_missing(r, o, now):
    if r.shows("owner_id") and r.get("owner_id") is None:
        yield "/owner_id"


def auth_mismatch(r, o, now):
    auth = r.get("authentication")
    if auth is None:
        return
    kind = auth.get("type")
    members = ("api_key", "basic_auth", "oauth2")
    filled = [m for m in members if any(not isinstance(v, Masked) for v in (auth.get(m) or {}).values())]
    if kind in members:
        # A member that holds nothing but a mask counts as not filled; the type's own is there all the same.
        is_odd = auth.get(kind) is None or any(m != kind for m in filled)
    else:
        is_odd = kind is None and bool(filled)
    if is_odd:
        yield "/authentication/type"


def auth_over_http(r, o, now):
    auth = r.get("authentication") or {}
    carries = auth.get(auth.get("type")) is not None or urlsplit(r.url).username is not None
    if carries and scheme_of(r.url) == "http":
        yield "/url"


# --- subscriptions

def at_most_once(r, o, now):
    if r.get("delivery_mode") == "at_most_once":
        yield "/delivery_mode"


IGNORED = {
    "subscription": {
        "alert_config": {"count": 4, "threshold": "1h"},
        "rate_limit_config": {"count": 1000, "duration": 60},
        "retry_config": {"type": "linear", "duration": 10, "retry_count": 3},
    },
    "source": {"forward_headers": None, "body_function": None, "header_function": None},
    "project": {"replay_attacks_prevention_enabled": False, "ratelimit": {"count": 1000, "duration": 60}},
}


def settings_ignored(r, o, now):
    for name, default in IGNORED[r.kind].items():
        path = ("config", name) if r.kind == "project" else (name,)
        value = r.get(*path)
        if name.endswith("_function") and r.get("type") != "http":
            continue
        is_nothing = not (any(value.values()) if isinstance(value, dict) else value)
        if not is_nothing and value != default:
            yield "/" + "/".join(path)


# --- sources

def kind_of_verifier(r):
    return r.get("verifier", "type")


def unverified(r, o, now):
    is_open = r.get("type") == "pub_sub" or (r.get("type") == "http" and not r.get("provider"))
    if is_open and kind_of_verifier(r) in (None, "noop"):
        yield "/verifier"


def faults_of_verifier(r):
    """Paths of what the service cannot use; of a provider it reads the secret alone."""
    kind, provider = kind_of_verifier(r), r.get("provider")
    if provider:
        if kind != "hmac":
            yield "/verifier"
        elif r.get("verifier", "hmac", "secret") is None:
            yield "/verifier/hmac/secret"
    elif kind == "hmac":
        for member in ("secret", "header"):
            if r.get("verifier", "hmac", member) is None:
                yield f"/verifier/hmac/{member}"
        if r.get("verifier", "hmac", "hash") not in ("SHA256", "SHA512"):
            yield "/verifier/hmac/hash"


def verifier_broken(r, o, now):
    if r.get("type") == "http" and r.shows("provider"):
        yield from faults_of_verifier(r)


def verifier_replayable(r, o, now):
    if r.get("type") == "http" and kind_of_verifier(r) in ("basic_auth", "api_key") and not r.get("provider"):
        yield "/verifier/type"


def idempotency_missing(r, o, now):
    if r.get("type") == "http" and r.shows("idempotency_keys") and not r.get("idempotency_keys"):
        yield "/idempotency_keys"


def dead_letter_missing(r, o, now):
    if r.get("pub_sub", "type") == "amqp" and r.get("pub_sub", "amqp", "deadLetterExchange") is None:
        yield "/pub_sub/amqp/deadLetterExchange"


# --- projects

def schedule_of(strategy):
    """Retries, interval and span. `retry_count` counts the first attempt, and no delay is above two hours."""
    if not strategy or strategy.get("retry_count") is None:
        return None
    retries, interval = max(strategy["retry_count"] - 1, 0), strategy.get("duration") or 0
    doubles = strategy.get("type") == "exponential"
    return retries, interval, sum(min(interval * 2**at, 7200) if doubles else interval for at in range(retries))


def retry_hammering(r, o, now):
    schedule = schedule_of(r.get("config", "strategy"))
    is_linear = r.get("config", "strategy", "type") == "linear"
    if schedule and (schedule[0] > 50 or (is_linear and schedule[1] < 10 and schedule[0] > 5)):
        yield "/config/strategy"


def project_retry_short(r, o, now):
    schedule = schedule_of(r.get("config", "strategy"))
    if schedule and (schedule[0] < o.get("min_retries", 3) or schedule[2] < 3600):
        yield "/config/strategy"


def disable_hair_trigger(r, o, now):
    schedule = schedule_of(r.get("config", "strategy"))
    if r.get("config", "disable_endpoint") is True and schedule and (schedule[0] == 0 or schedule[2] < 3600):
        yield "/config/disable_endpoint"


def meta_event_insecure(r, o, now):
    meta = r.get("config", "meta_event") or {}
    if meta.get("is_enabled") is not True:
        return
    if scheme_of(meta.get("url") or "") == "http":
        yield "/config/meta_event/url"
    if meta.get("secret") is None:
        yield "/config/meta_event/secret"


ONE_RESOURCE = {
    "endpoint": {
        "endpoint/secret-missing": secret_missing,
        "endpoint/secret-expired-active": secret_expired_active,
        "endpoint/secret-too-many": secret_too_many,
        "endpoint/secret-stale": secret_stale,
        "endpoint/signature-simple": signature_simple,
        "endpoint/url-not-https": url_not_https,
        "endpoint/url-metadata-address": url_metadata_address,
        "endpoint/url-private-address": url_private_address,
        "endpoint/url-raw-ip": url_raw_ip,
        "endpoint/url-odd-port": url_odd_port,
        "endpoint/url-credentials": url_credentials,
        "endpoint/timeout-low": timeout_low,
        "endpoint/timeout-high": timeout_high,
        "endpoint/rate-limit-ineffective": rate_limit_ineffective,
        "endpoint/rate-limit-absent": rate_limit_absent,
        "endpoint/rate-limit-low": rate_limit_low,
        "endpoint/inactive": inactive,
        "endpoint/status-unknown": status_unknown,
        "endpoint/failure-rate-high": failure_rate_high,
        "endpoint/alert-contact-missing": alert_contact_missing,
        "endpoint/owner-missing": owner_missing,
        "endpoint/auth-mismatch": auth_mismatch,
        "endpoint/auth-over-http": auth_over_http,
    },
    "subscription": {
        **ONE_SUBSCRIPTION,
        "subscription/at-most-once": at_most_once,
        "subscription/settings-ignored": settings_ignored,
    },
    "source": {
        "source/unverified": unverified,
        "source/verifier-broken": verifier_broken,
        "source/verifier-replayable": verifier_replayable,
        "source/idempotency-missing": idempotency_missing,
        "source/dead-letter-missing": dead_letter_missing,
        "source/settings-ignored": settings_ignored,
    },
    "project": {
        "project/retry-hammering": retry_hammering,
        "project/retry-short": project_retry_short,
        "project/disable-hair-trigger": disable_hair_trigger,
        "project/settings-ignored": settings_ignored,
        "project/meta-event-insecure": meta_event_insecure,
    },
    "event_type": {},
}


# --- across the resources of a project: (kind, uid, path)

def across_project(seen, is_whole):
    """
    `seen`: resources of this scan. `is_whole(kind)`: whether they are all there are. With the rules that could not
    evaluate one of them.
    """
    by_kind = {}
    for r in seen:
        by_kind.setdefault(r.kind, {})[r.uid] = r
    endpoints = by_kind.get("endpoint", {})
    subscriptions = by_kind.get("subscription", {})
    found = {}

    def add(rule, r, path):
        found.setdefault(rule, set()).add((r.kind, r.uid, path))

    by_address = {}
    for r in endpoints.values():
        if r.get("status") == "active" and r.url:
            by_address.setdefault(same_address(r.url), []).append(r)
    for alike in by_address.values():
        for r in alike if len(alike) > 1 else ():
            add("endpoint/url-duplicate", r, "/url")

    targets = {r.get("endpoint_uid") for r in subscriptions.values()}
    if is_whole("subscription"):
        for r in endpoints.values():
            if r.uid not in targets:
                add("endpoint/orphan", r, "")

    for r in subscriptions.values():
        target = r.get("endpoint_uid")
        if target is None or (is_whole("endpoint") and target not in endpoints):
            add("subscription/target-missing", r, "/endpoint_uid")
        endpoint = endpoints.get(target)
        if endpoint is not None and endpoint.get("status") not in ("active", "inactive"):
            add("subscription/target-not-active", r, "/endpoint_uid")
    catalogue = [r.attributes for r in by_kind.get("event_type", {}).values()]
    of_rows, doubted = across_rows(subscriptions.values(), catalogue, is_whole("event_type"))
    for rule, places in of_rows.items():
        for uid, path in places:
            add(rule, subscriptions[uid], path)
    for r in by_kind.get("source", {}).values():
        if r.get("is_disabled") is True and r.get("type") in ("http", "pub_sub"):
            add("source/disabled", r, "/is_disabled")
    for r in by_kind.get("project", {}).values():
        for path in signature_faults(r):
            add("project/signature-broken", r, path)
        if r.get("config", "ssl", "enforce_secure_endpoints") is False:
            if is_whole("endpoint") or any(scheme_of(e.url) == "http" for e in endpoints.values()):
                add("project/tls-not-enforced", r, "/config/ssl/enforce_secure_endpoints")
    return found, doubted


def signature_faults(r):
    signature = r.get("config", "signature")
    if signature is None:
        return
    if not signature.get("header"):
        yield "/config/signature/header"
    if not signature.get("versions"):
        yield "/config/signature/versions"
    for uid, version in (signature.get("versions") or {}).items():
        if version.get("hash") not in ("SHA256", "SHA512"):
            yield f"/config/signature/versions/{uid}/hash"


# --- across all projects: (project, kind, uid, path)

def across_fleet(seen):
    found = {"endpoint/secret-shared": set(), "endpoint/auth-shared": set(), "source/verifier-shared": set()}
    signing, sent, known = {}, {}, {}
    for r in seen:
        who = (r.project, r.kind, r.uid)
        if r.kind == "endpoint":
            key = r.get("authentication", "api_key", "header_value")
            for uid, secret in active_secrets(r).items():
                if isinstance(secret.get("value"), Hidden):
                    signing.setdefault(secret["value"].raw, []).append((who, f"/secrets/{uid}"))
                    known.setdefault(secret["value"].raw, set()).add(who)
            if isinstance(key, Hidden) and r.get("authentication", "type") == "api_key":
                sent.setdefault(key.raw, []).append((who, host_of(r.url)))
            for path in (("api_key", "header_value"), ("basic_auth", "password"), ("oauth2", "client_secret")):
                if isinstance(r.get("authentication", *path), Hidden):
                    known.setdefault(r.get("authentication", *path).raw, set()).add(who)
        if r.kind == "source":
            secret = verifier_secret(r)
            if secret is not None:
                known.setdefault(secret[1].raw, set()).add(who)
    for uses in signing.values():
        if len({who for who, _ in uses}) > 1:
            found["endpoint/secret-shared"] |= {(*who, path) for who, path in uses}
    for uses in sent.values():
        if len({host for _, host in uses}) > 1:
            found["endpoint/auth-shared"] |= {(*who, "/authentication/api_key/header_value") for who, _ in uses}
    for r in seen:
        secret = verifier_secret(r) if r.kind == "source" else None
        if secret is not None and len(known[secret[1].raw]) > 1:
            found["source/verifier-shared"].add((r.project, r.kind, r.uid, secret[0]))
    return found


def verifier_secret(r):
    member = {"hmac": "secret", "basic_auth": "password", "api_key": "header_value"}
    kind = kind_of_verifier(r)
    value = r.get("verifier", kind, member.get(kind))
    return (f"/verifier/{kind}/{member[kind]}", value) if isinstance(value, Hidden) else None


# --- compared with what it was

def drift(r, before, fields, is_lost=False):
    """Of a resource that was in the baseline: (rule, path). `is_lost`: something was lost since then, and is open."""
    old = Resource(r.project, r.kind, r.uid, before, {})
    for path, (was, now) in fields.items():
        if not path.endswith("function") and concerns_secret(path, was, now):
            yield "drift/secret-changed", path
    if r.kind in ("endpoint", "project"):
        yield from limit_lost(old, r)
    if r.kind == "endpoint":
        yield from endpoint_drift(old, r)
    if r.kind == "source":
        yield from verification_weakened(old, r)
    if r.kind == "subscription" and not cannot_compare_rows(r, before):
        yield from rows_drift(before, r.attributes, is_lost)
    if r.kind in ("subscription", "source"):
        for path in ("/function", "/body_function", "/header_function"):
            if path in fields:
                yield "drift/function-changed", path
    if r.kind == "project":
        yield from project_weakened(old, r)
        yield from signature_changed(old, r)


# What comes back after a loss: a secret there with another value is found as such.
RETURNING = {
    "drift/authentication-lost": ("/authentication", "/mtls_client_cert"),
    "drift/verification-weakened": ("/verifier",),
    "drift/secret-changed": ("",),
}
LOSSES = ("/authentication", "/mtls_client_cert", "/verifier")


def returned(rule, fields):
    """Paths of secrets that are others than before the loss, as far as that can be known."""
    for path, (was, now) in fields.items():
        old, new = secrets_in(was), secrets_in(now)
        if not old or not new or old == new or "masked" in old | new or path.endswith("function"):
            continue
        if any(path.startswith(within + "/") for within in RETURNING.get(rule, ())):
            yield path


def is_returned(rule, path):
    return rule in ("drift/authentication-lost", "drift/verification-weakened") and path not in LOSSES


def cannot_compare_rows(r, before):
    """There were rows, and what they are now is unknown."""
    return r.are_rows_unread and "filters" in before


def concerns_secret(path, was, now):
    if re.match(r"^/secrets/[^/]+/deleted_at$", path):
        return was is None and now is not None
    old, new = secrets_in(was), secrets_in(now)
    if "masked" in old | new and old and new:
        return False
    return old != new


def secrets_in(value):
    if isinstance(value, Hidden):
        return set(value.secrets)
    if isinstance(value, Masked):
        return {"masked"}
    if isinstance(value, dict):
        return set().union(*map(secrets_in, value.values()))
    return set()


def endpoint_drift(old, new):
    if old.get("authentication", "type") is not None and is_filled(old) and new.shows("authentication"):
        if not new.get("authentication") or not is_filled(new):
            yield "drift/authentication-lost", "/authentication"
    if old.get("mtls_client_cert") is not None and new.get("mtls_client_cert") is None:
        yield "drift/authentication-lost", "/mtls_client_cert"
    if host_of(old.url) != host_of(new.url):
        yield "drift/url-host-changed", "/url"


def is_filled(r):
    kind = r.get("authentication", "type")
    return kind not in ("api_key", "basic_auth", "oauth2") or r.get("authentication", kind) is not None


def limit_lost(old, new):
    one, other = limit_of(old), limit_of(new)
    if old.kind == "endpoint" and 0 not in one and 0 in other:
        yield "drift/rate-limit-lost", "/rate_limit_duration" if other[0] > 0 else "/rate_limit"


HASHES = {"MD5": 0, "SHA1": 1, "SHA224": 2, "SHA256": 3, "SHA384": 3, "SHA512": 3}
VERIFIERS = {None: 0, "noop": 0, "basic_auth": 1, "api_key": 1, "hmac": 2}


def verification_weakened(old, new):
    was, now = VERIFIERS[kind_of_verifier(old)], VERIFIERS[kind_of_verifier(new)]
    refuses_all = new.get("type") == "http" and any(faults_of_verifier(new))
    if now < was and not refuses_all:
        yield "drift/verification-weakened", "/verifier"


def project_weakened(old, new):
    def lost(*path):
        return old.get("config", *path) is True and new.get("config", *path) is False

    if lost("ssl", "enforce_secure_endpoints"):
        yield "drift/project-weakened", "/config/ssl/enforce_secure_endpoints"
    spans = []
    for r in (old, new):
        schedule = schedule_of(r.get("config", "strategy")) or (0, 0, 0)
        spans.append((schedule[2], schedule[0]))
    if spans[1] < spans[0]:
        yield "drift/project-weakened", "/config/strategy"


def signature_changed(old, new):
    before, after = ((r.get("config", "signature") or {}) for r in (old, new))
    if before.get("header") != after.get("header"):
        yield "drift/signature-changed", "/config/signature/header"
    lists = [
        [(v["hash"], v["encoding"]) for v in sorted((s.get("versions") or {}).values(), key=lambda v: v["position"])]
        for s in (before, after)
    ]
    if lists[0] != lists[1]:
        yield "drift/signature-changed", "/config/signature/versions"


# --- what must be seen completely before silence means anything

def needs_of(rule):
    """(scope, kinds)."""
    across = {
        "endpoint/url-duplicate": ("project", ["endpoint"]),
        "endpoint/orphan": ("project", ["endpoint", "subscription"]),
        "subscription/target-missing": ("project", ["endpoint", "subscription"]),
        "subscription/target-not-active": ("project", ["endpoint", "subscription"]),
        "subscription/duplicate": ("project", ["subscription"]),
        "subscription/event-type-deprecated": ("project", ["subscription", "event_type"]),
        "project/signature-broken": ("project", ["project", "endpoint"]),
        "source/disabled": ("project", ["source", "subscription"]),
        "project/tls-not-enforced": ("project", ["project", "endpoint"]),
        "endpoint/secret-shared": ("fleet", ["endpoint"]),
        "endpoint/auth-shared": ("fleet", ["endpoint"]),
        "source/verifier-shared": ("fleet", ["endpoint", "source"]),
        "project/vanished": ("scan", ["endpoint", "subscription"]),
        "project/mass-removal": ("scan", ["endpoint", "source", "subscription"]),
    }
    if rule in across:
        return across[rule]
    return ("resource", [None if rule.startswith("drift/") else rule.split("/")[0]])
