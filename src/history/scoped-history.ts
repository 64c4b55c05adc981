import { matchesGlob } from '../model/glob.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import { projectKey } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import type { OpenHistory } from './history.ts'
import type { HistoryReader, IdentifiedViolation, ViolationChoice } from './reader.ts'
import type { RunRecord } from './records.ts'
import { countVisible } from './scoped-runs.ts'
import { seenScans, seenWalks, type Visibility } from './visibility.ts'

/**
 * A history as if it had only some projects, for readers who may not know of the others. It answers all that readers
 * ask, and refuses to be written. What is said of a run as a whole stays: its number, its times, its policy.
 */
export function scopedHistory(history: OpenHistory, visibility: Visibility): OpenHistory {
  return { ...scopedReader(history, visibility), ...scopedRecords(history, visibility), ...refusals }
}

interface OfProject {
  readonly project: string
}

function scopedReader(history: OpenHistory, visibility: Visibility): HistoryReader {
  const { isVisible } = visibility
  const isSeen = ({ project }: OfProject) => isVisible(project)
  const isSeenIn = ({ project }: { readonly project: { readonly name: string } }) => isVisible(project.name)
  const amongSeen = <Choice extends ViolationChoice>(choice: Choice): Choice => ({
    ...choice,
    isChosen: (group) => isSeen(group) && choice.isChosen?.(group) !== false,
  })
  const latestScans: HistoryReader['latestScans'] = async (run, only) =>
    seenScans(await history.latestScans(run, only), visibility)
  return {
    madeAt: () => history.madeAt(),
    moved: () => history.moved(),
    runs: () => history.runs(),
    lastRun: () => history.lastRun(),
    close: () => history.close(),
    committedRun: (number) => history.committedRun(number),
    latestScans,

    async endedRuns(most) {
      const { runs, total } = await history.endedRuns(most)
      return { runs: await countVisible(runs, history, visibility), total }
    },
    runsBefore: async (run, most) => countVisible(await history.runsBefore(run, most), history, visibility),
    runExtents: async (first, last) => (await history.runExtents(first, last)).filter(isSeenIn),
    async readRun(number) {
      const record = await history.readRun(number)
      return record && scopedRecord(record, visibility)
    },
    async runInputs(run) {
      const inputs = await history.runInputs(run)
      if (inputs === undefined) return undefined
      // What waits and what nothing refers to is filed by the keys of projects.
      const known = new Set((await latestScans(run)).map(({ project }) => projectKey(project)))
      const isKnown = ({ project }: { readonly project: Parameters<typeof projectKey>[0] }) =>
        known.has(projectKey(project))
      return {
        ...inputs,
        projects: inputs.projects.filter(isSeen),
        changes: inputs.changes.filter(isSeen),
        withheldRemovals: inputs.withheldRemovals.filter(isKnown),
        unreferenced: inputs.unreferenced.filter(isKnown),
      }
    },

    violationsAt: async (run) => (await history.violationsAt(run)).filter(isSeen),
    resolvedBetween: async (after, run) => (await history.resolvedBetween(after, run)).filter(isSeen),
    firstViolations: (choice) => history.firstViolations(amongSeen(choice)),
    pageViolations: (choice) => history.pageViolations(amongSeen(choice)),
    violatedRules: async (run) => (await history.violatedRules(run)).filter(isSeen),
    groupViolations: (choice, visit) =>
      history.groupViolations(choice, (group) => {
        if (isSeen(group)) visit(group)
      }),
    foundViolations: (found) => history.foundViolations(found.filter(isSeen)),
    async identifyViolations(prefix, run, most) {
      // Hidden ones must not take the place of visible ones.
      for (let asked = most; ; asked *= 4) {
        const identified: readonly IdentifiedViolation[] = await history.identifyViolations(prefix, run, asked)
        const seen = identified.filter(isSeenIn)
        if (seen.length >= most || identified.length < asked) return seen.slice(0, most)
      }
    },
    visitSpans: (after, run, visit) =>
      history.visitSpans(after, run, (span) => {
        if (isSeen(span)) visit(span)
      }),
    async waivedBetween(after, run) {
      const fingerprints = new Set<string>()
      await history.visitSpans(after, run, (span) => {
        if (span.isWaived && isSeen(span)) fingerprints.add(span.fingerprint)
      })
      return (await history.waivedBetween(after, run)).filter(({ fingerprint }) => fingerprints.has(fingerprint))
    },

    async policiesBetween(after, run) {
      const visible = (await latestScans(run)).map(({ project }) => project.name)
      return (await history.policiesBetween(after, run)).map((one) => ({
        ...one,
        policy: scopedPolicy(one.policy, visible),
      }))
    },

    stateAt: async (project, run, kind) => (isVisible(project.name) ? history.stateAt(project, run, kind) : []),
    completeScansAt: async (project, run) => (isVisible(project.name) ? history.completeScansAt(project, run) : {}),
    versionsAt: async (project, points) =>
      isVisible(project.name) ? history.versionsAt(project, points) : points.map(() => undefined),
    listResources: (choice) =>
      history.listResources({
        ...choice,
        projects: choice.projects.filter(({ name }) => isVisible(name)),
        // It is a place in the first project.
        after: isVisible(choice.projects[0]?.name ?? '') ? choice.after : undefined,
      }),
    countResources: (projects, run) =>
      history.countResources(
        projects.filter(({ name }) => isVisible(name)),
        run,
      ),
    differing: async (from, to) => (await history.differing(from, to)).filter(isSeenIn),
    visitDiffering: (from, to, visit) =>
      history.visitDiffering(from, to, (pair) => {
        if (isSeenIn(pair)) visit(pair)
      }),
    find: async (uid, run) => (await history.find(uid, run)).filter(isSeenIn),
    search: async (text, run) => (await history.search(text, run)).filter(isSeenIn),
    endpointsOf: async (owner, run) => (await history.endpointsOf(owner, run)).filter(isSeenIn),
    versionsOf: async (identity, run) => (isSeenIn(identity) ? history.versionsOf(identity, run) : []),
    violationsOf: async (identity, run) => (isSeenIn(identity) ? history.violationsOf(identity, run) : []),
    referrersOf: async (identity, run) => (isSeenIn(identity) ? history.referrersOf(identity, run) : []),
  }
}

/** What was said of hidden projects, or of the run in words that may name them, is left out. */
function scopedRecord(record: RunRecord, visibility: Visibility): RunRecord {
  const { isVisible } = visibility
  const isSeen = ({ project }: OfProject) => isVisible(project)
  const visible = [...record.projects.map(({ project }) => project), ...record.scope.unscanned].filter(isVisible)
  return {
    ...record,
    projects: record.projects.filter(isSeen),
    coverage: seenWalks(record.coverage, visibility),
    notices: record.notices.filter(({ project, code }) =>
      project === null ? code === 'clock_went_back' : isVisible(project),
    ),
    changes: record.changes.filter(isSeen),
    violations: record.violations.filter(isSeen),
    accepted: record.accepted.filter(isSeen),
    policy: scopedPolicy(record.policy, visible),
    scope: scopedScope(record.scope, visible),
  }
}

/** An override for hidden projects is not theirs to know, nor are the names of what another one is for. */
function scopedPolicy({ packs, exceptions, waivers }: PolicyFacts, visible: readonly string[]): PolicyFacts {
  const isReached = (pattern: string) => visible.some((name) => matchesGlob(name, pattern))
  return {
    packs,
    exceptions: exceptions.flatMap((exception) =>
      exception.projects === null || exception.projects.some(isReached)
        ? [{ ...exception, match: null, projects: null }]
        : [],
    ),
    waivers,
  }
}

/** The name of a schedule may be that of a hidden project. */
function scopedScope(scope: RunScope, visible: readonly string[]): RunScope {
  const services = new Set(visible.map(serviceOf))
  return {
    company: scope.company,
    gateways: scope.gateways.filter(({ service }) => services.has(service)),
    unscanned: scope.unscanned.filter((name) => visible.includes(name)),
    schedules: scope.schedules.map((schedule) => ({ ...schedule, name: '' })),
    schedule: null,
  }
}

function serviceOf(project: string): string {
  return project.slice(0, project.indexOf('/'))
}

type Records = Pick<
  OpenHistory,
  'approvals' | 'approvedResources' | 'acceptances' | 'channels' | 'undelivered' | 'firstWaiting'
>

/** Messages are about whole runs: who may not know of all projects reads none, and pages do not say that none wait. */
function scopedRecords(history: OpenHistory, { isVisible }: Visibility): Records {
  const isSeenIn = ({ project }: { readonly project: { readonly name: string } }) => isVisible(project.name)
  return {
    approvals: async () => (await history.approvals()).filter(isSeenIn),
    approvedResources: async (approval) => (isSeenIn(approval) ? history.approvedResources(approval) : []),
    acceptances: async () => (await history.acceptances()).filter(isSeenIn),
    channels: refuse,
    undelivered: refuse,
    firstWaiting: refuse,
  }
}

async function refuse(): Promise<never> {
  throw new Error('this is not for readers of some projects only')
}

const refusals = {
  approve: refuse,
  revoke: refuse,
  accept: refuse,
  revokeAcceptances: refuse,
  enqueue: refuse,
  claim: refuse,
  renew: refuse,
  release: refuse,
  delivered: refuse,
  failed: refuse,
  giveUp: refuse,
  markGone: refuse,
  dropFinished: refuse,
} satisfies Partial<OpenHistory>
