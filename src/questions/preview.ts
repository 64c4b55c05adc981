import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from 'zod'
import { findInstallationKey } from '../app/installation-key.ts'
import { loadPolicy } from '../app/load-policy.ts'
import {
  configuredPaths,
  findConfiguredPaths,
  type HistoryOptions,
  knownSecrets,
  locateHistory,
} from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readStream, readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { nextAuditDue } from '../app/worker/next-times.ts'
import { supposeChanges } from '../audit/replay/suppose.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { createSealer, type Sealer } from '../gateway/inventory/sealer.ts'
import { foreseeWrite, newUid, type WriteForecast } from '../gateway/repair/foresee-write.ts'
import { placeholdersIn, spellBody } from '../gateway/repair/pieces.ts'
import { readRequest, type WriteRequest } from '../gateway/repair/read-request.ts'
import { readTarget, type WriteTarget } from '../gateway/repair/read-target.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'
import { isProjectList, type Kind, type Resource } from '../model/resource.ts'
import { type FailOn, type Finding, failOnChoices, isAtLeast } from '../model/violation.ts'
import { walksFor } from '../model/walks-for.ts'
import type { Policy } from '../policy/policy.ts'
import { limited } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { statingExtent } from './as-of.ts'
import { type Preview, previewForm } from './preview-form.ts'
import { configuredQuestion, duration, parameter, projectParameter, runNamed } from './question.ts'
import { gatewayOf } from './restore.ts'
import { concludePreview, introducePreview, previewView } from './show-preview.ts'

export const preview = configuredQuestion({
  form: previewForm,
  parameters: {
    file: parameter(
      '[file]',
      'a file with one write request: a curl command, HTTP, JSON, or a row of restore; - is standard input',
      z.string().optional(),
      { isLocal: true },
    ),
    request: parameter(
      '--request <text>',
      'the request itself: a curl command, HTTP or JSON; leave keys out, none is needed',
      z.string().optional(),
      { conflicts: ['file'], isFileText: true },
    ),
    failOn: parameter(
      '--fail-on <severity>',
      'exit 1 when a violation of this severity or above would open; new: of any (default: as the last audit)',
      z.enum(failOnChoices).optional(),
    ),
    maxAge: parameter(
      '--max-age <duration>',
      'exit 3 when the last scan is older: 90s, 30m, 2d (default: when a schedule missed a run, or after 25h)',
      duration.optional(),
      { isRare: true },
    ),
    policy: parameter('--policy <file>', 'policy file; overrides the one in the configuration', z.string().optional(), {
      isLocal: true,
      isRare: true,
    }),
    project: projectParameter,
  },
  isOfRun: false,
  async read(history, values, { limit, options, terminal }) {
    const { file, request: text, failOn, maxAge, policy: policyFile, project: projects } = values
    const given = text === undefined ? await readGiven(file, terminal) : { text, name: 'request' }
    const request = readRequest(given.text, given.name)
    const target = readTarget(request)
    const scan = await findProject(history, request, target, { projects, options, terminal })
    const inputs = await readRunInputs(history, scan.run.number)
    const tools = {
      policy: await policyOf(policyFile, options, terminal),
      sealer: await sealerFor(options, terminal),
      clock: { now: systemClock.now, sleep: async () => {} },
    }
    const project = {
      areAllKnown: walksFor(['endpoint', 'source'], scan.coverage).every((walk) => !isGap(walk)),
      release: (await readEvaluations(history, [scan])).get(scan.project.name)?.release,
      lacks: Object.values(inputs?.projects.find(({ project }) => project === scan.project.name)?.not_licensed ?? {}),
      sealer: tools.sealer,
    }
    const forecast = await supposeChanges(history, scan, tools, (known) =>
      foreseeRequest(request, target, scan, { ...project, known }),
    )
    const { rows, refused, unknown, dependents, notes, violations, resource } = forecast
    const answer: Preview = {
      resource,
      request: { method: request.method, action: actionOf(request, target) },
      known: describeKnown(scan, resource.kind, forecast.before, await dueAfterOf(maxAge, options, terminal)),
      violations: { opened: violations.opened.map(toFinding), ended: violations.ended.map(toKnown) },
      dependents: dependents.map((one) => ({ ...one })),
      unknown: [
        ...unknown,
        ...(isFormer(request) ? [{ path: '', reason: formerVersion }] : []),
        ...violations.unsure.map(({ path, rule }) => ({ path, reason: `whether ${rule} still reports it` })),
      ],
      refused: refused ?? null,
      sent: false,
    }
    return {
      answer: {
        form: previewForm,
        ...statingExtent(await runNamed(history, 'latest'), [scan]),
        more: { ...answer },
        remarks: introducePreview(answer, rows),
        conclusion: concludePreview(answer, notes),
        ...limited(rows, limit),
      },
      view: previewView,
      exitCode: exitCodeOf(answer, violations.opened, failOn ?? inputs?.fail_on ?? 'high'),
    }
  },
})

type KnownProject = Pick<WriteForecast, 'known' | 'areAllKnown' | 'release' | 'lacks' | 'sealer'>

/** @throws AuditError.usage where the project has no such resource, or what becomes of it cannot be foreseen */
function foreseeRequest(request: WriteRequest, target: WriteTarget, scan: RecordedScan, project: KnownProject) {
  const { method, body } = request
  const { kind, uid, action, isDashboard } = target
  if (kind === 'filter') throw unkeptRows(request)
  const before = project.known.find((one) => one.kind === kind && one.uid === uid)
  if (uid !== null && before === undefined) throw unknownUid(request, kind, scan)
  const written = body === undefined ? {} : spellBody(body)
  const name = before?.name ?? (typeof written.name === 'string' ? written.name : '')
  const write: WriteForecast = {
    ...project,
    kind,
    uid,
    action: method === 'DELETE' ? 'delete' : action,
    isDashboard,
    body: written,
    variables: body === undefined ? [] : placeholdersIn(body).flatMap(({ path, is }) => (is === 'value' ? path : [])),
  }
  return { ...foreseeWrite(write), before, resource: { project: scan.project.name, kind, uid, name } }
}

/** How old the state is that the request meets, and why it may not be relied on. */
function describeKnown(
  { project, run, coverage }: RecordedScan,
  kind: Kind,
  before: Resource | undefined,
  dueAfter: (project: string, ms: number) => number,
): Preview['known'] {
  const [now, at] = [systemClock.now(), Date.parse(run.finished_at)]
  const gaps = walksFor([kind], coverage).filter(isGap)
  return {
    run: run.number,
    at: run.finished_at,
    age_s: Math.max(0, Math.ceil((now - at) / 1000)),
    reasons: [
      ...(now > dueAfter(project.name, at) ? ['the last scan is too old'] : []),
      ...gaps.map(({ listing }) => `the last scan did not read ${listing} completely`),
      ...(before?.unseen ?? []).map((path) => `the last scan did not show ${path}`),
    ],
  }
}

/** Versions of the interface before this one have other names of members. */
function isFormer({ version }: WriteRequest): boolean {
  return version !== null && version < '2024-01-04'
}

const formerVersion = 'the request asks for an earlier version of the interface, which has other names of members'

function exitCodeOf({ refused, known }: Preview, opened: readonly Finding[], failOn: FailOn) {
  if (refused !== null) return exitCodes.usage
  if (known.reasons.length > 0) return exitCodes.incomplete
  const isFailing = ({ severity, waiver }: Finding) =>
    failOn !== 'never' && waiver === undefined && (failOn === 'new' || isAtLeast(severity, failOn))
  return opened.some(isFailing) ? exitCodes.violations : exitCodes.clean
}

function actionOf({ method }: WriteRequest, { uid, action }: WriteTarget): Preview['request']['action'] {
  if (method === 'DELETE') return 'delete'
  return action ?? (uid === null ? 'create' : 'update')
}

function toFinding({ rule, severity, kind, uid, name, path, message }: Finding) {
  return { rule, severity, kind, uid: uid === newUid ? null : uid, name, path, message }
}

function toKnown(violation: Finding & { readonly fingerprint: string }) {
  return { ...toFinding(violation), fingerprint: violation.fingerprint }
}

/** @throws AuditError.usage when there is no such file, or nothing on standard input */
async function readGiven(file: string | undefined, terminal: ProcessContext) {
  // Over a port, standard input is another's.
  const stdin = terminal.reading === undefined ? terminal.stdin : undefined
  const isFile = file !== undefined && file !== '-'
  if (!isFile && (stdin === undefined || (file === undefined && stdin.isTTY === true)))
    throw AuditError.usage('no request given', {
      advice: 'name a file with one, or - for standard input: `hookdrift docs preview-an-update` has examples',
    })
  const name = isFile ? file : 'stdin'
  try {
    const text = isFile || stdin === undefined ? readTextFile(resolve(terminal.cwd(), name)) : await readStream(stdin)
    return { text, name }
  } catch (error) {
    throw AuditError.usage(`cannot read the request ${JSON.stringify(name)}: ${reasonOf(error)}`, { cause: error })
  }
}

interface FindOptions {
  readonly projects: readonly string[]
  readonly options: HistoryOptions
  readonly terminal: ProcessContext
}

/** @throws AuditError.usage when no scan or several scanned the project of the request, or its service has another host */
async function findProject(
  history: HistoryReader,
  { host, position }: WriteRequest,
  { projectUid, kind }: WriteTarget,
  { projects, options, terminal }: FindOptions,
): Promise<RecordedScan> {
  if (projectUid === null)
    throw AuditError.usage(`${position}: the request creates a ${kind}, of which no audit knows anything`, {
      advice: 'audit the new project once it is there: `hookdrift init` or `projects:` of the configuration adds it',
    })
  const run = await runNamed(history, 'latest')
  const scans = (await readLatestScans(history, run.number)).filter(({ project }) => !isProjectList(project))
  const ofUid = scans.filter(({ project }) => project.uid === projectUid && matchesProject(project.name, projects))
  const hostOf = ({ project }: RecordedScan): string | undefined => {
    const [base] = gatewayOf(project, options, terminal).baseUrl
    return typeof base === 'string' ? URL.parse(base)?.host : undefined
  }
  const isThere = (scan: RecordedScan) => host === null || (hostOf(scan) ?? host) === host
  const [found, ...others] = ofUid.filter(isThere)
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined) {
    const names = ofUid.map(({ project }) => project.name).join(', ')
    throw AuditError.usage(`${position}: several projects have this uid: ${names}`, {
      advice: 'choose one with --project',
    })
  }
  if (ofUid.length === 0)
    throw AuditError.usage(`${position}: the history knows no project of this uid`, {
      advice: '`hookdrift status` lists the projects; the address has the uid of one: /projects/UID/…',
    })
  throw AuditError.usage(`${position}: the request goes to another host than ${ofUid[0]?.project.name}`, {
    advice: 'the configuration says where its service is: `hookdrift config show`',
  })
}

function unknownUid({ position }: WriteRequest, kind: string, { project, run }: RecordedScan): AuditError {
  return AuditError.usage(`${position}: ${project.name} has no ${kind} of this uid as of run ${run.number}`, {
    advice: `\`hookdrift state --project ${project.name} --kind ${kind}\` lists them; audit again where it is new`,
  })
}

function unkeptRows({ position }: WriteRequest): AuditError {
  return AuditError.usage(
    `${position}: requests for filter rows cannot be previewed: the history has no uids of rows`,
    {
      advice: 'preview the update of their subscription',
    },
  )
}

async function policyOf(
  named: string | undefined,
  { config, history }: HistoryOptions,
  terminal: ProcessContext,
): Promise<Policy> {
  if (named !== undefined) return loadPolicy(resolve(terminal.cwd(), named))
  const file = history === undefined ? (await configuredPaths(config, terminal)).policy : undefined
  return loadPolicy(file, {
    secrets: await knownSecrets({ config, ...(history !== undefined && { history }) }, terminal),
  })
}

/**
 * Seals what the request sends as the history does, so that an equal secret shows no change. Readers over a port get a key
 * of this answer alone: else they could try guesses.
 */
async function sealerFor(options: HistoryOptions, terminal: ProcessContext): Promise<Sealer> {
  const secrets = await knownSecrets(options, terminal)
  const found =
    terminal.reading === undefined
      ? findInstallationKey(await locateHistory(options, terminal), terminal.env)
      : undefined
  return createSealer(found?.key ?? randomBytes(32), secrets)
}

async function dueAfterOf(maxAge: number | undefined, options: HistoryOptions, terminal: ProcessContext) {
  if (maxAge !== undefined) return (_: string, ms: number) => ms + maxAge
  const paths = await findConfiguredPaths(options, terminal)
  return nextAuditDue(paths?.schedules ?? [], { now: systemClock.now(), file: options.config })
}
