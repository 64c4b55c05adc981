// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration

/** Configurations with a mistake: the text, and what is said of it as `line:column: text`. */
export const wrongConfigurations: Readonly<Record<string, readonly [text: string, ...says: string[]]>> = {
  'a member with a blank too few': [
    'services:\n  - name: acme\n   url: https://a.example\n    key: ${ACME_KEY}\n    projects:\n      - id: p1\n',
    '3:4: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  ],
  'a member with a blank too many': [
    'services:\n  - name: acme\n     url: https://a.example\n    key: ${ACME_KEY}\n    projects: [{ id: p1 }]\n',
    '3:6: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  ],
  'an entry of a list with a blank too few': [
    'schedules:\n  - name: a\n    cron: "0 * * * *"\n - name: b\n    cron: "0 * * * *"\nhistory: x\n',
    '4:2: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  ],
  'two wrong indentations, and other mistakes of syntax between and after them': [
    'history: a\n policy: b\nlog: @x\nservices:\n  - name: acme\n     url: https://a.example\n    key: "a\\q"\nui_url: x: y\n',
    '2:2: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
    '3:6: a value that begins with @, ` or % needs quotes',
    '6:6: wrong indentation, expected the members of a mapping or list in one column and brackets closed',
    '7:12: unknown escape sequence in a text in double quotes; write \\\\ for a backslash or use single quotes',
    '8:9: a second colon in one line; a text with a colon and a space in it needs quotes',
  ],
  'two services of a name': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n  - { name: acme, url: "https://b.example", key: "${ACME_KEY}", projects: [{ id: a }] }\n',
    '6:13: a second service named acme, the first is in line 2',
  ],
  'a service with the name of the policy': [
    'services:\n  - name: hookdrift\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: policy }]\n',
    '2:11: hookdrift is the name under which reports show the policy: choose another one',
  ],
  'secrets in texts that reports show': [
    'company: Acme AKIAABCDEFGHIJKLMNOP\nui_url: https://ui.example/{uid}?token=ghp_0123456789abcdefghijABCDEFGHIJ012345\nreport_url: https://r.example/{run}?key=AKIAABCDEFGHIJKLMNOP\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, labels: { doc: "https://bot:not-a-real-key@wiki.example" } }]\n',
    '1:10: a secret is in this text, which reports show: leave it out',
    '2:9: a secret is in this text, which reports show: leave it out',
    '3:13: a secret is in this text, which reports show: leave it out',
    '8:41: a secret is in this text, which reports show: leave it out',
  ],
  'three services of a name, of which the first has another fault': [
    'services:\n  - { name: acme, url: "https://a.example", key: k, nam: x, projects: [{ id: a }] }\n  - { name: acme, url: "https://b.example", key: k, projects: [{ id: a }] }\n  - { name: acme, url: "https://c.example", key: k, projects: [{ id: a }] }\n',
    '2:53: `nam` is unknown, did you mean `name`?',
    '3:13: a second service named acme, the first is in line 2',
    '4:13: a second service named acme, the first is in line 2',
  ],
  'a URL with the path of the API': [
    'services:\n  - name: acme\n    url: https://hooks.example.com/gate/api/v1/projects\n    key: ${ACME_KEY}\n    projects: [{ id: p1 }]\n',
    '3:10: leave /api/v1 out of the URL, it is appended: https://hooks.example.com/gate',
  ],
  'a URL with the path of the dialect': [
    'services:\n  - name: acme\n    url: https://hooks.example.com/v2\n    dialect: { path_prefix: /v2 }\n    key: ${ACME_KEY}\n    projects: [{ id: p1 }]\n',
    '3:10: leave /v2 out of the URL, it is appended: https://hooks.example.com',
  ],
  'a key in quotes, of a service and of a project': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${QUOTED}\n    projects: [{ id: p1, key: "\'not-a-real-key\'" }, { id: p2, key: "${ACME_KEY}" }]\n',
    '4:10: the key has quotes around it in ${QUOTED}: they would be sent, remove them',
    '5:31: the key has quotes around it: they would be sent, remove them',
  ],
  'a header twice, and the one of the key': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n    dialect:\n      key_header: X-Key\n      headers: { x-a: a, X-A: b, x-key: c }\n',
    '8:26: the header X-A is sent twice; names ignore case, and X-Key carries the key',
    '8:34: the header x-key is sent twice; names ignore case, and X-Key carries the key',
  ],
  'two projects of an id': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects:\n      - { id: p1, name: a }\n      - { id: p1, name: b }\n      - { id: p1, name: c }\n',
    '7:15: a second project with the id p1, the first is in line 6',
    '8:15: a second project with the id p1, the first is in line 6',
  ],
  'two projects of a name': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects:\n      - { id: p1, name: a }\n      - { id: p2, name: a }\n      - { id: a }\n',
    '7:25: a second project named a, the first is in line 6',
    '8:15: a second project named a, the first is in line 6',
  ],
  'two projects of an id behind a faulty one': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects:\n      - { id: a/b }\n      - { id: p1 }\n      - { id: p1 }\n',
    '6:15: id is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
    '8:15: a second project with the id p1, the first is in line 7',
  ],
  'a project without a key': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    projects:\n      - { id: p1, key: "${ACME_KEY}" }\n      - { id: p2 }\n',
    '6:9: no key: neither the project nor its service has one; use ${VAR} or ${file:PATH}',
  ],
  'a project whose key is faulty': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    projects:\n      - { id: p1, key: "${ACME_KEY}" }\n      - { id: p2, key: [] }\n',
    '6:24: key is an empty list, expected visible ASCII characters without spaces or line breaks, at most 4096',
  ],
  'a project under two services': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n  - { name: other, url: "https://HOOKS.example.com:443/", key: "${ACME_KEY}", projects: [{ id: p0 }, { id: p2 }] }\n',
    '6:108: the project p2 of this URL is configured already, in /etc/hookdrift/hookdrift.yaml:5:50: audit it under one name',
  ],
  'a list without a key': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    projects: [{ id: p1, key: "${ACME_KEY}" }, { match: "pay*" }]\n',
    '4:15: the service has no key to list its projects with; use ${VAR} or ${file:PATH}',
  ],
  'a list without an organisation': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: all\n',
    '2:5: organisation is missing, the id of the organisation whose projects are listed; or name one of them',
  ],
  'a list of patterns without an organisation': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ match: "pay*" }]\n',
    '2:5: organisation is missing, the id of the organisation whose projects are listed; or name one of them',
  ],
  'a list without an organisation, whose projects are not read': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    listings: { project: "off" }\n    projects: [{ id: p1 }, { match: "pay*" }]\n',
    '2:5: organisation is missing: the projects are not read, so none shows it',
  ],
  'a list whose organisation is faulty': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    organisation: a/b\n    projects: all\n',
    '5:19: organisation is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
  ],
  'two entries of a pattern': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects:\n      - { id: p1 }\n      - { match: "pay*" }\n      - { match: "pay*" }\n',
    '8:18: a second entry for pay*, the first is in line 7',
  ],
  'two channels of a name': [
    'notify:\n  - { name: a, type: log }\n  - { name: a, type: log }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '3:13: a second channel named a, the first is in line 2',
  ],
  'a channel for no project': [
    'notify:\n  - { name: a, type: log, projects: [payments, nothing, acme/nowhere] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:48: `nothing` matches no project',
    '2:57: `acme/nowhere` matches no project',
  ],
  'a channel for no label': [
    'notify:\n  - { name: a, type: log, labels: { env: dev, team: x } }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:42: no project has the label `env` with "dev"',
    '2:53: no project has the label `team` with "x"',
  ],
  'a channel for a project that may be faulty': [
    'notify:\n  - { name: a, type: log, projects: [nothing], labels: { env: dev } }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1 }, { id: a/b, labels: { env: dev } }]\n',
    '7:34: id is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
  ],
  'a user of a mail server without a password': [
    'notify:\n  - { name: a, type: email, smtp: "smtp://h.example", user: u, from: a@example.com, to: [b@example.com] }\n  - { name: b, type: email, smtp: "smtp://u@h.example", from: a@example.com, to: [b@example.com] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:35: a user without a password',
    '3:35: a user without a password',
  ],
  'a password of a mail server without a user': [
    'notify:\n  - { name: a, type: email, smtp: "smtp://h.example", password: "${ACME_KEY}", from: a@example.com, to: [b@example.com] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:35: a password without a user',
  ],
  'two schedules of a name': [
    'schedules:\n  - { name: a, cron: "0 * * * *" }\n  - { name: a, cron: "0 * * * *" }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '3:13: a second schedule named a, the first is in line 2',
  ],
  'schedules that cannot be kept': [
    'schedules:\n  - { name: a, cron: "61 * * * *" }\n  - { name: b, cron: "0 * * * *", timezone: Europe/Nowhere }\n  - { name: c, cron: "* * * * *", jitter: 2h }\n  - { name: d, cron: "0 0 30 2 *" }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:22: "61 * * * *" is not a valid schedule: Invalid value for minute: 61',
    '3:45: there is no time zone `Europe/Nowhere`, expected one such as Europe/Berlin',
    '4:43: a jitter of 7200 s, but two ticks are 60 s apart: expected less',
    '5:22: "0 0 30 2 *" is not a valid schedule: it never fires',
  ],
  'a schedule for no project': [
    'schedules:\n  - { name: a, cron: "0 * * * *", projects: [payments, nothing] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:56: `nothing` matches none of acme/payments, acme/p2',
  ],
  'a schedule for none of many projects': [
    'schedules:\n  - { name: a, cron: "0 * * * *", projects: [nothing] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects:\n      - { id: q0 }\n      - { id: q1 }\n      - { id: q2 }\n      - { id: q3 }\n      - { id: q4 }\n      - { id: q5 }\n      - { id: q6 }\n      - { id: q7 }\n      - { id: q8 }\n      - { id: q9 }\n      - { id: q10 }\n      - { id: q11 }\n',
    '2:46: `nothing` matches none of acme/q0, acme/q1, acme/q2, acme/q3, acme/q4, acme/q5, acme/q6, acme/q7, acme/q8, acme/q9 and 2 more',
  ],
  'a schedule for a project that may be faulty': [
    'schedules:\n  - { name: a, cron: "0 * * * *", projects: [nothing] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: a/b }]\n',
    '7:32: name is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
  ],
  'two tokens of a name, and equal ones': [
    'serve:\n  token: ${TOKEN}\n  tokens:\n    - { name: a, token: "${OTHER_TOKEN}" }\n    - { name: a, token: "${TOKEN}" }\n    - { name: b, token: "${OTHER_TOKEN}" }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '5:15: a second token named a, the first is in line 4',
    '5:25: the same token as in line 2: it would not say who reads',
    '6:25: the same token as in line 4: it would not say who reads',
  ],
  'a token for no project': [
    'serve:\n  tokens: [{ name: a, token: "${TOKEN}", projects: [payments, nothing] }]\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:63: `nothing` matches none of acme/payments, acme/p2',
  ],
  'pages for everyone': [
    'serve: { listen: "0.0.0.0:80" }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:18: the pages would be open to everyone who reaches 0.0.0.0: add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1',
  ],
  'pages whose token is faulty': [
    'serve: { listen: "0.0.0.0:80", token: short }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:39: token has a value that does not fit (not shown), expected 20 to 200 visible ASCII characters without spaces or line breaks',
  ],
  'pages of a worker for everyone': [
    'worker: { listen: "[::]:80", pages: true }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:19: the pages would be open to everyone who reaches ::: add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1',
  ],
  'pages of a worker whose readers are faulty': [
    'worker: { listen: "[::]:80", pages: true }\nserve: { token: short }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '2:17: token has a value that does not fit (not shown), expected 20 to 200 visible ASCII characters without spaces or line breaks',
  ],
  'pages of a worker without an address': [
    'worker: { pages: true }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:18: only with `listen`: they need an address',
  ],
  'members of a shared worker': [
    'worker: { slots: 4, services: [acme, other] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:18: only for a worker with `shared: true`',
    '1:31: only for a worker with `shared: true`',
    '1:38: `other` is none of acme',
  ],
  'a worker for no service': [
    'worker: { shared: true, services: [acme, other] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:42: `other` is none of acme',
  ],
  'a worker for a service that may be faulty': [
    'worker: { shared: true, services: [other] }\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n  - { name: a/b, url: "https://b.example", key: "${ACME_KEY}", projects: [{ id: a }] }\n',
    '7:13: name is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
  ],
  'a history with a password': [
    'history: postgres://me:not-a-real-key@db/h\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:10: the file contains the password of the history: use ${VAR} or ${file:PATH} in its place, PGPASSWORD or a password file',
  ],
  'a history with an unknown parameter': [
    'history: postgres://db/h?ssl=yes\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:10: the URL of the history (postgres://…) has the parameter "ssl": use sslmode, sslrootcert, schema, host only',
  ],
  'a history that is not a URL': [
    'history: "postgres://db:port/h"\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n',
    '1:10: the URL of the history (postgres://…) is not a URL: write `:`, `/`, `?`, `#`, `@` and `%` of a password as `%3A`, `%2F` and so on',
  ],
  'unknown placeholders': [
    'report_url: https://r.example/{runn}/{run}\nui_url: "https://u.example/\\x61/{uidd}"\nservices:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n    ui_url: >-\n      https://s.example/{zzz}\n',
    '1:31: there is no placeholder `runn` here, did you mean run?',
    '2:33: there is no placeholder `uidd` here, did you mean uid?',
    '9:25: there is no placeholder `zzz` here, expected one of service, project, project_id, kind, listing, uid',
  ],
  'authorities that cannot be read': [
    'services:\n  - name: acme\n    url: https://hooks.example.com\n    key: ${ACME_KEY}\n    projects: [{ id: p1, name: payments }, { id: p2, labels: { env: prod } }]\n    ca_file: none.pem\n  - { name: b, url: "https://b.example", key: "${ACME_KEY}", ca_file: key.pem, projects: [{ id: a }] }\n',
    '6:14: cannot read none.pem: no such file or directory',
    '7:71: key.pem does not contain a certificate, expected one or more in PEM form',
  ],
  'variables that are not set': [
    'history: ${NO_HISTORY}\nseal_key: ${NO_SEAL}\nnotify:\n  - { name: a, type: slack, url: "${NO_URL}" }\nserve: { token: "${NO_TOKEN}" }\nservices:\n  - name: ${NO_NAME}\n    url: ${NO_GATE}\n    key: ${NO_KEY}\n    projects: [{ id: p1, key: "${file:no-key}" }]\n',
    '1:10: the environment variable NO_HISTORY is not set',
    '2:11: the environment variable NO_SEAL is not set',
    '4:34: the environment variable NO_URL is not set',
    '5:17: the environment variable NO_TOKEN is not set',
    '7:11: the environment variable NO_NAME is not set',
    '8:10: the environment variable NO_GATE is not set',
    '9:10: the environment variable NO_KEY is not set',
    '10:31: cannot read no-key: no such file or directory',
  ],
  'variables that are empty': [
    'seal_key: ${EMPTY}\nnotify:\n  - { name: a, type: slack, url: "${EMPTY}" }\nserve: { token: "${EMPTY}" }\nservices:\n  - name: a\n    url: ${EMPTY}\n    key: ${EMPTY}\n    projects: [{ id: p1, key: "${EMPTY}" }]\n',
    '1:11: seal_key is empty once `${EMPTY}` is filled in, expected 32 to 4096 visible ASCII characters without spaces or line breaks',
    '3:34: url is empty once `${EMPTY}` is filled in, expected an http or https URL without user, password or fragment',
    '4:17: token is empty once `${EMPTY}` is filled in, expected 20 to 200 visible ASCII characters without spaces or line breaks',
    '7:10: url is empty once `${EMPTY}` is filled in, expected an http or https URL without user, password, query or fragment',
    '8:10: key is empty once `${EMPTY}` is filled in, expected visible ASCII characters without spaces or line breaks, at most 4096',
    '9:31: key is empty once `${EMPTY}` is filled in, expected visible ASCII characters without spaces or line breaks, at most 4096',
  ],
  'faults of the shape, of values and between them': [
    'history: postgres://db/h?ssl=yes\nreport_url: https://r.example/{runn}\nconcurrency: 0\nworker: { slots: 4, pages: true }\nserve: { listen: "0.0.0.0:80", tokens: [{ name: a, token: "${TOKEN}" }, { name: a, token: "${TOKEN}", projects: [nothing] }] }\nnotify:\n  - { name: a, type: log, min_severity: bad, projects: [nothing] }\n  - { name: a, type: log }\nschedules:\n  - { name: s, cron: "61 * * * *", jitter: soon, projects: [nothing] }\nservices:\n  - name: acme\n    url: https://hooks.example.com/api/v1\n    key: "${QUOTED}"\n    page_size: 0\n    dialect: { headers: { authorization: x } }\n    projects:\n      - { id: p1 }\n      - { id: p1, labels: { env: 1 } }\n  - name: acme\n    url: https://hooks.example.com/api/v1\n    key: k\n    ca_file: none.pem\n    projects: [{ id: p1 }, { match: a }, { match: a }]\n',
    '1:10: the URL of the history (postgres://…) has the parameter "ssl": use sslmode, sslrootcert, schema, host only',
    '2:31: there is no placeholder `runn` here, did you mean run?',
    '3:14: concurrency is 0, expected a whole number from 1 to 64',
    '4:18: only for a worker with `shared: true`',
    '4:28: only with `listen`: they need an address',
    '5:81: a second token named a, the first is in line 5',
    '5:91: the same token as in line 5: it would not say who reads',
    '7:41: min_severity is "bad", expected `critical`, `high`, `medium`, `low` or `info`',
    '8:13: a second channel named a, the first is in line 7',
    '10:22: "61 * * * *" is not a valid schedule: Invalid value for minute: 61',
    '10:44: jitter is "soon", expected a duration such as `5s`, from 0s to 24h (units ms, s, m, h)',
    '13:10: leave /api/v1 out of the URL, it is appended: https://hooks.example.com',
    '14:10: the key has quotes around it in ${QUOTED}: they would be sent, remove them',
    '15:16: page_size is 0, expected a whole number from 1 to 100000',
    '16:27: the header authorization is sent twice; names ignore case, and Authorization carries the key',
    '19:15: a second project with the id p1, the first is in line 18',
    '19:34: env is 1, expected text without line breaks, at most 200 characters (in quotes)',
    '20:11: a second service named acme, the first is in line 12',
    '21:10: leave /api/v1 out of the URL, it is appended: https://hooks.example.com',
    '23:14: cannot read none.pem: no such file or directory',
    '24:22: the project p1 of this URL is configured already, in /etc/hookdrift/hookdrift.yaml:18:15: audit it under one name',
    '24:51: a second entry for a, the first is in line 24',
  ],
}
