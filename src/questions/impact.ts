import { z } from 'zod'
import type { ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { deliveryStatuses, windowParameters } from '../gateway/deliveries.ts'
import { freeName, type Gateway } from '../gateway/repair/gateway.ts'
import { type LostDeliveries, planRedelivery, type Redelivery } from '../gateway/repair/plan-redelivery.ts'
import type { TimeWindow } from '../gateway/service/service-client.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listResources } from '../history/sql/list-resources.ts'
import { readVersionsOf } from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { readStateAt } from '../history/sql/state-at.ts'
import { exitCodes } from '../model/errors.ts'
import { pointersOverlap, valueAt, withValueAt } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { type ProjectRef, projectKey } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { quote } from '../model/text/neutralise.ts'
import { type AnswerForm, aboutScans, limited } from '../report/answer.ts'
import { shellWord } from '../report/text/commands.ts'
import { shorten } from '../report/text/shorten.ts'
import { statingExtent } from './as-of.ts'
import {
  type CountedEndpoint,
  countImpact,
  type ImpactCounts,
  mayLackDeliveries,
  nothingCounted,
  type PresentRoutes,
  reachOfEvents,
} from './count-impact.ts'
import { attributesOf } from './field-gaps.ts'
import { type ImpactRow, isKnown } from './impact-row.ts'
import { type ConcernedEndpoint, type ImpactScope, readImpactScope } from './impact-scope.ts'
import { compareIn, differsIn } from './impact-window.ts'
import {
  configuredQuestion,
  kindParameter,
  parameter,
  projectParameter,
  type QuestionReply,
  runNamed,
  uidOrName,
} from './question.ts'
import { type ImpactAsker, openImpactAsker, type WindowQuestion } from './read-impact.ts'
import { gatewayOf, repairTo } from './restore.ts'
import type { RestoreRow } from './restore-row.ts'
import { concludeImpact, eventHint, impactView, introduceImpact } from './show-impact.ts'
import { toRow } from './show-restore.ts'

const counted = (what: string) => z.int().min(0).nullable().describe(`${what}; null: not known.`)

const end = (what: string) =>
  z
    .object({ run: z.int().min(1).nullable(), at: schemas.time })
    .describe(`${what} \`run\`: null where no run shows it.`)

const placeholders = listOf(
  z.object({
    name: z.string().describe('Written in braces behind a dollar sign where it belongs.'),
    in: z.enum(['url', 'header']),
    path: z.null(),
    hint: z.string().describe('What to fill in.'),
  }),
).describe('Every place that has a placeholder.')

const headers = z.record(z.string(), z.string()).describe('By name. May contain placeholders.')

const impactRow = z.object({
  project: schemas.project,
  kind: z.enum(['endpoint', 'source']).describe('`source`: of one, no endpoint is known in the window.'),
  uid: schemas.uid,
  name: schemas.name,
  from: end('The start of the window: the last run that saw the former value.'),
  to: end('Its end: the run that saw it put back, or the time of asking.'),
  deliveries: z
    .object(Object.fromEntries(deliveryStatuses.map((status) => [status, counted(status)])))
    .describe('Deliveries made in the window, by the status that they have now.'),
  undelivered: counted('Events of the window of which no delivery was made, because of the change'),
  first: listOf(
    z.object({
      purpose: z.string(),
      method: z.enum(['GET', 'PUT', 'POST', 'DELETE']),
      url: z.string(),
      headers,
      when: z.string().nullable().describe('When to send it, where that depends on the release of the service.'),
    }),
  ).describe('Requests to send before the others.'),
  retry: z
    .object({
      method: z.literal('POST'),
      url: z.string().describe('Names endpoints, statuses and both ends of the window: it touches nothing else.'),
      headers,
      placeholders,
      count: schemas.count.describe('How many deliveries it sends again.'),
    })
    .nullable()
    .describe('Sends failed and discarded deliveries again; null: `reasons` says why not.'),
  replay: z
    .object({
      method: z.literal('PUT'),
      url: z.string().describe('With a placeholder for the id of an event: a request for each one.'),
      headers,
      placeholders,
      events: listOf(z.string()).describe('Their ids.'),
      count: schemas.count.describe('How many there are.'),
      also_reaches: listOf(z.string()).describe('Uids of other endpoints that get some of the events again.'),
    })
    .nullable()
    .describe('Has events delivered anew; null: `reasons` says why not.'),
  reasons: listOf(z.string()).describe('What is not known, what to do before, and why a request is left out.'),
  sent: z.literal(false).describe('hookdrift sends none of these requests.'),
})

export const impactForm: AnswerForm = {
  name: 'impact',
  version: 1,
  about: aboutScans,
  row: impactRow,
  more: {
    target: z.object({
      type: z.enum(['violation', 'cause', 'resource']),
      id: z.string(),
    }),
    sent: z.literal(false).describe('hookdrift sends none of these requests.'),
  },
}

const runOrTime = 'a run (12, latest~2) or a time (2026-11-21T14:03:00Z, 2h)'

export const impact = configuredQuestion({
  form: impactForm,
  parameters: {
    target: parameter('<target>', `a violation, a cause, or a resource: ${uidOrName}`, z.string()),
    from: parameter(
      '--from <run|time>',
      `where the window begins: ${runOrTime} (default: the last run that saw the former value)`,
      z.string().optional(),
    ),
    to: parameter(
      '--to <run|time>',
      'where it ends, given in the same way (default: the run that saw it put back, else now)',
      z.string().optional(),
    ),
    project: projectParameter,
    kind: kindParameter,
  },
  isOfRun: false,
  async read(history, { target, from, to, project: projects, kind }, { options, terminal, limit, now: given }) {
    const now = given ?? systemClock.now()
    const run = await runNamed(history, 'latest')
    const scope = await readImpactScope(history, { target, run, projects, kind, from, to, now })
    // Who asks over a port waits for a bounded time; a person can stop the command.
    const signal = terminal.reading === undefined ? new AbortController().signal : AbortSignal.timeout(longestAnswerMs)
    const asker = openImpactAsker({ config: options.config, terminal, signal, now })
    try {
      return await readImpact(history, scope, { run, limit, config: options.config, terminal, asker })
    } finally {
      await asker.close()
    }
  },
})

const longestAnswerMs = 120_000

interface ImpactSession {
  readonly run: CommittedRun
  readonly limit: number
  readonly config: string
  readonly terminal: ProcessContext
  readonly asker: ImpactAsker
}

async function readImpact(
  reader: HistoryReader,
  scope: ImpactScope,
  session: ImpactSession,
): Promise<QuestionReply<ImpactRow>> {
  const { run, limit } = session
  const byProject = Map.groupBy(scope.concerned, ({ project }) => projectKey(project))
  const rows: ImpactRow[] = []
  for (const concerned of byProject.values()) rows.push(...(await readProject(reader, concerned, session)))
  const { type, id, text } = scope.target
  const scans = await readLatestScans(reader, run.number)
  const names = new Set(scope.concerned.map(({ project }) => projectKey(project)))
  const concerned = scans.filter(({ project }) => names.has(projectKey(project)))
  return {
    answer: {
      form: impactForm,
      ...statingExtent(run, concerned),
      more: { target: { type, id }, sent: false },
      remarks: introduceImpact(rows, text),
      ...limited(rows, limit),
      conclusion: concludeImpact(rows),
    },
    view: impactView,
    exitCode: rows.every(isKnown) ? exitCodes.clean : exitCodes.incomplete,
  }
}

/** More endpoints than fit into an address are not named in it. */
const mostNamed = 50

async function readProject(
  reader: HistoryReader,
  concerned: readonly ConcernedEndpoint[],
  { run, config, terminal, asker }: ImpactSession,
): Promise<readonly ImpactRow[]> {
  const [one] = concerned
  if (one === undefined) return []
  const { project } = one
  const isSwitchedOff = await switchesOff(reader, project, run)
  const peersOf = await readPeers(reader, concerned, run)
  const cases = concerned.map((each) => ({
    concerned: each,
    window: roundedWindow(each),
    counting: countedOf(each, peersOf(each)),
  }))
  const groups = [...Map.groupBy(cases, ({ window }) => keyOf(window)).values()]
  const questions = groups.flatMap((group): WindowQuestion[] => {
    const [first] = group
    if (first === undefined) return []
    const uids = group.flatMap(({ concerned: { kind, uid } }) => (kind === 'endpoint' ? [uid] : []))
    const lives = group.flatMap((each) => each.concerned.subscriptions)
    const sources = lives.flatMap(({ former }) => {
      const source = former?.source_uid
      return typeof source === 'string' && source !== '' ? [source] : []
    })
    return [
      {
        window: first.window,
        endpoints: uids.length > mostNamed ? [] : uids,
        sources: [...new Set(sources)],
        mayLackDeliveries: group.some(({ counting }) => mayLackDeliveries(counting)),
        mayReplay: isSwitchedOff || group.some((each) => headersOf(each.concerned) !== 'accepted'),
      },
    ]
  })
  const isAsked = concerned.some(({ kind }) => kind === 'endpoint')
  const read = isAsked ? await asker.ask(project, questions) : []
  const rowsOf = new Map(groups.map(([first], at) => [first === undefined ? '' : keyOf(first.window), read[at]]))
  const routes = await readRoutes(reader, project, run)
  const events = read.flatMap((rows) => (typeof rows === 'string' ? [] : (rows.events ?? [])))
  const found = cases.map(({ concerned, window, counting }) => {
    const rows = concerned.kind === 'endpoint' ? rowsOf.get(keyOf(window)) : undefined
    const counts = typeof rows === 'object' ? countImpact(counting, rows) : uncounted(concerned, rows)
    return { concerned, window, counts }
  })
  const plans = planRedelivery(
    found.map(({ concerned, window, counts }) => lostOf(concerned, { window, counts, isSwitchedOff })),
    reachOfEvents(events, routes),
  )
  const gateway = gatewayOf(project, { config }, terminal)
  const rows: ImpactRow[] = []
  for (const [at, { concerned, window, counts }] of found.entries()) {
    const plan = plans[at]
    if (plan === undefined) continue
    const first: RestoreRow[] = []
    const byHand: string[] = []
    for (const { concerned: stopped } of found.filter((each) => plan.activate.includes(each.concerned.uid))) {
      const activation = await activate(reader, stopped, { run, gateway })
      first.push(...activation.requests)
      byHand.push(...activation.reasons)
    }
    rows.push({
      project: project.name,
      kind: concerned.kind,
      uid: concerned.uid,
      name: concerned.name,
      from: { run: concerned.from.run, at: concerned.from.at },
      to: concerned.to,
      deliveries: counts.deliveries,
      undelivered: counts.undelivered,
      first,
      ...requestsOf(plan, { project, window, gateway }),
      reasons: [...new Set([...counts.reasons, ...plan.reasons, ...byHand])],
    })
  }
  return rows
}

/** The service reads whole seconds. */
function roundedWindow({ from, to }: Pick<ConcernedEndpoint, 'from' | 'to'>): TimeWindow {
  const { startDate, endDate } = windowParameters({ from: Date.parse(from.at), to: Date.parse(to.at) })
  return { from: Date.parse(`${startDate}Z`), to: Date.parse(`${endDate}Z`) }
}

function keyOf({ from, to }: TimeWindow): string {
  return `${from}-${to}`
}

function countedOf(
  { uid, subscriptions, during, now, traceless }: ConcernedEndpoint,
  peers: CountedEndpoint['peers'],
): CountedEndpoint {
  const [first, ...others] = [...during, ...(now === undefined ? [] : [now])]
  const hasOtherOwner = first !== undefined && others.some((one) => differsIn('endpoint', first, one, ['/owner_id']))
  return { uid, subscriptions, hasOtherOwner, peers, traceless }
}

/** Which endpoints have or had the same owner: as of the first run of the windows, and now. */
async function readPeers(reader: HistoryReader, concerned: readonly ConcernedEndpoint[], run: CommittedRun) {
  const isNeeded = concerned.some(({ subscriptions }) => subscriptions.some(({ isChanged }) => isChanged))
  const runs = isNeeded ? new Set([...concerned.flatMap(({ from }) => from.run ?? []), run.number]) : []
  const owners: { readonly uid: string; readonly owner: string }[] = []
  for (const number of runs) {
    for (const { project } of concerned.slice(0, 1)) {
      for (const version of await readStateAt(reader, project, number, 'endpoint')) {
        const { owner_id: owner } = attributesOf(version)
        if (typeof owner === 'string' && owner !== '') owners.push({ uid: version.uid, owner })
      }
    }
  }
  return ({ uid }: ConcernedEndpoint): ReadonlySet<string> => {
    const own = new Set(owners.flatMap((one) => (one.uid === uid ? [one.owner] : [])))
    return new Set(owners.flatMap((one) => (one.uid !== uid && own.has(one.owner) ? [one.uid] : [])))
  }
}

function uncounted({ traceless }: ConcernedEndpoint, reason: string | undefined): ImpactCounts {
  const reasons = [...traceless, ...(reason === undefined ? [] : [reason])]
  return {
    deliveries: nothingCounted,
    undelivered: null,
    failed: [],
    lost: [],
    pending: 0,
    reached: undefined,
    reasons,
  }
}

async function readRoutes(reader: HistoryReader, project: ProjectRef, run: CommittedRun): Promise<PresentRoutes> {
  const subscriptions = await readStateAt(reader, project, run.number, 'subscription')
  const choice = { projects: [project], run: run.number, kind: 'endpoint' as const, after: undefined }
  const endpoints = await listResources(reader, { ...choice, withRemoved: true, most: Number.MAX_SAFE_INTEGER })
  return {
    subscriptions: subscriptions.map(attributesOf),
    deleted: new Set(endpoints.flatMap(({ uid, removedBy }) => (removedBy === null ? [] : [uid]))),
  }
}

/** Whether the project has `disable_endpoint` on; where the last scan did not read that, it may. */
async function switchesOff(reader: HistoryReader, project: ProjectRef, run: CommittedRun): Promise<boolean> {
  const last = (await readVersionsOf(reader, { project, kind: 'project', uid: project.uid }, run.number)).at(-1)
  return last === undefined || valueAt(attributesOf(last), '/config/disable_endpoint') !== false
}

interface LossKnown {
  readonly window: TimeWindow
  readonly counts: ImpactCounts
  readonly isSwitchedOff: boolean
}

function lostOf(concerned: ConcernedEndpoint, { window, counts, isSwitchedOff }: LossKnown): LostDeliveries {
  const { uid, name, isGone, now, subscriptions } = concerned
  const changed = subscriptions.filter(({ isChanged }) => isChanged)
  const status = now === undefined ? undefined : attributesOf(now).status
  return {
    uid,
    name: name === '' ? `endpoint ${quote(uid)}` : `endpoint ${quote(shorten(name, 60))}`,
    window: keyOf(window),
    failed: counts.failed,
    undelivered: counts.lost,
    reached: counts.reached,
    pending: counts.pending,
    status: isGone ? 'gone' : typeof status === 'string' ? status : 'active',
    headers: headersOf(concerned),
    isSwitchedOff,
    blocked: blockedOf(concerned),
    restoring: changed.slice(0, mostRestoring).map((one) => `hookdrift restore ${shellWord(one.uid)}`),
  }
}

const mostRestoring = 3

/** Whether the endpoint takes now what its deliveries carried in the window. */
function headersOf({ during, now }: ConcernedEndpoint): LostDeliveries['headers'] {
  if (now === undefined) return 'unknown'
  const { authentication } = attributesOf(now)
  const isOf = (type: string) => JSON.stringify(authentication ?? null).includes(`"type":"${type}"`)
  if (isOf('oauth2')) return 'expired'
  const compared = during.map((version) => compareIn('endpoint', version, now, ['/authentication']))
  if (compared.includes('changed')) return 'changed'
  return compared.includes('unknown') ? 'unknown' : 'accepted'
}

/** Without these as they were, the receiver refuses what it is sent. */
const deciding = ['/authentication', '/url', '/mtls_client_cert', '/secrets', '/advanced_signatures', '/content_type']

function blockedOf({ uid, openPaths }: ConcernedEndpoint): string | undefined {
  const open = [...new Set(openPaths.filter((path) => deciding.some((one) => pointersOverlap(path, one))))]
  if (open.length === 0) return undefined
  return `${open.join(', ')} ${open.length === 1 ? 'is' : 'are'} not put back, so it would fail again. Send what \`hookdrift restore ${shellWord(uid)}\` prints, audit, then ask again.`
}

/** The requests that activate an endpoint, as `restore` prints them; where there is none, what to do. */
async function activate(
  reader: HistoryReader,
  { project, uid, name, now }: ConcernedEndpoint,
  { run, gateway }: { readonly run: CommittedRun; readonly gateway: Gateway },
): Promise<{ readonly requests: readonly RestoreRow[]; readonly reasons: readonly string[] }> {
  if (now === undefined) return { requests: [], reasons: [] }
  const identity = { project, kind: 'endpoint' as const, uid }
  const scans = await readLatestScans(reader, run.number, project)
  const target = withValueAt(attributesOf(now), '/status', 'active')
  const present = { identity, now, scans, run, gateway, taken: [] }
  const { requests, manualSteps } = await repairTo(reader, { target, paths: ['/status'] }, present)
  return {
    requests: requests.map((request) => toRow({ resource: { ...identity, name }, fixes: [] }, request, gateway)),
    reasons: manualSteps.map(({ reason }) => reason),
  }
}

interface Destination {
  readonly project: ProjectRef
  readonly window: TimeWindow
  readonly gateway: Gateway
}

function requestsOf(plan: Redelivery, { project, window, gateway }: Destination): Pick<ImpactRow, 'retry' | 'replay'> {
  const { 'content-type': _, ...headers } = gateway.headers
  const ofGateway = gateway.placeholders.map(({ name, in: target, hint }) => ({ name, in: target, path: null, hint }))
  const base = [...gateway.baseUrl, `/projects/${encodeURIComponent(project.uid)}`]
  const { retry, replay } = plan
  const eventId = {
    name: freeName(
      'EVENT_ID',
      ofGateway.map(({ name }) => name),
    ),
  }
  return {
    retry: retry && {
      method: 'POST',
      url: [...base, `/eventdeliveries/batchretry?${retryQuery(retry, window)}`],
      headers,
      placeholders: ofGateway,
      count: retry.deliveries,
    },
    replay: replay && {
      method: 'PUT',
      url: [...base, '/events/', eventId, '/replay'],
      headers,
      placeholders: [...ofGateway, { ...eventId, in: 'url', path: null, hint: eventHint }],
      count: replay.events.length,
      events: replay.events,
      alsoReaches: replay.alsoReaches,
    },
  }
}

/** All of it: what a parameter does not name would be retried, too. A colon needs no encoding, and people read it. */
function retryQuery({ endpoints, statuses }: NonNullable<Redelivery['retry']>, window: TimeWindow): string {
  const { startDate, endDate } = windowParameters(window)
  const named = (name: string, values: readonly string[]) =>
    values.map((value) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':')}`)
  return [
    ...named('endpointId', endpoints),
    ...named('status', statuses),
    ...named('startDate', [startDate]),
    ...named('endDate', [endDate]),
  ].join('&')
}
