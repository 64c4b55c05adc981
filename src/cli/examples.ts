/** What the help of a command ends with. */
interface Examples {
  /** Command lines without the name of the program, and what each does. */
  readonly lines: readonly (readonly [line: string, what: string])[]
  /** Pages that `hookdrift docs` shows. */
  readonly docs: readonly string[]
}

/** By the words of each command. */
export const examples: Readonly<Record<string, Examples>> = {
  init: {
    lines: [
      ['init', 'asks for URL, key and projects, scans once, and writes the files'],
      [
        'init --yes --url https://hooks.example.com --key-from-env ACME_KEY --organisation ID --projects all',
        'without questions',
      ],
    ],
    docs: ['connect-a-service', 'install'],
  },
  doctor: {
    lines: [
      ['doctor', 'checks files, history, keys, services, channels and schedules'],
      ['doctor -f json', 'for a script; exit 2: here, 3: a service'],
    ],
    docs: ['find-out-what-is-wrong'],
  },
  demo: {
    lines: [
      ['demo', 'audits twice, and leaves nothing behind'],
      ['demo --keep ./demo', 'keeps configuration, policy and history, to try other commands with'],
      ['demo --serve 8080', 'serves the simulated gateway, and prints a configuration for it'],
    ],
    docs: ['tutorial'],
  },
  'config check': {
    lines: [
      ['config check', 'checks ./hookdrift.yaml, its policy and the policy tests'],
      ['config check -c staging.yaml -f json', 'the same of another file, for a script'],
    ],
    docs: ['configuration', 'errors'],
  },
  'config show': {
    lines: [
      ['config show', 'shows each value and where it comes from'],
      ['config show -f yaml', 'as a configuration with every default'],
    ],
    docs: ['configuration'],
  },
  'config schema': {
    lines: [
      ['config schema > hookdrift.schema.json', 'for an editor'],
      ['config schema --policy > policy.schema.json', 'the schema of a policy'],
    ],
    docs: ['configuration', 'policy-fields'],
  },
  docs: {
    lines: [
      ['docs', 'lists the pages'],
      ['docs run-in-ci', 'shows a page'],
      ['docs errors#401', 'shows a section of a page'],
    ],
    docs: [],
  },
  completion: {
    lines: [
      ['completion bash > ~/.local/share/bash-completion/completions/hookdrift', 'for bash'],
      ['completion zsh > "$fpath[1]/_hookdrift"', 'for zsh'],
      ['completion fish > ~/.config/fish/completions/hookdrift.fish', 'for fish'],
    ],
    docs: ['install#completion'],
  },
  version: { lines: [['version', 'prints the version alone']], docs: [] },
  audit: {
    lines: [
      ['audit', 'audits every project of ./hookdrift.yaml'],
      ['audit -p "acme/*" --fail-on high', 'some projects; only high and critical violations fail it'],
      ['audit -q --report sarif=drift.sarif --report html=drift.html', 'for CI: two files and one line'],
      ['audit --url https://hooks.example.com', 'without a file; the key is in HOOKDRIFT_KEY'],
    ],
    docs: ['connect-a-service', 'run-in-ci', 'errors'],
  },
  worker: {
    lines: [
      ['worker', 'audits on the schedules of ./hookdrift.yaml'],
      ['worker --next 3', 'prints the next three times of each schedule'],
    ],
    docs: ['run-on-a-schedule'],
  },
  probe: {
    lines: [
      ['probe', 'every probe of the policy'],
      ['probe orders-body', 'one of them'],
      ['probe orders-body --function draft.js', 'one of them, with a new text'],
      ['probe --source 01M2T1DQZ9G1WK3R3HA7HW467P --payload order.json', 'the functions of a source'],
      ['probe --function draft.js --payload order.json -p acme/payments', 'a new function, in one project'],
    ],
    docs: ['test-functions'],
  },
  serve: {
    lines: [
      ['serve', 'shows the history at http://127.0.0.1:9465/'],
      ['serve --history ./audit.db --listen 8000', 'a history without a configuration, at another port'],
    ],
    docs: ['read-in-a-browser'],
  },
  mcp: {
    lines: [
      ['mcp --history /srv/hookdrift/hookdrift.db', 'what the configuration of an assistant starts'],
      ['mcp -c /srv/hookdrift/hookdrift.yaml', 'the same, with what the configuration says of stale scans'],
    ],
    docs: ['ask-with-an-assistant'],
  },
  status: {
    lines: [
      ['status', 'when each project was scanned last'],
      ['status --max-age 2h', 'exit 1 when a scan is older, for a monitor'],
    ],
    docs: ['errors#stale', 'worker'],
  },
  coverage: {
    lines: [
      ['coverage --incomplete', 'what could not be read, and why'],
      ['coverage -p acme/payments', 'each listing of a project'],
    ],
    docs: ['coverage'],
  },
  violations: {
    lines: [
      ['violations --severity high', 'high and critical ones'],
      ['violations --open --sort age --older-than 30d', 'open for a month and more, the oldest first'],
      ['violations --rule "drift/*" -p acme/payments -f csv', 'drift of one project, for a spreadsheet'],
    ],
    docs: ['coverage', 'set-due-dates'],
  },
  causes: {
    lines: [
      ['causes', 'as of the last run'],
      ['causes --run 12 -p "acme/*"', 'what run 12 found and what was open then, in some projects'],
    ],
    docs: ['drift'],
  },
  report: {
    lines: [
      ['report', 'of the last run'],
      ['report --run latest~1 -f html -o report.html', 'of the run before it, as a page'],
      ['report --framework soc2 --from 90d', 'by control, of the last 90 days'],
    ],
    docs: ['publish-reports', 'report-by-control'],
  },
  timeline: {
    lines: [
      ['timeline 01M2T1DQZ9G1WK3R3HA7HW467P', 'the history of a resource'],
      ['timeline checkout-eu --kind endpoint', 'by its name'],
    ],
    docs: ['ask-the-history'],
  },
  diff: {
    lines: [
      ['diff latest~1', 'what the last run changed'],
      ['diff yesterday latest -p acme/payments', 'between two times, in one project'],
    ],
    docs: ['ask-the-history'],
  },
  compare: {
    lines: [
      ['compare stage/orders prod/orders', 'what differs between staging and production'],
      ['compare stage/orders prod/orders --map "*.stage.example=*.example"', 'hosts that mean each other'],
    ],
    docs: ['compare-staging-with-production'],
  },
  state: {
    lines: [
      ['state --kind endpoint', 'the endpoints, as of the last run'],
      ['state --at 2026-11-21 -f json', 'all resources, as of a day'],
    ],
    docs: ['ask-the-history'],
  },
  trend: {
    lines: [
      ['trend', 'of the last 90 days'],
      ['trend --since 365d -p acme/payments -f csv', 'a row for each day of a year, of one project'],
    ],
    docs: ['set-due-dates'],
  },
  runs: { lines: [['runs -n 5', 'the last five runs']], docs: ['ask-the-history'] },
  query: {
    lines: [
      ['query --views', 'explains what there is to query'],
      [`query "SELECT name, owner FROM current_resource WHERE kind = 'endpoint'"`, 'the endpoints with their owners'],
    ],
    docs: ['views', 'ask-the-history'],
  },
  restore: {
    lines: [
      ['restore 01M2T1DQZ9G1WK3R3HA7HW467P', 'the requests that put a resource back'],
      ['restore checkout-eu --run latest~3', 'as it was in a run'],
      ['restore --cause 17-3fa9c1d2', 'all that a cause changed, in every resource'],
    ],
    docs: ['restore-a-resource'],
  },
  rules: {
    lines: [
      ['rules --pack recommended', 'the rules that apply without a policy'],
      ['rules endpoint/secret-shared', 'what a rule finds, why, and how to fix it'],
    ],
    docs: ['rules'],
  },
  'policy check': {
    lines: [
      ['policy check', 'the policy of ./hookdrift.yaml'],
      ['policy check draft.yaml', 'another file'],
    ],
    docs: ['write-a-policy', 'policy-fields'],
  },
  'policy test': {
    lines: [['policy test --policy policy.yaml', 'the tests of a policy, without a configuration']],
    docs: ['write-a-policy', 'policy'],
  },
  'policy explain': {
    lines: [
      ['policy explain checkout-eu', 'every rule for this endpoint'],
      ['policy explain checkout-eu endpoint/timeout-high', 'one rule, and which line of the policy decides'],
    ],
    docs: ['policy'],
  },
  'policy replay': {
    lines: [['policy replay --policy draft.yaml --since 90d', 'what a draft would have found']],
    docs: ['write-a-policy'],
  },
  'baseline approve': {
    lines: [
      ['baseline approve --note "release 12"', 'the state of the last run'],
      ['baseline approve --run 12 -p acme/payments', 'of one project, as of a run'],
      ['baseline approve --uid 01M3JXB54N1MWQ303D4HZ8HHX4', 'one resource; the rest stays approved as before'],
    ],
    docs: ['approve-a-baseline'],
  },
  'baseline show': { lines: [['baseline show --all', 'with former and revoked ones']], docs: ['approve-a-baseline'] },
  'baseline diff': { lines: [['baseline diff', 'what differs from the approved state']], docs: ['approve-a-baseline'] },
  'baseline revoke': {
    lines: [['baseline revoke -p acme/payments', 'the approval of one project']],
    docs: ['approve-a-baseline'],
  },
  'baseline export': { lines: [['baseline export states/', 'a file for each project']], docs: ['approve-a-baseline'] },
  'baseline import': {
    lines: [['baseline import states/ --note "reviewed"', 'approves the states of these files']],
    docs: ['approve-a-baseline'],
  },
  accept: {
    lines: [
      ['accept 3f9a1c2e --reason "OPS-12"', 'one violation, by the beginning of its fingerprint'],
      ['accept endpoint/timeout-high checkout-eu --reason "OPS-12"', 'the one of a rule at a resource'],
      ['accept --cause 17-3fa9c1d2 --reason "OPS-12"', 'all that follows from a cause'],
      ['accept --list', 'all acceptances'],
      ['accept --revoke 3f9a1c2e', 'the next run opens what it still finds'],
    ],
    docs: ['accept-violations'],
  },
  note: {
    lines: [
      ['note "deploy 4.2" --ref https://ci.example.com/deploys/42', 'what was done just now'],
      ['note "rotated the keys of acme" --at 2026-11-21T14:03:00Z --project "acme/*"', 'earlier, in some projects'],
      ['note --list', 'what was noted'],
    ],
    docs: ['record-what-happened'],
  },
  'waivers draft': {
    lines: [['waivers draft --owner platform --expires 2027-03-31 > waivers.yaml', 'to review and to extend']],
    docs: ['accept-violations'],
  },
  verify: {
    lines: [
      ['verify', 'the history of ./hookdrift.yaml'],
      ['verify --anchor 17:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'and that it is the one of an earlier verify'],
      ['verify --report r.html --attestation r.html.intoto.json --key audit.key.pub', 'a report that was signed'],
    ],
    docs: ['verify', 'keep-the-history'],
  },
  backup: { lines: [['backup /backup/hookdrift.db --force', 'replaces the last copy']], docs: ['keep-the-history'] },
  prune: {
    lines: [
      ['prune --keep-within 14d --keep-daily 90 --dry-run', 'only shows what would be removed'],
      ['prune --keep-within 14d --keep-daily 90', 'removes it'],
    ],
    docs: ['keep-the-history'],
  },
  'history copy': {
    lines: [
      ['history copy hookdrift.db postgres://db.example.com/audits', 'to a server; the file then refuses runs'],
      ['history copy postgres://db.example.com/audits hookdrift.db', 'back to a file'],
      ['history copy --snapshot hookdrift.db copy.db', 'next to runs; the original stays in use'],
    ],
    docs: ['keep-the-history'],
  },
  'history upgrade': {
    lines: [
      ['history upgrade', 'to the schema of this hookdrift'],
      ['history upgrade --history postgres://db.example.com/audits --yes', 'on a server, after a dump'],
    ],
    docs: ['keep-the-history'],
  },
  keygen: { lines: [['keygen audit.key', 'writes audit.key and audit.key.pub']], docs: ['publish-reports'] },
  notify: {
    lines: [
      ['notify', 'attempts every pending message now'],
      ['notify --test', 'tests every channel'],
      ['notify --pending', 'shows pending and given-up messages; needs no secrets'],
    ],
    docs: ['send-notifications'],
  },
}
