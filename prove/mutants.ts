import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopVariable } from './run-cases.ts'

/**
 * Breaks the program on purpose, one way at a time, in a copy of this checkout, and runs the campaign that must notice.
 * `npm run prove:mutants`, `-- --only NAME` for those of some names or campaigns. Ends with 1 where a campaign finds
 * nothing, and where the text that a mutant replaces is not in its file exactly once.
 */
interface Mutant {
  readonly name: string
  /** The campaign that must find it. */
  readonly campaign: string
  readonly file: string
  readonly before: string
  readonly after: string
}

const mutants: readonly Mutant[] = [
  {
    name: 'authentication that is gone is not noticed',
    campaign: 'gateway',
    file: 'src/rules/drift/drift-rules.ts',
    before: "const lost = is === null ? 'removed'",
    after: "const lost = is === undefined ? 'removed'",
  },
  {
    name: 'a removal concluded from a partial walk',
    campaign: 'answers',
    file: 'src/audit/find-removals.ts',
    before: '    if (!isKindComplete(statuses, kind)) continue\n',
    after: '',
  },
  {
    name: 'violations of an unseen listing resolved',
    campaign: 'answers',
    file: 'src/audit/reconcile.ts',
    before: '  return needs.kinds.every(criteria.isComplete[needs.scope])',
    after: '  return true',
  },
  {
    name: 'violations resolved by a value of a wrong type',
    campaign: 'answers',
    file: 'src/policy/doubts.ts',
    before: 'isBlurred(rule) || resources.get(rule)?.has(resourceKey({ kind, uid })) === true',
    after: 'isBlurred(rule) && resources.get(rule)?.has(resourceKey({ kind, uid })) === true',
  },
  {
    name: 'a read that is not noticed',
    campaign: 'answers',
    file: 'src/policy/watch-reads.ts',
    before: '      if (inner.unreadable.includes(inner.pointer)) onRead([inner.pointer])\n      if (inner.inner.size',
    after: '      if (inner.inner.size',
  },
  {
    name: 'a gap that is not carried',
    campaign: 'answers',
    file: 'src/audit/compare-resources.ts',
    before: 'previous?.cause === cause ? previous : { cause, run: doubted.run, at: doubted.at }',
    after: '{ cause, run: doubted.run, at: doubted.at }',
  },
  {
    name: 'a gap that covers twenty and not twenty-one',
    campaign: 'answers',
    file: 'src/policy/doubts.ts',
    before: 'if (!leavesFindings) resources.add(key)',
    after: 'if (!leavesFindings && resources.size < mostGapUids) resources.add(key)',
  },
  {
    name: 'a member within an object that is not missed',
    campaign: 'answers',
    file: 'src/gateway/inventory/normalise.ts',
    before: '    if (!isElsewhere) job.unseen.push(',
    after: "    if (!isElsewhere && path === '') job.unseen.push(",
  },
  {
    name: 'an unknown word that counts as a strong one',
    campaign: 'answers',
    file: 'src/gateway/inventory/malformed.ts',
    before: 'values?.includes(String(value)) !== false',
    after: 'true',
  },
  {
    name: 'a change found in a value of a wrong type',
    campaign: 'answers',
    file: 'src/policy/project-evaluator.ts',
    before: 'const drift = leaveOutMalformed(changed, resource)',
    after: 'const drift = changed',
  },
  {
    name: 'a control met without its walks',
    campaign: 'answers',
    file: 'src/report/compliance/compose-compliance.ts',
    before: '      ...gapsOfWalks(coverage),\n',
    after: '',
  },
  {
    name: 'an item on two pages',
    campaign: 'churn',
    file: 'src/gateway/service/read-pages.ts',
    before: "  if (seen.has(mark)) return 'was listed before in the same walk'\n",
    after: '',
  },
  {
    name: 'a short page taken for the last one',
    campaign: 'churn',
    file: 'src/gateway/service/read-pages.ts',
    before: 'const hasMore = nextCursor !== null && mark !== null',
    after: 'const hasMore = nextCursor !== null && mark !== null && items.length >= settings.pageSize',
  },
  {
    name: 'the key sent along a redirect',
    campaign: 'transport',
    file: 'src/gateway/service/exchange-once.ts',
    before: '  const target = location === undefined ? null : URL.parse(location, settings.url)\n',
    after:
      '  const target = location === undefined ? null : URL.parse(location, settings.url)\n' +
      '  if (target !== null) void fetch(target, { headers: { authorization: key } }).catch(() => {})\n',
  },
  {
    name: 'texts in HTML not escaped',
    campaign: 'texts',
    file: 'src/report/html/markup.ts',
    before: "  return typeof content === 'string' ? neutralise(content) : content",
    after: "  return typeof content === 'string' ? raw(neutralise(content)) : content",
  },
  {
    name: 'texts on a terminal as they are',
    campaign: 'texts',
    file: 'src/model/text/neutralise.ts',
    before: '  return text.replace(unseen, (character) => shortForms[character] ?? escapeCodePoint(character))',
    after: '  return text',
  },
  {
    name: 'texts in a log as the logger writes them',
    campaign: 'texts',
    file: 'src/app/log.ts',
    before: 'stderr.write(escapeUnseen(line))',
    after: 'stderr.write(line)',
  },
  {
    name: 'markup of Jira in a ticket',
    campaign: 'texts',
    file: 'src/notify/channels/jira.ts',
    before: "    .replace(/[![\\]^~+?%{}()*_|@-]/g, '\\\\$&')\n",
    after: '',
  },
  {
    name: 'no bound on aliases',
    campaign: 'policies',
    file: 'src/model/yaml/node-values.ts',
    before: 'if (alias !== undefined && ++reading.copied > maxCopied) {',
    after: 'if (alias !== undefined && ++reading.copied > Number.POSITIVE_INFINITY) {',
  },
  {
    name: 'rows of an owner that lost its lease are written',
    campaign: 'leases',
    file: 'src/history/draft/run-draft.ts',
    before: '    if (!(await lease.isHeld(transaction, this.token))) throw this.#lost()\n',
    after: '',
  },
  {
    name: 'a tick comes twice when the clock is set back by an hour',
    campaign: 'clocks',
    file: 'src/app/worker/schedule-planner.ts',
    before: 'if (now < latest - smallStepMs) {',
    after: 'if (now < latest) {',
  },
  {
    name: 'a run is marked as committed before its rows are written',
    campaign: 'kills',
    file: 'src/history/draft/run-draft.ts',
    before: "VALUES ($1, 'running', $2,",
    after: "VALUES ($1, 'committed', $2,",
  },
  {
    name: 'a damaged page is read as empty',
    campaign: 'disks',
    file: 'src/history/sqlite/sqlite-database.ts',
    before: 'return this.#ask(sql, values, (statement, bound) => statement.all(...bound)) as Row[]',
    after: `try {
      return this.#ask(sql, values, (statement, bound) => statement.all(...bound)) as Row[]
    } catch {
      return []
    }`,
  },
  {
    name: 'a history of a newer version is opened',
    campaign: 'disks',
    file: 'src/history/sqlite/migrate.ts',
    before: 'if (version > migrations.length) {',
    after: 'if (version > migrations.length + 1) {',
  },
  {
    name: 'a waiver never ends',
    campaign: 'worlds',
    file: 'src/policy/waiver.ts',
    before: 'if (now < waiver.until && waiver.until > (longest?.until ?? 0)) longest = waiver',
    after: 'if (now > 0 && waiver.until > (longest?.until ?? 0)) longest = waiver',
  },
  {
    name: 'no message about a violation that is back',
    campaign: 'worlds',
    file: 'src/notify/find-events.ts',
    before: "  return before === 'unknown' ? undefined : 'violation.reopened'",
    after: '  return undefined',
  },
  {
    name: 'no message about a violation that becomes severe',
    campaign: 'worlds',
    file: 'src/notify/find-events.ts',
    before: '    ...raisedEvents(record, before),\n',
    after: '',
  },
  {
    name: 'no message about a listing that was never read',
    campaign: 'worlds',
    file: 'src/notify/find-events.ts',
    before: "was === undefined || was === 'complete' || was === 'skipped'",
    after: "was === 'complete' || was === 'skipped'",
  },
  {
    name: 'drift rules ignore the approved baseline',
    campaign: 'worlds',
    file: 'src/audit/audit-project.ts',
    before: '    before.expected === undefined\n      ? compareWithLastScan',
    after: '    before.expected !== null\n      ? compareWithLastScan',
  },
  {
    name: 'an approval ends no violations',
    campaign: 'worlds',
    file: 'src/audit/evaluate-scan.ts',
    before: 'approved !== undefined && comparison.isApproved(resource) ? baselineOf(approved, resource) : undefined',
    after: 'undefined',
  },
  {
    name: 'filter rows that could not be read count as none',
    campaign: 'worlds',
    file: 'src/audit/filter-walk.ts',
    before: "rows.set(uid, answers[at] ?? 'unread')",
    after: "rows.set(uid, answers[at] === 'unread' ? [] : (answers[at] ?? []))",
  },
  {
    name: 'a filter row that is off counts as applied',
    campaign: 'worlds',
    file: 'src/rules/shared/delivered-events.ts',
    before: '.filter(([, row]) => !isSwitchedOff(row))',
    after: '',
  },
  {
    name: 'a control is met although a rule of it could not evaluate something',
    campaign: 'worlds',
    file: 'src/report/compliance/compose-compliance.ts',
    before:
      '      ...gapsOfRules(report.gaps.filter(({ rule, listing }) => rule !== null && listing === null && ids.has(rule))),\n',
    after: '',
  },
  {
    name: 'a control is met although only a part of the fleet was scanned',
    campaign: 'worlds',
    file: 'src/report/compliance/compose-compliance.ts',
    before: '      ...limitsOfFleet(report),\n',
    after: '',
  },
  {
    name: 'what people accepted is not an exemption once the run that ended it is past',
    campaign: 'worlds',
    file: 'src/report/compliance/silenced-violations.ts',
    before: "const silencing: readonly (Resolution | null)[] = ['accepted', 'expired']",
    after: "const silencing: readonly (Resolution | null)[] = ['expired']",
  },
  {
    name: 'a violation is fixed by a policy that asks for less',
    campaign: 'worlds',
    file: 'src/audit/reconcile.ts',
    before: 'return criteria.endingOf?.(violation) ?? fixed',
    after: 'return fixed',
  },
  {
    name: 'a password is kept as any text',
    campaign: 'canaries',
    file: 'src/gateway/fields.ts',
    before: 'const basicAuth = collapsing({ username: name, password: secret })',
    after: 'const basicAuth = collapsing({ username: name, password: name })',
  },
]

const root = new URL('..', import.meta.url).pathname
const copied = ['src', 'prove', 'test', 'bench', 'migrations', 'config', 'docs', 'bin', 'scripts']
const files = ['package.json', 'tsconfig.json']

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [] } } })
const isNamed = ({ name, campaign }: Mutant, only: string) => name === only || campaign === only
const unknown = values.only.find((only) => !mutants.some((mutant) => isNamed(mutant, only)))
if (unknown !== undefined) throw new Error(`no mutant is named "${unknown}", or is for a campaign of that name`)
const chosen = mutants.filter((mutant) => values.only.length === 0 || values.only.some((only) => isNamed(mutant, only)))
const directory = await mkdtemp(join(tmpdir(), 'hookdrift-mutants-'))
try {
  for (const name of [...copied, ...files]) await cp(join(root, name), join(directory, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  let found = 0
  for (const mutant of chosen) {
    const isFound = await isNoticed(mutant)
    found += isFound ? 1 : 0
    process.stdout.write(`${isFound ? 'found' : 'MISSED'}  ${mutant.name} by ${mutant.campaign}\n`)
  }
  process.stdout.write(`${found} of ${chosen.length} mutants found\n`)
  if (found < chosen.length) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function isNoticed({ name, campaign, file, before, after }: Mutant): Promise<boolean> {
  const path = join(directory, file)
  const text = await readFile(path, 'utf8')
  if (text.split(before).length !== 2) throw new Error(`${name}: ${file} does not have what it replaces exactly once`)
  await writeFile(
    path,
    text.replace(before, () => after),
  )
  try {
    const { code, stdout } = await prove(campaign)
    // A copy that does not start proves nothing: the campaign must have counted cases.
    return code === 1 && /^1 campaigns, [1-9]\d* cases, [1-9]\d* violations$/m.test(stdout)
  } finally {
    await writeFile(path, text)
  }
}

function prove(campaign: string): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const child = spawn(process.execPath, ['--no-warnings', 'prove/main.ts', '--slice', 'ci', '--only', campaign], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
    // One violation is enough.
    env: { ...process.env, [stopVariable]: 'true' },
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout }))
  })
}
