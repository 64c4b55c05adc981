import { resolve } from 'node:path'
import { z } from 'zod'
import { loadPolicy } from '../app/load-policy.ts'
import { configuredPaths, type HistoryOptions } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { toReportCause } from '../audit/compose-report.ts'
import { chosenBy } from '../config/choose-projects.ts'
import { readGateway, unknownGateway } from '../config/read-gateway.ts'
import { composeRepair } from '../gateway/repair/compose-repair.ts'
import type { Gateway } from '../gateway/repair/gateway.ts'
import { withoutSeals } from '../gateway/repair/placeholders.ts'
import { activationOf, isRepairable, type Repair } from '../gateway/repair/repair.ts'
import type { ManualStep } from '../gateway/repair/write-body.ts'
import { findIdentities } from '../history/find-identities.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readCause } from '../history/sql/causes.ts'
import {
  type Identity,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
} from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import type { FieldChange } from '../model/change.ts'
import { AuditError } from '../model/errors.ts'
import { type Json, type JsonObject, valueAt, withValueAt } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { anyJson, anyObject, listOf } from '../model/schema.ts'
import { quote } from '../model/text/neutralise.ts'
import { walksFor } from '../model/walks-for.ts'
import type { Policy } from '../policy/policy.ts'
import { type Answer, type AnswerForm, aboutScans, limited } from '../report/answer.ts'
import { describeCause } from '../report/describe-cause.ts'
import { isGap } from '../report/gaps.ts'
import { shellWord } from '../report/text/commands.ts'
import { shorten } from '../report/text/shorten.ts'
import { statingExtent } from './as-of.ts'
import { type Decisions, readDecisions } from './decisions.ts'
import { compareVersions } from './diff.ts'
import { attributesOf, stateOf } from './field-gaps.ts'
import { checkDestinations, describeDiversion, sentenceOfDecision } from './find-diversion.ts'
import { chooseFormerState, type FormerState, findPutRight } from './former-state.ts'
import { type Goal, knownGoal } from './known-goal.ts'
import {
  configuredQuestion,
  kindParameter,
  parameter,
  projectParameter,
  runNamed,
  runOrTime,
  uidOrName,
} from './question.ts'
import { chooseViolations, findReadyChanges } from './ready-changes.ts'
import type { Restoration, RestoreRow, StepOfResource } from './restore-row.ts'
import { concludeCauseRestore, concludeRestore, introduceRestore, moreOf, restoreView, toRow } from './show-restore.ts'
import { unknownResource } from './unknown-resource.ts'

/** `violations --by-cause` has all of it. */
const causeSummary = schemas.cause.pick({
  id: true,
  change: true,
  kind: true,
  path: true,
  before: true,
  after: true,
  resources: true,
  first_run: true,
})

export const restoreForm: AnswerForm = {
  name: 'restore',
  version: 2,
  about: aboutScans,
  row: z.object({
    project: schemas.project,
    kind: schemas.kind,
    uid: schemas.uid,
    purpose: z.string().describe('What the request does.'),
    method: z.enum(['GET', 'PUT', 'POST', 'DELETE']),
    url: z.string().describe('May contain placeholders, each written as its name in braces behind a dollar sign.'),
    headers: z.record(z.string(), z.string()).describe('By name. May contain placeholders, as the address may.'),
    body: anyObject
      .nullable()
      .describe(
        'All fields that the request takes: an update wipes what it leaves out. `placeholders` lists where placeholders are: a text of the service may spell one, too. Numbers that a double cannot hold are texts of their digits. null where the request has no body.',
      ),
    placeholders: listOf(
      z.object({
        name: z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
          .describe(
            'Written in that place as often as it is needed there. Names of placeholders of the body are chosen so that no text of the body spells them.',
          ),
        in: z
          .enum(['url', 'header', 'body', 'body_name'])
          .describe(
            '`url`; `header`: the value of one; `body`: the value at `path`; `body_name`: the name of the member at `path`.',
          ),
        path: z
          .string()
          .nullable()
          .describe('JSON Pointer into `body` as it is here; null for one of the URL or a header.'),
        hint: z.string().describe('What to fill in.'),
      }),
    ).describe('Every place that has a placeholder. What is written like one elsewhere is text.'),
    restores: listOf(z.string()).describe(
      'JSON Pointers into the attributes: the fields that it puts back. Empty where it creates the resource, or fixes violations.',
    ),
    when: z
      .string()
      .nullable()
      .describe(
        'A sentence that says when to send it, where the history does not show which of two requests the service takes; null for all others.',
      ),
  }),
  more: {
    resource: z
      .object({
        project: schemas.project,
        kind: schemas.kind,
        uid: schemas.uid,
        name: schemas.name,
        is_gone: z.boolean().describe('Whether the last scan no longer found it: the request creates it anew.'),
      })
      .nullable()
      .describe('null where a cause is put back.'),
    cause: causeSummary
      .describe('What the requests put back. Absent where they are about one resource.')
      .exactOptional(),
    state: z
      .object({
        from_run: schemas.count,
        from: schemas.time,
        to_run: z.int().min(0).nullable().describe('The run that ended it; null when it is the present one.'),
        to: schemas.time.nullable(),
        basis: z
          .enum(['asked', 'before_drift', 'before_change', 'before_removal'])
          .describe(
            'Why this state: `--run` names it, or it is the one before the changes of open drift violations, before the last change, or before the removal.',
          ),
        rules: listOf(z.string()).describe('The drift rules whose open violations decided.'),
      })
      .nullable()
      .describe(
        'The state that the requests put back; null when the history has no earlier one, or when they fix violations instead.',
      ),
    fixes: listOf(
      z.object({
        rule: z.string(),
        path: z.string().describe('JSON Pointer into the attributes.'),
        from: anyJson.describe('The present value.'),
        to: anyJson.describe('The value that the request sets.'),
        option: z
          .object({ name: z.string(), value: z.number() })
          .nullable()
          .describe(
            'The option of the rule that decides the value, as the policy has it today; null where the rule alone does.',
          ),
      }),
    ).describe(
      'The values that the requests set because open violations ask for them; empty where the requests put a state back.',
    ),
    left_to_you: listOf(
      z.object({
        uid: schemas.uid.describe('Of a cause: of which resource.').exactOptional(),
        path: z.string().describe('JSON Pointer into the attributes.'),
        reason: z.string(),
      }),
    ).describe('What the requests neither put back nor fix.'),
    dependents: listOf(z.object({ kind: z.literal('subscription'), uid: schemas.uid, name: schemas.name })).describe(
      'Resources that went with it and that point to its former uid.',
    ),
  },
}

export const restore = configuredQuestion({
  form: restoreForm,
  parameters: {
    uid: parameter('[uid]', `a resource: ${uidOrName}`, z.string().optional()),
    cause: parameter(
      '--cause <id>',
      'put back all resources of a cause; `hookdrift violations --by-cause` lists them',
      z.string().optional(),
      {
        conflicts: ['run', 'rule', 'project', 'kind'],
      },
    ),
    run: parameter(
      '--run <run|time>',
      `put back its state in this run: ${runOrTime} (default: before the change that an open drift violation reports; without one, fix its other open violations; without any, before its last change)`,
      z.string().optional(),
    ),
    rule: parameter('--rule <id>', 'only what fixes its open violation of this rule', z.string().optional(), {
      conflicts: ['run'],
      isRare: true,
    }),
    policy: parameter(
      '--policy <file>',
      'policy file, read for the options of rules; overrides the one in the configuration',
      z.string().optional(),
      { isLocal: true },
    ),
    project: projectParameter,
    kind: kindParameter,
  },
  isOfRun: false,
  check({ uid, cause }) {
    if ((uid === undefined) !== (cause === undefined)) return
    throw AuditError.usage('expected a resource, or --cause and the id of a cause', {
      advice:
        '`hookdrift violations` lists resources with open violations, `hookdrift violations --by-cause` what they have in common',
    })
  },
  async read(history, values, { limit, options, terminal }) {
    const { uid = '', cause, run: named, rule, policy, project: projects, kind } = values
    if (cause !== undefined) {
      const run = await runNamed(history, 'latest')
      const query = { cause, run, limit, gatewayOf: (project: ProjectRef) => gatewayOf(project, options, terminal) }
      return { answer: await readCauseRestore(history, query), view: restoreView }
    }
    const answer = await readRestore(history, {
      uid,
      projects,
      kind,
      rule,
      limit,
      gatewayOf: (project) => gatewayOf(project, options, terminal),
      run: await runNamed(history, 'latest'),
      chosenRun: named === undefined ? undefined : await runNamed(history, named),
      policyOf: () => readPolicyOf(policy, options, terminal),
    })
    return { answer, view: restoreView }
  },
})

/** The named policy, else that of the configuration. With `--history` none is read, and without a good one none is known. */
async function readPolicyOf(named: string | undefined, { config, history }: HistoryOptions, terminal: ProcessContext) {
  if (named !== undefined) return loadPolicy(resolve(terminal.cwd(), named))
  if (history !== undefined) return undefined
  const paths = await configuredPaths(config, terminal).catch((thrown: unknown) => {
    if (thrown instanceof AuditError) return undefined
    throw thrown
  })
  return (
    paths &&
    loadPolicy(paths.policy).catch((thrown: unknown) => {
      // Who asks over a port made no mistake, and need not know the files of this machine.
      if (terminal.reading === undefined || !(thrown instanceof AuditError)) throw thrown
      throw AuditError.failure(thrown.message, { advice: thrown.advice, cause: thrown })
    })
  )
}

/** The configuration shows where requests go. With `--history` none is read, and without a good one placeholders do. */
export function gatewayOf(
  project: ProjectRef,
  { config, history }: HistoryOptions,
  { cwd, env }: Pick<ProcessContext, 'cwd' | 'env'>,
): Gateway {
  if (history !== undefined) return unknownGateway(project.service)
  try {
    return readGateway(resolve(cwd(), config), { env, readFile: readTextFile }, project)
  } catch (thrown) {
    if (thrown instanceof AuditError) return unknownGateway(project.service)
    throw thrown
  }
}

export interface RestoreQuery {
  /** A uid, a name, or a beginning of one. */
  readonly uid: string
  /** The run that the answer is as of. */
  readonly run: CommittedRun
  /** The run whose state is put back; undefined for the state before the last change. */
  readonly chosenRun: CommittedRun | undefined
  /** Only what the open violation of this rule asks for; not together with `chosenRun`. */
  readonly rule: string | undefined
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly limit: number
  readonly gatewayOf: (project: ProjectRef) => Gateway
  /** Called at most once; undefined where no policy is known. */
  readonly policyOf: () => Promise<Policy | undefined>
}

/**
 * The requests that put a resource back to an earlier state, or that set the values that its violations ask for. Nothing
 * is sent.
 * @throws AuditError.usage when the history has no such resource, or several; when it was not there in the run asked
 *   for; for what hookdrift makes itself; and for a rule without an open violation or a ready fix
 */
export async function readRestore(reader: HistoryReader, query: RestoreQuery): Promise<Answer<RestoreRow>> {
  const { run, chosenRun, rule, limit, gatewayOf, policyOf } = query
  const identity = await findOne(reader, query)
  const { project, kind, uid } = identity
  const versions = await readVersionsOf(reader, identity, run.number)
  const last = versions.at(-1)
  const now = last?.toRun === null ? last : undefined
  const scans = await readLatestScans(reader, run.number, project)
  const spans = await readViolationsOf(reader, identity, run.number)
  const violations = chooseViolations(identity, spans, rule, last?.toRun)
  const chosen = chooseFormerState(kind, versions, violations, chosenRun)
  if (chosen === undefined && chosenRun !== undefined) throw notThere(identity, versions, chosenRun)
  const ready =
    now === undefined || chosenRun !== undefined || chosen?.basis === 'before_drift'
      ? undefined
      : await findReadyChanges(reader, { identity, now, violations, scan: scans[0]?.run, policyOf })
  const isFix = ready !== undefined && (ready.changes.length > 0 || rule !== undefined)
  if (isFix && ready.changes.length + ready.manualSteps.length === 0) throw noReadyFix(rule ?? '')
  const putRight = isFix || chosen === undefined ? undefined : findPutRight(kind, versions, spans, chosen)
  const former = isFix || putRight !== undefined ? undefined : chosen
  const isUnread = walksFor([kind], scans[0]?.coverage ?? []).some(isGap)
  const compared = former && now && compareVersions(kind, former.version, now)
  const state = former && { target: attributesOf(former.version), changes: compared?.asSeen ?? [] }
  const decisionsOf = await readDecisions(reader)
  const kept =
    state === undefined || chosenRun !== undefined ? [] : decidedAmong(state.changes, now, await decisionsOf(identity))
  const wanted = isFix ? ready : state && withoutKept(state, kept)
  const basis = { former: former && stateOf(former.version), now: now && stateOf(now), isPresent: isFix }
  const goal = wanted && knownGoal(kind, wanted, basis)
  const diverted = goal === undefined || chosenRun !== undefined ? [] : await leaveOut(goal)
  const isNothing = now !== undefined && goal?.changes.length === 0
  const leftOut = [...(isNothing ? [] : (goal?.obstacles ?? [])), ...diverted]
  const gateway = gatewayOf(project)
  const present = { identity, now, scans, run, gateway, taken: [] }
  const paths = goal?.changes.map(({ path }) => path) ?? []
  const repair =
    goal === undefined || leftOut.length > 0
      ? noRepair
      : await repairTo(reader, { target: goal.target, paths }, present)
  const restoration: Restoration = {
    resource: { project, kind, uid, name: withoutSeals((now ?? last)?.name ?? '') },
    former,
    putRight: putRight && chosen && { ...putRight, undoneBy: chosen.version.fromRun },
    rule,
    fixes: isFix ? ready.changes : [],
    kept: kept.map(({ path, reason }) => ({ path, reason: `${reason} ${undoing(former)}` })),
    isGone: now === undefined,
    isSame: former !== undefined && now !== undefined && paths.length === 0,
    wasPruned: versions[0]?.isContinued === true,
    unknown: isUnread ? ['all of it'] : [...new Set(compared?.unknown.map(({ path }) => path))],
    manualSteps: [...leftOut, ...(goal?.steps ?? []), ...repair.manualSteps, ...(ready?.manualSteps ?? [])],
    dependents: now === undefined && last !== undefined ? await dependentsOf(reader, identity, last, run) : [],
    notes: [...(isFix ? ready.notes : []), ...repair.notes],
  }
  return {
    form: restoreForm,
    ...statingExtent(run, scans),
    more: moreOf(restoration),
    remarks: introduceRestore(restoration),
    ...limited(
      repair.requests.map((request) => toRow(restoration, request, gateway)),
      limit,
    ),
    conclusion: concludeRestore(restoration, repair.requests.length),
  }

  /** Why no request is printed: its secrets would go to another place than before. */
  async function leaveOut({ target, changes }: Goal): Promise<readonly ManualStep[]> {
    if (now !== undefined && changes.length === 0) return []
    const recipient = { identity, versions, violations: spans, target, former: former?.version ?? now }
    const { diversion } = await checkDestinations(reader, run.number, recipient, decisionsOf)
    if (diversion === undefined) return []
    const whole = `\`hookdrift restore ${shellWord(uid)}\``
    const next = isFix
      ? `Run ${whole} first, then audit.`
      : rule === undefined
        ? `Put ${diversion.path} back first, then audit.`
        : `${whole} puts back both.`
    const name = nameOf(kind, (now ?? last)?.name, uid)
    return [{ path: diversion.path, reason: describeDiversion(diversion, { name, next }) }]
  }

  function undoing(former: FormerState | undefined): string {
    return `\`hookdrift restore ${shellWord(uid)} --run ${former?.version.fromRun}\` puts it back, too.`
  }
}

type KeptField = ManualStep & { readonly value: Json | undefined }

/** A state in which some fields stay as they are now. */
function withoutKept({ target, changes }: Goal, kept: readonly KeptField[]): Goal {
  return {
    target: kept.reduce((state, { path, value }) => withValueAt(state, path, value), target),
    changes: changes.filter(({ path }) => !kept.some((one) => one.path === path)),
  }
}

/** The fields that people approved or accepted as they are now. */
function decidedAmong(
  fields: readonly Pick<FieldChange, 'path'>[],
  now: VersionSpan | undefined,
  { decisionOn }: Decisions,
): readonly KeptField[] {
  if (now === undefined) return []
  const attributes = attributesOf(now)
  return fields.flatMap(({ path }) => {
    const value = valueAt(attributes, path)
    const decision = decisionOn(path, value)
    return decision === undefined ? [] : [{ path, value, reason: sentenceOfDecision(decision) }]
  })
}

function nameOf(kind: Kind, name: string | undefined, uid: string): string {
  return name === undefined || name === '' ? `The ${kind} ${quote(uid)}` : quote(shorten(withoutSeals(name), 60))
}

const noRepair: Repair = { requests: [], manualSteps: [], notes: [] }

export interface PresentState {
  readonly identity: Identity
  /** undefined where the resource is gone. */
  readonly now: VersionSpan | undefined
  /** The last ones of its project. */
  readonly scans: readonly RecordedScan[]
  readonly run: CommittedRun
  readonly gateway: Gateway
  /** Names of placeholders that mean something else: those of other resources. */
  readonly taken: readonly string[]
}

/** The requests that give a resource other attributes, of which some differ. */
export async function repairTo(
  reader: HistoryReader,
  { target, paths }: { readonly target: JsonObject; readonly paths: readonly string[] },
  { identity, now, scans, run, gateway, taken }: PresentState,
): Promise<Repair> {
  const { project, kind, uid } = identity
  if (!isRepairable(kind)) return noRepair
  const settings = await readSettings(reader, identity, scans, run)
  return composeRepair({
    kind,
    projectUid: project.uid,
    uid,
    reserved: [...gateway.placeholders.map(({ name }) => name), ...taken],
    target,
    now: now === undefined ? undefined : attributesOf(now),
    changed: paths,
    gone: await goneReferences(reader, identity, target, run),
    activation: now && activationOf(settings, attributesOf(now)),
    isIncoming: settings?.type === 'incoming',
  })
}

interface CauseQuery {
  /** Its id. */
  readonly cause: string
  /** The run that the answer is as of. */
  readonly run: CommittedRun
  readonly limit: number
  readonly gatewayOf: (project: ProjectRef) => Gateway
}

/**
 * The requests that put back what a cause changed, in every resource that it hit and that is not mended. Other fields
 * stay as they are now. Nothing is sent.
 * @throws AuditError.usage when no cause has that id
 */
export async function readCauseRestore(
  reader: HistoryReader,
  { cause: id, run, limit, gatewayOf }: CauseQuery,
): Promise<Answer<RestoreRow>> {
  const cause = await readCause(reader, id, run.number)
  if (cause === undefined) throw unknownCause(id)
  if (cause === 'over') return nothingOpen(id, run)
  const { kind, first_run, resources } = cause
  const all = await readLatestScans(reader, run.number)
  const decisionsOf = await readDecisions(reader)
  const rows: RestoreRow[] = []
  // The secrets of two resources differ: each has a variable of its own.
  const taken: string[] = []
  const kept: StepOfResource[] = []
  const leftOut: StepOfResource[] = []
  const manualSteps: StepOfResource[] = []
  const notes = new Set<string>()
  // Projects may have had one name, one after the other: only that of the resource has versions of it.
  const hits = resources.flatMap((hit) =>
    all.filter(({ project }) => project.name === hit.project).map((scan) => ({ hit, scan })),
  )
  for (const { hit, scan } of hits) {
    const { project } = scan
    const { uid, name } = hit
    const identity = { project, kind, uid }
    const versions = await readVersionsOf(reader, identity, run.number)
    const last = versions.at(-1)
    if (last === undefined) continue
    const now = last.toRun === null ? last : undefined
    const former = versions.find(({ toRun }) => toRun === first_run)
    const accepted = decidedAmong(hit.fields, now, await decisionsOf(identity))
    kept.push(...accepted.map(({ path, reason }) => ({ uid, path, reason })))
    const fields = hit.fields.filter(({ path }) => !accepted.some((one) => one.path === path))
    if (now !== undefined && fields.length === 0) continue
    const wanted = { target: now ? before(fields, attributesOf(now), former) : attributesOf(last), changes: fields }
    const basis = { former: stateOf(former ?? last), now: now && stateOf(now), isPresent: now !== undefined }
    const { target, changes, steps, obstacles } = knownGoal(kind, wanted, basis)
    manualSteps.push(...steps.map((each) => ({ uid, ...each })))
    leftOut.push(...obstacles.map((each) => ({ uid, ...each })))
    if (obstacles.length > 0 || (now !== undefined && changes.length === 0)) continue
    const gateway = gatewayOf(project)
    const paths = now === undefined ? [] : changes.map(({ path }) => path)
    const violations = await readViolationsOf(reader, identity, run.number)
    const { diversion, decided } = await checkDestinations(
      reader,
      run.number,
      { identity, versions, violations, target, former: former ?? last },
      decisionsOf,
    )
    kept.push(...decided.map((each) => ({ uid, ...each })))
    if (diversion !== undefined) {
      const next = `\`hookdrift restore ${shellWord(uid)}\` puts back both.`
      const reason = describeDiversion(diversion, { name: nameOf(kind, name, uid), next })
      leftOut.push({ uid, path: diversion.path, reason })
      continue
    }
    const repair = await repairTo(reader, { target, paths }, { identity, now, scans: [scan], run, gateway, taken })
    manualSteps.push(...repair.manualSteps.map((each) => ({ uid, ...each })))
    for (const note of repair.notes) notes.add(note)
    const resource = { ...identity, name: withoutSeals(name) }
    const next = repair.requests.map((request) => toRow({ resource, fixes: [] }, request, gateway))
    taken.push(...next.flatMap(({ placeholders }) => placeholders.map((placeholder) => placeholder.name)))
    rows.push(...next)
  }
  const reported = toReportCause(cause)
  const concerned = all.filter(({ project }) => reported.projects.includes(project.name))
  return {
    form: restoreForm,
    ...statingExtent(run, concerned),
    more: {
      resource: null,
      // What the schema does not have is left out.
      cause: causeSummary.parse(reported),
      state: null,
      fixes: [],
      left_to_you: [...leftOut, ...kept, ...manualSteps].map((step) => ({ ...step })),
      dependents: [],
    },
    remarks: [`${describeCause(reported)}, in run ${first_run}.`, ...notes],
    ...limited(rows, limit),
    conclusion: concludeCauseRestore(cause, { leftOut, kept, manualSteps }, rows.length),
  }
}

/** What a cause changed is put back, accepted, approved or gone. */
function nothingOpen(id: string, run: CommittedRun): Answer<RestoreRow> {
  return {
    form: restoreForm,
    ...statingExtent(run, []),
    more: { resource: null, state: null, fixes: [], left_to_you: [], dependents: [] },
    remarks: [`Nothing to restore: no open violation follows from the change ${id}.`],
    ...limited([], 0),
  }
}

/** The present attributes with the fields as they were before. */
function before(fields: readonly FieldChange[], now: JsonObject, former: VersionSpan | undefined): JsonObject {
  const was = former && attributesOf(former)
  return fields.reduce((target, { path, before }) => {
    const value = was === undefined ? before : (valueAt(was, path) ?? null)
    // Within an attribute, what was not there is left out; an attribute without a value is null.
    return withValueAt(target, path, value === null && path.lastIndexOf('/') > 0 ? undefined : value)
  }, now)
}

function unknownCause(id: string): AuditError {
  return AuditError.usage(`the history has no cause ${JSON.stringify(id)}`, {
    advice: '`hookdrift violations --by-cause` lists those that are open',
  })
}

function noReadyFix(rule: string): AuditError {
  const page = isBuiltInRule(rule) ? `\`hookdrift rules ${rule}\`` : 'its `remediation` in the policy'
  return AuditError.usage(`no request fixes a violation of ${rule} by one value: a person decides`, {
    advice: `${page} says how to fix it`,
  })
}

async function findOne(reader: HistoryReader, { uid: named, run, projects, kind }: RestoreQuery): Promise<Identity> {
  const identities = await findIdentities(reader, named, { run: run.number, isChosen: chosenBy(projects, kind) })
  const [one, ...others] = identities
  if (one === undefined) throw await unknownResource(reader, named, { run: run.number })
  const { uid } = one
  if (others.length > 0) {
    const names = identities.map(({ project, kind }) => `${project.name} ${kind}`).join(', ')
    throw AuditError.usage(`several resources have the uid ${uid}: ${names}`, {
      advice: 'choose with --project or --kind',
    })
  }
  if (one.kind === 'event_type') {
    throw AuditError.usage(`${uid} is an event type: no request is printed for it`, {
      advice:
        'change it by hand: `POST …/event-types` creates one, `PUT …/event-types/{id}` writes category, description and ' +
        'schema, `POST …/event-types/{id}/deprecate` deprecates one; no request takes that back or deletes one',
    })
  }
  if (!isRepairable(one.kind) && one.kind !== 'device') {
    throw AuditError.usage(`${uid} is a ${one.kind}: hookdrift makes it itself, and no request restores it`, {
      advice: 'name an endpoint, a subscription, a source or a project',
    })
  }
  return one
}

function notThere({ uid, kind }: Identity, versions: readonly VersionSpan[], chosenRun: CommittedRun): AuditError {
  const spans = versions.map(({ fromRun, toRun }) =>
    toRun === null ? `since run ${fromRun}` : `${fromRun} to ${toRun - 1}`,
  )
  return AuditError.usage(`the history has no state of the ${kind} ${uid} in run ${chosenRun.number}`, {
    advice: `it has states of runs ${spans.join(', ')}; \`hookdrift timeline ${shellWord(uid)}\` shows them`,
  })
}

/** References of a subscription to resources that are gone: once they are back, they have another uid. */
async function goneReferences(
  reader: HistoryReader,
  { project, kind }: Identity,
  attributes: JsonObject,
  run: CommittedRun,
): Promise<('endpoint_uid' | 'source_uid')[]> {
  if (kind !== 'subscription') return []
  const gone: ('endpoint_uid' | 'source_uid')[] = []
  for (const [attribute, kind] of [
    ['endpoint_uid', 'endpoint'],
    ['source_uid', 'source'],
  ] as const) {
    const uid = attributes[attribute]
    if (typeof uid !== 'string') continue
    const last = (await readVersionsOf(reader, { project, kind, uid }, run.number)).at(-1)
    if (last !== undefined && last.toRun !== null) gone.push(attribute)
  }
  return gone
}

/** The settings of the project of an endpoint, as of its last scan, where that read all of them. */
async function readSettings(
  reader: HistoryReader,
  { project, kind }: Identity,
  scans: readonly RecordedScan[],
  run: CommittedRun,
): Promise<JsonObject | undefined> {
  const walk = scans[0]?.coverage.find(({ listing }) => listing === 'project')
  if (kind !== 'endpoint' || walk?.status !== 'complete') return undefined
  const last = (await readVersionsOf(reader, { project, kind: 'project', uid: project.uid }, run.number)).at(-1)
  return last?.toRun === null ? attributesOf(last) : undefined
}

/** Subscriptions that the same run removed: the service deletes them with their endpoint or source. */
async function dependentsOf(reader: HistoryReader, identity: Identity, last: VersionSpan, run: CommittedRun) {
  const referrers = await readReferrersOf(reader, identity, run.number)
  return referrers
    .filter(({ toRun }) => toRun !== null && toRun === last.toRun)
    .map(({ uid, name }) => ({ uid, name: withoutSeals(name) }))
}
