import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Report } from '../src/model/report.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import {
  type ChurnCase,
  ChurnedProject,
  describeHappening,
  drawCase,
  type List,
  lists,
} from './churn/churned-project.ts'
import { type Breach, type Range, runCases, shrinkList } from './run-cases.ts'
import { serve } from './serve.ts'

/**
 * Walks lists while rows are inserted, deleted, updated and moved, between pages and while one is on its way. A stable
 * row, one that no change touches, is seen once, or the walk is not complete. Nothing that is there is removed, added or
 * resolved, and a quiet walk afterwards knows what there is. A row that moves behind the reader is on no page: nothing
 * is asked of it. `node prove/churn.ts [projects] [seed]`.
 */
const atOnce = 32
// Without the rules across resources: what becomes of one row says something of others there.
const policy = policyOf(
  'extends: [all]\nrules: { endpoint/url-duplicate: off, endpoint/secret-shared: off, endpoint/auth-shared: off }\n',
)
const listOf: Readonly<Record<string, List>> = {
  endpoint: 'endpoints',
  source: 'sources',
  subscription: 'subscriptions',
}

await runCases({ script: import.meta.url, atOnce, deadlineMs: 900_000, prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const cases = Array.from({ length: to - from }, (_, at) => drawCase(seed, from + at))
  const found: Breach[] = []
  for (const [at, fault] of (await faultsOf(cases)).entries()) {
    const one = cases[at]
    if (one === undefined || fault === undefined) continue
    const happenings = await shrinkList(one.happenings, async (fewer) => {
      const [again] = await faultsOf([{ ...one, happenings: fewer }])
      return again?.promise === fault.promise
    })
    const shrunk = `${one.pageSize} a page, ${lists.map((list) => `${one.rows[list].length} ${list}`).join(', ')}; ${happenings.map(describeHappening).join('; ')}`
    found.push({ ...fault, index: one.index, shrunk, size: happenings.length })
  }
  return found
}

/** For each case, what its walks broke first. */
async function faultsOf(cases: readonly ChurnCase[]): Promise<(Pick<Breach, 'promise' | 'what'> | undefined)[]> {
  const living = new Map(cases.map((one) => [one.uid, new ChurnedProject(one)]))
  const names = Object.fromEntries(cases.map(({ uid }) => [uid.toLowerCase(), uid]))
  await using server = await serve((request, response) => answer(request, response, living))
  await using harness = openAuditHarness({
    projects: names,
    key: 'not-a-real-key',
    limits: { retries: 0 },
    concurrency: 4,
  })
  const audit = async (isQuiet: boolean) => {
    for (const one of living.values()) one.begin(isQuiet)
    return await harness.audit({ url: server.url, policy })
  }
  const faults: (Pick<Breach, 'promise' | 'what'> | undefined)[] = []
  await audit(true)
  const known = cases.map(({ rows }) => new Set(lists.flatMap((list) => rows[list].map(({ item }) => item.uid))))
  const churned = await audit(false)
  for (const [at, { uid }] of cases.entries()) {
    const project = living.get(uid)
    if (project !== undefined) faults[at] = checkChurned(churned, project, `acme/${uid.toLowerCase()}`)
    follow(known[at], churned, uid)
  }
  // What is withheld once is confirmed, or not, by the next scan.
  for (let quiet = 0; quiet < 2; quiet++) {
    const report = await audit(true)
    for (const [at, { uid }] of cases.entries()) {
      follow(known[at], report, uid)
      if (quiet === 0) continue
      const there = new Set(lists.flatMap((list) => [...(living.get(uid)?.uidsOf(list) ?? [])]))
      faults[at] ??= checkQuiet(report, `acme/${uid.toLowerCase()}`, differing(known[at] ?? new Set(), there))
    }
  }
  return faults
}

function answer(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  living: ReadonlyMap<string, ChurnedProject>,
): void {
  const { pathname, searchParams } = new URL(url, 'http://service')
  const [, , , , uid = '', name] = pathname.split('/')
  const list = lists.find((one) => one === name)
  const settings = { uid, name: uid, type: 'outgoing', config: { search_policy: '720h' } }
  // The configuration has one size for all projects.
  searchParams.set('perPage', String(living.get(uid)?.pageSize ?? 1))
  const data = list === undefined ? settings : living.get(uid)?.answer(list, searchParams)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ status: true, message: 'ok', data }))
}

/** Takes over what complete walks say was added and removed: each is compared with the complete one before it. */
function follow(known: Set<unknown> | undefined, { coverage, drift }: Report, uid: string): void {
  const name = `acme/${uid.toLowerCase()}`
  const incomplete = new Set(
    coverage.flatMap(({ project, listing, status }) => (project === name && status !== 'complete' ? [listing] : [])),
  )
  for (const { project, kind, change, uid: changed } of drift) {
    const list = listOf[kind]
    if (project !== name || list === undefined || incomplete.has(list)) continue
    if (change === 'added') known?.add(changed)
    if (change === 'removed') known?.delete(changed)
  }
}

function checkChurned(
  report: Report,
  project: ChurnedProject,
  name: string,
): Pick<Breach, 'promise' | 'what'> | undefined {
  const unseen = (what: string) => ({ promise: 'unseen', what }) as const
  const statusOf = (list: List | undefined) =>
    report.coverage.find((walk) => walk.project === name && walk.listing === list)?.status
  for (const list of lists) {
    if (statusOf(list) !== 'complete') continue
    const twice = [...project.shownOf(list)].find(([, times]) => times > 1)
    if (twice !== undefined) return unseen(`${twice[0]} was on two pages, and the walk of ${list} is complete`)
    const missed = [...project.stableOf(list)].find((uid) => !project.shownOf(list).has(uid))
    if (missed !== undefined) return unseen(`${missed} was on no page, and the walk of ${list} is complete`)
  }
  for (const { project: owner, change, kind, uid } of report.drift) {
    const list = listOf[kind]
    if (owner !== name || list === undefined) continue
    const what = `${kind} ${uid} is ${change}`
    if (!project.touched.has(uid)) return unseen(`${what}, and nothing happened to it`)
    if (change !== 'removed') continue
    if (statusOf(list) !== 'complete') return unseen(`${what}, and its walk was not complete`)
    if (project.shownOf(list).has(uid)) return unseen(`${what}, and a page showed it`)
  }
  const wrong = report.violations.find(
    ({ project: owner, state, uid, kind }) =>
      owner === name && state === 'resolved' && kind !== 'project' && !project.touched.has(uid),
  )
  return wrong && unseen(`${wrong.rule} of ${wrong.uid} is resolved, and nothing happened to it`)
}

function checkQuiet(
  { coverage }: Report,
  name: string,
  others: ReadonlySet<unknown>,
): Pick<Breach, 'promise' | 'what'> | undefined {
  const gap = coverage.find(({ project, status }) => project === name && status !== 'complete')
  if (gap !== undefined) return { promise: 'other', what: `${gap.listing} is ${gap.status} in quiet: ${gap.reason}` }
  if (others.size === 0) return undefined
  return { promise: 'unseen', what: `in quiet, the history differs in ${[...others].slice(0, 3).join(', ')}` }
}

function differing(known: ReadonlySet<unknown>, there: ReadonlySet<unknown>): ReadonlySet<unknown> {
  const missing = [...there].filter((uid) => !known.has(uid))
  return new Set([...missing, ...[...known].filter((uid) => !there.has(uid))])
}
