/** Policy files with a mistake: the text, and what is said of it as `line:column: text`. */
export const wrongFiles: Readonly<Record<string, readonly [text: string, ...says: string[]]>> = {
  'an unknown member': ['rulez: {}\n', '1:1: `rulez` is unknown, did you mean `rules`?'],
  'an unknown rule': [
    'rules:\n  endpoint/inactiv: off\n',
    '2:3: `endpoint/inactiv` is unknown, did you mean `endpoint/inactive`?',
  ],
  'a rule twice': [
    'rules:\n  endpoint/inactive: off\n  endpoint/inactive: low\n',
    '3:3: a duplicate key, first in line 2',
  ],
  'an unknown severity': [
    'rules:\n  endpoint/inactive: urgent\n',
    '2:22: endpoint/inactive is "urgent", expected `off`, a severity (`critical`, `high`, `medium`, `low` or `info`), or options of the rule',
  ],
  'an unknown option': [
    'rules:\n  endpoint/timeout-high: { max_second: 3 }\n',
    '2:28: `max_second` is unknown, did you mean `max_seconds`?',
  ],
  'due dates of an unknown severity': [
    'due: { urgent: 2d, hihg: 3d }\n',
    '1:8: `urgent` is unknown, expected `critical`, `high`, `medium`, `low` or `info`',
    '1:20: `hihg` is unknown, did you mean `high`?',
  ],
  'a due date that is not a duration': [
    'due: { critical: 2, high: soon, low: 4000d }\n',
    '1:18: critical is 2, expected a duration such as `36h` or `14d`, at most 3650d (in quotes)',
    '1:27: high is "soon", expected a duration such as `36h` or `14d`, at most 3650d',
    '1:38: low is a text (not shown), expected a duration such as `36h` or `14d`, at most 3650d',
  ],
  'ignored fields that no kind has': [
    'ignore:\n  - /descripton\n  - description\n  - /failure_rate\n',
    '2:5: no kind has the field `/descripton`, did you mean `/description`?',
    '3:5: ignore[1] is "description", expected a path as reports show it, such as /description',
    '4:5: `/failure_rate` changes by itself and is never compared: leave it out',
  ],
  'a change window without its times': [
    'windows:\n  - { name: nightly }\n',
    '2:5: cron is missing, expected five fields (minute hour day month weekday), or six with seconds first, at most 200 characters',
    '2:5: duration is missing, expected a duration such as `2h` or `1d`, at most 31d',
  ],
  'change windows with times that are none': [
    'windows:\n  - { name: a, cron: "0 22 * *", duration: 2h }\n  - { name: b, cron: "0 22 31 2 *", duration: 2h }\n  - { name: c, cron: "0 22 * * *", timezone: Europe/Berlinn, duration: 2h }\n  - { name: d, cron: "0 22 * * *", duration: 2 }\n  - { name: e, cron: "0 22 * * *", duration: 40d }\n',
    '2:22: "0 22 * *" is not a pattern, expected five fields (minute hour day month weekday), or six with seconds first',
    '3:22: "0 22 31 2 *" is not a valid schedule: it never fires',
    '4:46: there is no time zone `Europe/Berlinn`, did you mean Europe/Berlin?',
    '5:46: duration is 2, expected a duration such as `2h` or `1d`, at most 31d (in quotes)',
    '6:46: duration is "40d", expected a duration such as `2h` or `1d`, at most 31d',
  ],
  'change windows that never close': [
    'windows:\n  - { name: always, cron: "0 * * * *", duration: 1h }\n  - { name: daily, cron: "0 0 * * *", timezone: Europe/Berlin, duration: 24h }\n  - { name: weekly, cron: "0 0 * * SUN", duration: 1w }\n',
    '2:50: it opens again after 1 h at most, so it never closes: expected less',
    '3:74: it opens again after 1 d at most, so it never closes: expected less',
    '4:52: it opens again after 7 d at most, so it never closes: expected less',
  ],
  'change windows of one name': [
    'windows:\n  - { name: a, cron: "0 22 * * *", duration: 2h }\n  - { name: a, cron: "0 3 * * *", duration: 2h }\n',
    '3:13: `a` is the name of the window in line 2 already',
  ],
  'a change window of projects without their service': [
    'windows:\n  - { name: a, cron: "0 22 * * *", duration: 2h, projects: [payments], tickt: CHG-1 }\n',
    '2:61: projects[0] is "payments", expected service/project, or a pattern such as `acme/*`',
    '2:72: `tickt` is unknown, did you mean `ticket`?',
  ],
  'an option of a wrong type': [
    'rules:\n  endpoint/timeout-high: { max_seconds: long }\n',
    '2:41: max_seconds is "long", expected a number above 0',
  ],
  'an option out of range': [
    'rules:\n  endpoint/timeout-high: { max_seconds: 0 }\n',
    '2:41: max_seconds is 0, expected a number above 0',
  ],
  'options where none are': [
    'rules:\n  endpoint/inactive: { max: 3 }\n',
    '2:24: `max` is unknown, expected `severity`',
  ],
  'a pattern that is none': [
    "rules:\n  endpoint/name-convention: { name: '(' }\n",
    '2:37: name is "(", expected a regular expression in the syntax of RE2, which supports neither lookaround nor back-references',
  ],
  'a pattern that refers back': [
    "rules:\n  endpoint/name-convention: { name: '(a)\\1' }\n",
    '2:37: name is "(a)\\\\1", expected a regular expression in the syntax of RE2, which supports neither lookaround nor back-references',
  ],
  'a pack misspelt': ['extends:\n  - recomended\n', '2:5: `recomended` is not a pack, did you mean `recommended`?'],
  'a pack unlike any': [
    'extends: [zzzzzzzz]\n',
    '1:11: `zzzzzzzz` is not a pack, expected one of recommended, standard-webhooks, secrets, tls, ssrf, delivery, hygiene, all, or a file',
  ],
  'extends that is not a list': ['extends: recommended\n', '1:10: extends is "recommended", expected a list'],
  'rules that are a list': ['rules: [endpoint/inactive]\n', '1:8: rules is a list, expected a mapping'],
  'a file that extends itself': ['extends: [./policy.yaml]\n', '1:11: `./policy.yaml` extends this file: a circle'],
  'an override without a match': [
    'overrides:\n  - { rules: {} }\n',
    '2:5: match is missing, expected at least one of its keys',
  ],
  'an override that matches everything': [
    'overrides:\n  - { match: {}, rules: {} }\n',
    '2:14: match is an empty mapping, expected at least one of its keys',
  ],
  'an unknown key of a selector': [
    'overrides:\n  - { match: { nme: x }, rules: {} }\n',
    '2:16: `nme` is unknown, did you mean `name`?',
  ],
  'an unknown kind in a selector': [
    'overrides:\n  - { match: { kind: endpiont }, rules: {} }\n',
    '2:22: kind is "endpiont", expected `project`, `endpoint`, `subscription`, `source`, `event_type`, `device`, `probe`, `service` or `policy`, or a list that is not empty; did you mean `endpoint`?',
  ],
  'an expression in a selector that is none': [
    'overrides:\n  - { match: { name: "/(/" }, rules: {} }\n',
    '2:22: name is "/(/", expected a text with `*` for any text, or a regular expression (RE2) between slashes',
  ],
  'a rule misspelt in an override': [
    'overrides:\n  - { match: { uid: x }, rules: { endpoint/inactiv: off } }\n',
    '2:35: `endpoint/inactiv` is unknown, did you mean `endpoint/inactive`?',
  ],
  'options of a fold in an override': [
    'overrides:\n  - { match: { uid: x }, rules: { endpoint/url-duplicate: { ignore_query: true } } }\n',
    '2:61: `ignore_query` is unknown, expected `severity`',
  ],
  'an unclosed bracket': [
    'rules: [\n',
    '2:1: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  ],
  'a rule with a blank too many': [
    'rules:\n  endpoint/inactive: off\n   endpoint/orphan: low\n  endpoint/timeout-high: low\n',
    '3:4: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  ],
  'a tab': ['rules:\n\tendpoint/inactive: off\n', '2:1: indented with a tab, expected spaces'],
  'two documents': ['rules: {}\n---\nrules: {}\n', '2:1: a second YAML document begins, expected one per file'],
  'an alias without an anchor': [
    'rules: *all\n',
    '1:8: an alias without an anchor before it; a value that begins with * needs quotes',
  ],
  'an empty file': ['', '1:1: the file is empty, expected a mapping'],
  'a custom rule without its assertion': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, message: m }\n',
    '2:5: assert is missing, expected text that is not empty',
  ],
  'an unknown member of a custom rule': [
    'custom:\n  - { id: a/b, kind: endpoint, asert: "true", assert: "true", severity: low, message: m }\n',
    '2:32: `asert` is unknown, did you mean `assert`?',
  ],
  'a custom rule without a slash': [
    'custom:\n  - { id: owner, kind: endpoint, assert: "true", severity: low, message: m }\n',
    '2:11: id is "owner", expected a name with a `/` in lower case, such as acme/owner-known',
  ],
  "a custom rule with a built-in's name": [
    'custom:\n  - { id: endpoint/inactive, kind: endpoint, assert: "true", severity: low, message: m }\n',
    '2:11: id is "endpoint/inactive", expected a name that no rule of hookdrift has',
  ],
  'two custom rules of one name': [
    'custom:\n  - &one { id: a/b, kind: endpoint, assert: "true", severity: low, message: m }\n  - { id: a/b, kind: source, assert: "true", severity: low, message: m }\n',
    '3:11: `a/b` is defined already, in 2:16',
  ],
  'a custom rule about an unknown kind': [
    'custom:\n  - { id: a/b, kind: endpoints, assert: "true", severity: low, message: m }\n',
    '2:22: kind is "endpoints", expected `project`, `endpoint`, `subscription`, `source`, `event_type`, `device` or `probe`; did you mean `endpoint`?',
  ],
  'an unknown control': [
    'custom:\n  - { id: a/b, kind: endpoint, assert: "true", severity: low, message: m, controls: [soc2:CC6.11] }\n',
    '2:86: controls[0] is "soc2:CC6.11", expected a control; did you mean `soc2:CC6.1`?',
  ],
  'a custom rule that is off': [
    'custom:\n  - { id: a/b, kind: endpoint, assert: "true", severity: off, message: m }\n',
    '2:58: severity is "off", expected `critical`, `high`, `medium`, `low` or `info`',
  ],
  'an option of a custom rule': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "true", message: m }\nrules:\n  a/b: { max: 3 }\n',
    '4:8: severity is missing, expected `critical`, `high`, `medium`, `low`, `info` or `off`',
    '4:10: `max` is unknown, expected `severity`',
  ],
  'a custom rule misspelt': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "true", message: m }\nrules:\n  a/c: low\n',
    '4:3: `a/c` is unknown, did you mean `a/b`?',
  ],
  'an unknown field': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.owner != "", message: m }\n',
    '2:64: there is no field `owner` of endpoint, did you mean `owner_id`?',
  ],
  'an unknown field further in': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.authentication.oauth.url != "", message: m }\n',
    '2:79: there is no field `oauth` of endpoint.authentication, did you mean `oauth2`?',
  ],
  'a field unlike any': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.zzzzzzzzzz, message: m }\n',
    '2:64: there is no field `zzzzzzzzzz` of endpoint, expected one of advanced_signatures, authentication, cb_state, content_type, created_at, deleted_at, description, events, failure_count, failure_rate, http_timeout, mtls_client_cert, name, owner_id, period_failure_rate, project_id, rate_limit, rate_limit_duration, retry_count, secrets, slack_webhook_url, status, success_count, support_email, teams_webhook_url, uid, updated_at, url',
  ],
  'an unknown field of what a macro visits': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.secrets.all(s, s.valu == s.valu)", message: m }\n',
    '2:82: there is no field `valu` of endpoint.secrets, did you mean `value`?',
  ],
  'an unknown field in a block, lines below': [
    'custom:\n  - id: a/b\n    kind: source\n    severity: low\n    assert: |\n      resource.type == "http" &&\n        resource.verifer.type != "noop"\n    message: m\n',
    '7:18: there is no field `verifer` of source, did you mean `verifier`?',
  ],
  'an unknown field in a folded text': [
    'custom:\n  - id: a/b\n    kind: source\n    severity: low\n    assert: resource.type == "http" &&\n      resource.verifer.type != "noop"\n    message: m\n',
    '6:16: there is no field `verifer` of source, did you mean `verifier`?',
  ],
  'an unknown field behind escapes': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.name == \\"\\u00e9\\" || resource.urll == \'\'", message: m }\n',
    '2:96: there is no field `urll` of endpoint, did you mean `url`?',
  ],
  'an unknown field behind doubled quotes': [
    "custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: 'resource.name == ''x'' || resource.urll == ''y''', message: m }\n",
    '2:91: there is no field `urll` of endpoint, did you mean `url`?',
  ],
  'an unknown variable': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resorce.url != "", message: m }\n',
    '2:55: there is no `resorce`, did you mean `resource`?',
  ],
  "another kind's variable": [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: source.url != "", message: m }\n',
    '2:55: there is no `source`, only `resource`, `project`, `subscriptions`',
  ],
  'an unknown function': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "hots(resource.url) == \'x\'", message: m }\n',
    '2:56: there is no function `hots`, did you mean `host`?',
  ],
  'an unknown method': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.url.startWith(\'https\')", message: m }\n',
    '2:56: there is no function `startWith`, did you mean `startsWith`?',
  ],
  'a function of something else': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "host(resource.http_timeout) == \'x\'", message: m }\n',
    '2:56: `host` does not take (int), it takes (string)',
  ],
  'a number compared with a text': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.http_timeout > \'60\'", message: m }\n',
    '2:56: there is no operator for `int > string`',
  ],
  'secrets compared': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.secrets.all(s, s.value == s.value)", message: m }\n',
    '2:80: there is no operator for `Secret == Secret`; a secret can be asked with isSet, minLength, sealedEqual …',
  ],
  'an assertion that is not a condition': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.http_timeout, message: m }\n',
    '2:55: the expression gives `int`, expected true or false',
  ],
  'an expression that ends early': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.http_timeout >, message: m }\n',
    '2:78: the expression ends too early',
  ],
  'one equals sign': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: resource.status = 1, message: m }\n',
    '2:71: unexpected character: =; equal is ==',
  ],
  'a text that does not end': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.status == \'active", message: m }\n',
    '2:75: unterminated string',
  ],
  matches: [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "resource.name.matches(\'a\')", message: m }\n',
    '2:56: `matches` is not offered: it can take exponential time; write re(text, pattern)',
  ],
  has: [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: has(resource.url), message: m }\n',
    "2:55: `has` is not offered: no field is ever missing; compare it with what is empty, or write 'key' in …",
  ],
  'a bind': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "cel.bind(a, 1, a == 1)", message: m }\n',
    '2:56: `cel.bind` is not offered',
  ],
  'a pattern that is put together': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "re(resource.name, resource.url)", message: m }\n',
    '2:74: the pattern of `re` must be written out, so that it can be checked',
  ],
  'a pattern of RE2 that is none': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "re(resource.name, \'(?=a)\')", message: m }\n',
    '2:74: not a regular expression of RE2: invalid or unsupported Perl syntax: `(?=`',
  ],
  'macros nested three deep': [
    'custom:\n  - { id: a/b, kind: endpoint, severity: low, assert: "[1].exists(a, [1].exists(b, [1].exists(c, a == b && b == c)))", message: m }\n',
    '2:84: macros such as `exists` are nested more than 2 deep, the limit',
  ],
  'a mistake in when': [
    'custom:\n  - { id: a/b, kind: endpoint, when: resource.urll == "", assert: "true", severity: low, message: m }\n',
    '2:47: there is no field `urll` of endpoint, did you mean `url`?',
  ],
  'a message with an unknown field': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: "owner {resource.ownr_id} is none"\n',
    '6:31: there is no field `ownr_id` of endpoint, did you mean `owner_id`?',
  ],
  'a message with an open brace': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: "owner {resource.owner_id is none"\n',
    '6:21: an unmatched brace; write {{ or }} for a literal one',
  ],
  'a message with a secret': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: "{resource.secrets[0].value}"\n',
    '6:16: the expression gives a secret, expected a text, a number, true or false, or a list of texts',
  ],
  'a message with an age': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: "{age(resource.created_at) > days(3)}"\n',
    '6:16: `age` changes with time: a message must say the same as long as nothing changes',
  ],
  'a message with a counter': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: "{resource.failure_count} failures"\n',
    '6:16: `failure_count` changes by itself: a message must say the same as long as nothing changes',
  ],
  'a message with a counter in brackets': [
    `custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: 'true'\n    message: "{resource['failure_count']} failures"\n`,
    '6:16: `failure_count` changes by itself: a message must say the same as long as nothing changes',
  ],
  'a message with a field that is worked out': [
    `custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: 'true'\n    message: "{resource[resource.name]}"\n`,
    '6:16: in a message, fields are named and not worked out',
  ],
  'an empty message': [
    'custom:\n  - id: a/b\n    kind: endpoint\n    severity: low\n    assert: \'true\'\n    message: ""\n',
    '6:14: message is "", expected text that is not empty',
  ],
  'a test without a name': [
    'tests:\n  - { resources: [{ kind: endpoint }], expect: [] }\n',
    '2:5: name is missing, expected text that is not empty',
  ],
  'a test about an unknown kind': [
    'tests:\n  - { name: n, resources: [{ kind: endpiont }], expect: [] }\n',
    '2:36: kind is "endpiont", expected `project`, `endpoint`, `subscription`, `source` or `event_type`; did you mean `endpoint`?',
  ],
  'a test that expects a severity that is none': [
    'tests:\n  - { name: n, resources: [{ kind: endpoint }], expect: [{ rule: a/b, severity: bad }] }\n',
    '2:81: severity is "bad", expected `critical`, `high`, `medium`, `low` or `info`',
  ],
  'waivers of rules that are none, with other faults': [
    'waivers:\n  - { rule: endpoint/inactiv, match: { uid: x }, owner: o, reason: r, expires: soon }\n  - { rule: "endpint/*", match: { nme: x }, owner: o, reason: r, expires: 2026-11-30 }\n  - { rule: waiver/unused, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, tickt: 4711 }\n  - { rule: violation/overdue, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, path: /status }\n  - { rule: zzzzzzz, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, value: 1 }\n',
    '2:80: expires is "soon", expected a date such as 2027-03-31, or a time with its zone such as 2027-03-31T18:00:00+02:00',
    '3:35: `nme` is unknown, did you mean `name`?',
    '4:13: what is said of waivers is not waived: renew or remove the waiver, or switch the rule off',
    '4:89: `tickt` is unknown, did you mean `ticket`?',
    '5:13: what is overdue is not waived: waive the violations themselves, or change `due`',
    '5:93: `path` needs a `value`: the one that is accepted there',
    '6:13: there is no rule `zzzzzzz`, `hookdrift rules` lists them',
    '6:83: `value` needs a `path`: where it is accepted',
  ],
  'a waiver whose path is faulty': [
    'waivers:\n  - { rule: endpoint/inactive, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, path: status, value: inactive }\n',
    '2:99: path is "status", expected a path as reports show it, such as /http_timeout',
  ],
  'a waiver of a secret': [
    'waivers:\n  - { rule: endpoint/inactive, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, path: /authentication/api_key/header_value, value: not-a-real-key }\n',
    '2:144: name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret',
  ],
  'a waiver of a secret without a value': [
    'waivers:\n  - { rule: endpoint/inactive, match: { uid: x }, owner: o, reason: r, expires: 2026-11-30, path: /authentication/api_key/header_value }\n',
    '2:5: name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret',
    '2:93: `path` needs a `value`: the one that is accepted there',
  ],
}
