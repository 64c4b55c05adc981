/** What the help of a command ends with. */
interface Examples {
  /** Command lines without the name of the program, and what each does. */
  readonly lines: readonly (readonly [line: string, what: string])[]
  /** Pages that `hookdrift docs` shows. */
  readonly docs: readonly string[]
  /** Which of several commands with a similar purpose to take, a line each. */
  readonly choice?: readonly (readonly [command: string, purpose: string])[]
}

const comparisons = [
  ['diff', 'two runs of the same projects: what changed in between'],
  ['compare', 'two projects with each other, such as staging and production'],
  ['baseline diff', 'a run with the state that a person approved'],
  ['timeline', 'one resource with itself, over all runs'],
] as const

/** By the words of each command. */
export const examples: Readonly<Record<string, Examples>> = {
  init: {
    lines: [
      ['init', 'asks for URL, key and projects, scans once and writes the files'],
      [
        'init --yes --url https://hooks.example.com --key-from-env ACME_KEY --organisation ID --projects all',
        'asks nothing',
      ],
    ],
    docs: ['connect-a-service', 'install'],
  },
  doctor: {
    lines: [
      ['doctor', 'checks files, history, keys, services, channels and schedules'],
      ['doctor -f json', 'the same for a script'],
    ],
    docs: ['find-out-what-is-wrong'],
  },
  demo: {
    lines: [
      ['demo', 'audits twice, and leaves nothing behind'],
      ['demo --keep ./demo', 'keeps configuration, policy and history, to try other commands on them'],
      ['demo --serve 8080', 'serves the simulated gateway, and prints a configuration for it'],
    ],
    docs: ['tutorial'],
  },
  config: {
    lines: [
      ['config check', 'checks ./hookdrift.yaml, its policy and the policy tests'],
      ['config show', 'shows each value and where it comes from'],
    ],
    docs: ['configuration'],
  },
  'config check': {
    lines: [
      ['config check', 'checks ./hookdrift.yaml, its policy and the policy tests'],
      ['config check -c staging.yaml -f json', 'checks another file, for a script'],
    ],
    docs: ['configuration', 'errors'],
  },
  'config show': {
    lines: [
      ['config show', 'shows each value and where it comes from'],
      ['config show -f yaml', 'prints a configuration with every default'],
    ],
    docs: ['configuration'],
  },
  'config schema': {
    lines: [
      ['config schema > hookdrift.schema.json', 'writes the schema for an editor'],
      ['config schema --policy > policy.schema.json', 'writes the schema of a policy'],
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
      ['completion bash > ~/.local/share/bash-completion/completions/hookdrift', 'installs it for bash'],
      ['completion zsh > "$fpath[1]/_hookdrift"', 'installs it for zsh'],
      ['completion fish > ~/.config/fish/completions/hookdrift.fish', 'installs it for fish'],
    ],
    docs: ['install#completion'],
  },
  audit: {
    lines: [
      ['audit', 'audits every project of ./hookdrift.yaml'],
      ['audit -p "acme/*" --fail-on high', 'audits some projects; only high and critical violations fail it'],
      ['audit -q --report sarif=drift.sarif --report html=drift.html', 'for CI: writes two files, prints one line'],
      ['audit --url https://hooks.example.com', 'needs no file; the key is in HOOKDRIFT_KEY'],
    ],
    docs: ['connect-a-service', 'run-in-ci', 'errors'],
  },
  worker: {
    lines: [
      ['worker', 'runs audits on the schedules of ./hookdrift.yaml'],
      ['worker --next 3', 'prints the next three times of each schedule'],
    ],
    docs: ['run-on-a-schedule'],
  },
  probe: {
    lines: [
      ['probe', 'runs every probe of the policy'],
      ['probe orders-body', 'runs one of them'],
      ['probe orders-body --function draft.js', 'runs new code with its payload'],
      ['probe --source 01M2T1DQZ9G1WK3R3HA7HW467P --payload order.json', 'runs the functions of a source'],
      ['probe --function draft.js --payload order.json -p acme/payments', 'runs new code, in one project'],
    ],
    docs: ['test-functions'],
  },
  serve: {
    lines: [
      ['serve', 'shows the history at http://127.0.0.1:9465/'],
      ['serve --history ./audit.db --listen 8000', 'needs no configuration; uses another port'],
    ],
    docs: ['read-in-a-browser'],
  },
  mcp: {
    lines: [
      ['mcp --history /srv/hookdrift/hookdrift.db', 'the command to configure in an assistant'],
      ['mcp -c /srv/hookdrift/hookdrift.yaml', 'the same; schedules then decide which scans are stale'],
    ],
    docs: ['ask-with-an-assistant'],
  },
  status: {
    lines: [
      ['status', 'shows when each project was last scanned'],
      ['status --max-age 2h', 'for a monitor: exits with 1 when a scan is older'],
    ],
    docs: ['errors#stale', 'worker'],
  },
  coverage: {
    lines: [
      ['coverage --incomplete', 'shows what could not be read, and why'],
      ['coverage -p acme/payments', 'shows each listing of a project'],
    ],
    docs: ['coverage'],
  },
  violations: {
    lines: [
      ['violations --severity high', 'lists high and critical ones'],
      ['violations --open --sort age --older-than 30d', 'lists those open for over a month, oldest first'],
      ['violations --rule "drift/*" -p acme/payments -f csv', 'drift of one project, for a spreadsheet'],
    ],
    docs: ['coverage', 'set-due-dates'],
  },
  causes: {
    lines: [
      ['causes', 'shows those of the last run'],
      ['causes --run 12 -p "acme/*"', 'shows those of run 12, in some projects'],
    ],
    docs: ['drift'],
  },
  report: {
    lines: [
      ['report', 'prints the report of the last run'],
      ['report --run latest~1 -f html -o report.html', 'writes that of the run before it, as HTML'],
      ['report --framework soc2 --from 90d', 'reports the last 90 days by control'],
    ],
    docs: ['publish-reports', 'report-by-control'],
  },
  timeline: {
    lines: [
      ['timeline 01M2T1DQZ9G1WK3R3HA7HW467P', 'shows the history of a resource'],
      ['timeline checkout-eu --kind endpoint', 'finds it by its name'],
    ],
    docs: ['ask-the-history'],
    choice: comparisons,
  },
  diff: {
    lines: [
      ['diff latest~1', 'shows what changed between the last two runs'],
      ['diff yesterday latest -p acme/payments', 'shows what changed since yesterday, in one project'],
    ],
    docs: ['ask-the-history'],
    choice: comparisons,
  },
  compare: {
    lines: [
      ['compare stage/orders prod/orders', 'shows what differs between staging and production'],
      ['compare stage/orders prod/orders --map "*.stage.example=*.example"', 'treats these hosts as equal'],
    ],
    docs: ['compare-staging-with-production'],
    choice: comparisons,
  },
  state: {
    lines: [
      ['state --kind endpoint', 'lists the endpoints as of the last run'],
      ['state --run 2026-11-21 -f json', 'lists all resources as of a day'],
    ],
    docs: ['ask-the-history'],
  },
  trend: {
    lines: [
      ['trend', 'covers the last 90 days'],
      ['trend --since 365d -p acme/payments -f csv', 'prints a row for each day of a year, for one project'],
    ],
    docs: ['set-due-dates'],
  },
  runs: { lines: [['runs -n 5', 'lists the last five runs']], docs: ['ask-the-history'] },
  query: {
    lines: [
      ['query --views', 'describes the views'],
      [
        `query "SELECT name, owner FROM current_resource WHERE kind = 'endpoint'"`,
        'lists the endpoints with their owners',
      ],
    ],
    docs: ['views', 'ask-the-history'],
  },
  restore: {
    lines: [
      ['restore 01M2T1DQZ9G1WK3R3HA7HW467P', 'prints the requests that put a resource back'],
      ['restore checkout-eu --run latest~3', 'puts it back to its state in an earlier run'],
      ['restore --cause 17-3fa9c1d2', 'puts back everything that a cause changed'],
    ],
    docs: ['restore-a-resource'],
  },
  rules: {
    lines: [
      ['rules --pack recommended', 'lists the rules that apply without a policy'],
      ['rules endpoint/secret-shared', 'explains what the rule finds, why, and how to fix it'],
    ],
    docs: ['rules'],
  },
  policy: {
    lines: [
      ['policy check', 'checks the policy of ./hookdrift.yaml'],
      ['policy explain checkout-eu', 'explains which rules apply to a resource, and why'],
    ],
    docs: ['write-a-policy', 'policy'],
  },
  'policy check': {
    lines: [
      ['policy check', 'checks the policy of ./hookdrift.yaml'],
      ['policy check draft.yaml', 'checks another file'],
    ],
    docs: ['write-a-policy', 'policy-fields'],
  },
  'policy test': {
    lines: [['policy test --policy policy.yaml', 'runs the tests of a policy; needs no configuration']],
    docs: ['write-a-policy', 'policy'],
  },
  'policy explain': {
    lines: [
      ['policy explain checkout-eu', 'explains every rule for this endpoint'],
      ['policy explain checkout-eu endpoint/timeout-high', 'explains one rule, and which line of the policy decides'],
    ],
    docs: ['policy'],
  },
  'policy replay': {
    lines: [['policy replay --policy draft.yaml --since 90d', 'shows what a draft would have found']],
    docs: ['write-a-policy'],
  },
  baseline: {
    lines: [
      ['baseline approve --note "release 12"', 'approves the state of the last run'],
      ['baseline diff', 'shows what differs from it later'],
    ],
    docs: ['approve-a-baseline'],
  },
  'baseline approve': {
    lines: [
      ['baseline approve --note "release 12"', 'approves the state of the last run'],
      ['baseline approve --run 12 -p acme/payments', 'approves one project as of run 12'],
      [
        'baseline approve --uid 01M3JXB54N1MWQ303D4HZ8HHX4',
        'approves one resource; the others stay as approved before',
      ],
    ],
    docs: ['approve-a-baseline'],
  },
  'baseline show': {
    lines: [['baseline show --all', 'includes superseded and revoked ones, and confirmations']],
    docs: ['approve-a-baseline'],
  },
  'baseline diff': {
    lines: [['baseline diff', 'shows what differs from the approved state']],
    docs: ['approve-a-baseline'],
    choice: comparisons,
  },
  'baseline revoke': {
    lines: [['baseline revoke -p acme/payments', 'revokes the approval of one project']],
    docs: ['approve-a-baseline'],
  },
  'baseline export': {
    lines: [['baseline export states/', 'writes a file for each project']],
    docs: ['approve-a-baseline'],
  },
  'baseline import': {
    lines: [['baseline import states/ --note "reviewed"', 'approves the states of these files']],
    docs: ['approve-a-baseline'],
  },
  accept: {
    lines: [
      ['accept 3f9a1c2e --reason "OPS-12"', 'accepts one violation, by its fingerprint'],
      [
        'accept endpoint/timeout-high checkout-eu --reason "OPS-12"',
        'accepts the violation of this rule by this resource',
      ],
      ['accept --cause 17-3fa9c1d2 --reason "OPS-12"', 'accepts all that follows from a cause'],
      ['accept --list', 'lists all acceptances'],
      ['accept --revoke 3f9a1c2e', 'takes an acceptance back'],
    ],
    docs: ['accept-violations'],
  },
  note: {
    lines: [
      ['note "deploy 4.2" --ref https://ci.example.com/deploys/42', 'records what was done just now'],
      [
        'note "rotated the keys of acme" --at 2026-11-21T14:03:00Z --project "acme/*"',
        'records what was done earlier, in some projects',
      ],
      ['note --list', 'lists the notes'],
    ],
    docs: ['record-what-happened'],
  },
  waivers: {
    lines: [
      ['waivers list', 'lists the waivers that accept violations'],
      ['waivers draft --owner platform --expires 2027-03-31 > waivers.yaml', 'drafts waivers for what is open'],
    ],
    docs: ['accept-violations'],
  },
  'waivers list': {
    lines: [
      ['waivers list', 'lists those of the last run'],
      ['waivers list --project acme/payments', 'lists those that accept violations of one project'],
    ],
    docs: ['accept-violations'],
  },
  'waivers draft': {
    lines: [
      ['waivers draft --owner platform --expires 2027-03-31 > waivers.yaml', 'writes a file to review and edit'],
      ['waivers draft --owner platform --expires 2027-03-31 --rule endpoint/inactive', 'drafts those of one rule'],
    ],
    docs: ['accept-violations'],
  },
  verify: {
    lines: [
      ['verify', 'verifies the history of ./hookdrift.yaml'],
      [
        'verify --anchor 17:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        'verifies that it is the history of an earlier verify',
      ],
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
  history: {
    lines: [['history copy hookdrift.db postgres://db.example.com/audits', 'moves the history to a server']],
    docs: ['keep-the-history', 'many-machines'],
  },
  'history copy': {
    lines: [
      [
        'history copy hookdrift.db postgres://db.example.com/audits',
        'moves it to a server; the file then refuses runs',
      ],
      ['history copy postgres://db.example.com/audits hookdrift.db', 'moves it back to a file'],
      ['history copy --snapshot hookdrift.db copy.db', 'copies it while runs go on; the original stays in use'],
    ],
    docs: ['keep-the-history'],
  },
  'history upgrade': {
    lines: [
      ['history upgrade', 'upgrades to the schema of this hookdrift'],
      [
        'history upgrade --history postgres://db.example.com/audits --yes',
        'upgrades on a server, after you took a dump',
      ],
    ],
    docs: ['keep-the-history'],
  },
  notify: {
    lines: [
      ['notify', 'sends every pending message now'],
      ['notify --test', 'tests every channel'],
      ['notify --pending', 'shows what is undelivered; needs no secrets'],
    ],
    docs: ['send-notifications'],
  },
}
