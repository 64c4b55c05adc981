import { compareFields, type SeenState } from '../gateway/inventory/compare-fields.ts'
import { malformedFields } from '../gateway/inventory/malformed.ts'
import { messageOf } from '../model/errors.ts'
import type { EvaluationStats } from '../model/evaluation.ts'
import { mostGapUids } from '../model/gap.ts'
import { isJsonObject, isWithinPointer, type Json, type JsonObject, valueAt, withValueAt } from '../model/json.ts'
import {
  isReadable,
  type Kind,
  type ProjectRef,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { nothing } from '../rules/engine/define-rule.ts'
import {
  type Completeness,
  type Drift,
  type DriftLife,
  type EvaluationContext,
  type EvaluationRun,
  emptyContext,
  type ResourceContext,
  type Rule,
  type RuleFinding,
  type ScanOutcome,
} from '../rules/engine/rule.ts'
import type { EvaluationOutcome } from './conclude-fleet-rules.ts'
import { gatherDoubts } from './doubts.ts'
import { coveringWaivers, matchingWaivers, stamp, type WaiverIndexes, waiveUnder } from './findings.ts'
import { FleetFactGatherer } from './fleet-facts.ts'
import type { ActiveRule, Policy } from './policy.ts'
import { ProjectRules } from './project-rules.ts'
import type { BoundRules, RuleSet, RuleSets } from './rule-sets.ts'
import { type RuleSwitch, switchOf } from './rule-switch.ts'
import { asReadBy, type OnRead, trackReads, watchChanges, watchReads, watchValues } from './watch-reads.ts'

/** What the evaluations of all projects of a run share. */
interface SharedEvaluation {
  readonly policy: Policy
  readonly run: EvaluationRun
  readonly named: readonly ActiveRule[]
  readonly sets: RuleSets
  /** For later findings about a resource: in its project, and across projects. */
  readonly projectWaivers: WaiverIndexes
  readonly fleetWaivers: WaiverIndexes
  /** The resource by which overrides are chosen. */
  asToday(resource: Resource): Resource
  /** What the licence of the service does not have. */
  readonly lacks: readonly string[]
}

type Since = EvaluationContext['since']

/** Evaluates a project's resources in the order of walking; rules across resources conclude at the end. */
export class ProjectEvaluator {
  readonly project: ProjectRef
  readonly #shared: SharedEvaluation
  /** Rules that do not apply, with the feature that the service's licence does not have. */
  readonly #notLicensed: Readonly<Record<string, string>>
  /** Rules that do not run here. */
  readonly #leftOut: ReadonlySet<string>
  readonly #active: readonly ActiveRule[]
  readonly #labels: EvaluationContext['labels']
  /** Of resources without a value that rules want dated. */
  readonly #context: EvaluationContext
  readonly #failures: Map<string, string>
  readonly #doubts = gatherDoubts()
  readonly #tally: Tally = new Map()
  /** Subscriptions of which no run has read filter rows. */
  readonly #withoutRows = new Map<Rules, UnreadRows>()
  /** Rules and resources of which a decision of the policy is unknown. */
  readonly #tentative = new Set<string>()
  /** Indexes of waivers that match findings, or would with a value that was not shown. */
  readonly #usedWaivers = new Set<number>()
  /** Rules and waivers of resources that a later finding may name, where they differ from the default. */
  readonly #exceptions = new Map<ResourceKey, RuleSet>()
  readonly #accepted = new Map<ResourceKey, WaiverIndexes>()
  readonly #rulesOf = new Map<RuleSet, Map<Kind, readonly BoundRules<'resource'>[]>>()
  readonly #ofProject: ProjectRules
  readonly #fleetFacts: FleetFactGatherer

  constructor(project: ProjectRef, excluded: ReadonlyMap<string, string>, shared: SharedEvaluation) {
    const { named, run, lacks } = shared
    const { labelsOf, meter } = run
    this.project = project
    this.#shared = shared
    this.#notLicensed = Object.fromEntries(
      named.flatMap(({ rule: { id, licence } }) =>
        licence !== undefined && lacks.includes(licence) ? [[id, licence]] : [],
      ),
    )
    this.#leftOut = new Set([...excluded.keys(), ...Object.keys(this.#notLicensed)])
    this.#active = this.#leftOut.size === 0 ? named : named.filter(({ rule }) => !this.#leftOut.has(rule.id))
    this.#labels = labelsOf(project)
    const inProject: ResourceContext = { labelsOf, meter, project, now: run.now }
    this.#context = { labels: this.#labels, since: emptyContext.since, run: inProject }
    this.#failures = new Map(excluded)
    const failed = (rule: Rule, error: unknown) => this.#fail(rule, error)
    const doubts = this.#doubts
    this.#ofProject = new ProjectRules(this.#active, { project, run: inProject, doubts, failed })
    this.#fleetFacts = new FleetFactGatherer(this.#active, doubts, failed)
  }

  /** A position in the policy (`file:line:column`) as reports name it. */
  get locationOf(): Policy['locationOf'] {
    return this.#shared.policy.locationOf
  }

  /** Findings of the rules about one resource. Also passes it to the rules across resources. */
  evaluate(resource: Resource, since?: Since): readonly Finding[] {
    this.#collect(resource)
    let findings: Finding[] | undefined
    for (const rule of this.#rulesFor(resource)) {
      const ruleFindings = this.#evaluateRule(rule, resource, since)
      // Nearly every rule finds nothing.
      if (ruleFindings === undefined || ruleFindings === noFindings) continue
      findings ??= []
      for (const finding of ruleFindings) findings.push(finding)
    }
    return findings ?? noFindings
  }

  #rulesFor(resource: Resource): readonly BoundRules<'resource'>[] {
    const { kind } = resource
    const set = this.#ruleSetOf(resource)
    let ofSet = this.#rulesOf.get(set)
    if (ofSet === undefined) {
      ofSet = new Map()
      this.#rulesOf.set(set, ofSet)
    }
    let rules = ofSet.get(kind)
    if (rules === undefined) {
      rules = (set.byKind.get(kind) ?? []).filter(this.#isIncluded)
      ofSet.set(kind, rules)
    }
    return rules
  }

  /** Findings of one of those rules; undefined where it failed or could not evaluate. */
  #evaluateRule(
    { active, bound }: BoundRules<'resource'>,
    resource: Resource,
    since?: Since,
  ): readonly Finding[] | undefined {
    const context = since === undefined ? this.#context : { ...this.#context, since }
    const { now } = this.#shared.run
    if (!isReadable(resource)) return this.#findWatched(active, resource, (seen) => bound.check(seen, now, context))
    try {
      const problems = bound.check(resource, now, context)
      return problems === nothing ? noFindings : this.#stamp(active, resource, problems)
    } catch (error) {
      this.#fail(active.rule, error)
      return undefined
    }
  }

  /** Passes a resource to the rules across resources, and counts it as evaluated. */
  #collect(resource: Resource): void {
    const { sets, projectWaivers, fleetWaivers } = this.#shared
    const { project } = this
    const { kind, uid } = resource
    const set = this.#ruleSetOf(resource)
    count(this.#tally, set.byId, kind)
    if (!isReadable(resource)) this.#doubtSelectors(resource)
    if (hasNoRows(resource)) {
      const unread = this.#withoutRows.get(set.byId) ?? { resources: 0, uids: [] }
      this.#withoutRows.set(set.byId, unread)
      unread.resources += 1
      if (unread.uids.length < mostGapUids) unread.uids.push(uid)
    }
    if (set !== sets.everyone) this.#exceptions.set(resourceKey(resource), set)
    const waiverIndexes = this.#accepting(resource, projectWaivers)
    if (waiverIndexes.length > 0) this.#accepted.set(resourceKey(resource), waiverIndexes)
    const isEvaluated = (rule: string) => set.byId.has(rule)
    const settingsOf = () => ({
      override: sets.keyFor(project, resource),
      waivers: this.#accepting(resource, fleetWaivers),
      tentative: this.#tentativeFor(resource),
    })
    this.#fleetFacts.visit(resource, isEvaluated, settingsOf)
    this.#ofProject.take(resource)
  }

  /** Notes which overrides and waivers depend on what is unknown of a resource. */
  #doubtSelectors(resource: Resource): void {
    const { overrides, waivers } = this.#shared.policy
    const decisions = [
      ...overrides.map(({ name, rules, unknownOf }) => ({
        decision: `The override for ${name}`,
        covers: (rule: string) => rules.includes(rule),
        unknownOf,
        leavesFindings: false,
      })),
      ...waivers.map((waiver) => ({ ...waiver, decision: `The waiver of ${waiver.name}`, leavesFindings: true })),
    ]
    for (const { decision, covers, unknownOf, leavesFindings } of decisions) {
      const read = unknownOf(this.project, this.#labels, resource)
      if (read.length === 0) continue
      for (const { rule } of this.#active) {
        if (!covers(rule.id) || ![rule.kind, ...rule.needs].includes(resource.kind)) continue
        const counts = !leavesFindings && rule.kind === resource.kind
        this.#doubts.note(rule.id, resource, { read, counts, decision, leavesFindings })
        this.#tentative.add(`${rule.id} ${resourceKey(resource)}`)
      }
    }
  }

  /**
   * Findings in the drift of a resource. `originRun`: the run whose scan shows what it is compared with; violations that
   * last until the value is back keep it. Rules about the approved state as a whole get the fields that these leave.
   * `unread`: JSON Pointers; asks only rules that read one of them.
   */
  compare(resource: Resource, changed: Drift, originRun?: number, unread?: readonly string[]): readonly Finding[] {
    const drift = leaveOutMalformed(changed, resource)
    const rules = Map.groupBy(this.#driftRules(resource), ({ active }) => active.rule.life)
    const findings: Finding[] = []
    const reported: string[] = []
    for (const rule of rules.get('restored') ?? none) {
      if (unread !== undefined && !this.#reads(rule, resource, drift, unread)) continue
      for (const finding of this.#compareWith(rule, resource, drift) ?? noFindings) {
        findings.push({ ...finding, originRun })
        reported.push(finding.path, ...rule.bound.reportsWith)
      }
    }
    // A value of a wrong type that a person approved is not what is there once that can be read.
    reported.push(...(asReadBy({ takesText: 'any' }, resource).malformed ?? none))
    const fields = changed.fields.filter(({ path }) => !reported.some((pointer) => isWithinPointer(path, pointer)))
    const find = (life: DriftLife, compared: Drift) =>
      (rules.get(life) ?? none).flatMap((rule) => this.#compareWith(rule, resource, compared) ?? noFindings)
    return [...findings, ...find('found', drift), ...find('approved', { ...changed, fields })]
  }

  /**
   * Notes which drift rules cannot compare a resource that has fields which no rule can rely on, whether or not anything
   * else in it changed: what such a field is now is unknown.
   */
  doubtUnread(resource: Resource, isApproved: boolean): void {
    const { attributes, unseen = none, malformed = none } = resource
    const fields = [...unseen, ...malformed].map((path) => ({
      path,
      before: valueAt(attributes, path) ?? null,
      after: null,
    }))
    const drift = unchanged(resource, { fields, isApproved, areSealsComparable: true })
    for (const rule of this.#driftRules(resource)) this.#compareWith(rule, resource, drift)
  }

  /**
   * Notes which drift rules cannot compare secrets of a resource. `before`: what it is compared with, sealed under another
   * installation key, or in another form.
   */
  doubtSecrets(resource: Resource & SeenState, before: SeenState, isApproved: boolean): void {
    const { kind, uid, attributes } = resource
    const resealed = compareFields(kind, before, resource).resealed
    if (resealed.length === 0) return
    const fields = resealed.map((path) => ({
      path,
      before: valueAt(before.attributes, path) ?? null,
      after: valueAt(attributes, path) ?? null,
    }))
    for (const { active, bound } of this.#driftRules(resource)) {
      const read = new Set<string>()
      const watched = watchValues(fields, (path) => read.add(path))
      const drift = unchanged(resource, { fields: watched, isApproved, areSealsComparable: false })
      try {
        // What it finds says nothing: only what it reads counts.
        Array.from(bound.check(drift, this.#shared.run.now))
      } catch (error) {
        this.#fail(active.rule, error)
      }
      if (read.size === 0) continue
      this.#doubts.note(active.rule.id, { kind, uid, resealed }, { read, counts: kind === active.rule.kind })
    }
  }

  /** Findings of one drift rule; undefined where it failed, could not evaluate, or is off for the resource. */
  compareBy(id: string, resource: Resource, drift: Drift): readonly Finding[] | undefined {
    const rule = this.#driftRules(resource).find(({ active }) => active.rule.id === id)
    // When something changed counts there, and not to what.
    const known = drift.outside === undefined ? leaveOutMalformed(drift, resource) : drift
    return rule && this.#compareWith(rule, resource, known)
  }

  /** Whether a rule is on for a resource, and what in the policy decides that. */
  switchOf(resource: Resource, rule: string): RuleSwitch {
    return switchOf(this.#shared.policy, rule, { project: this.project, labels: this.#labels, resource })
  }

  /** For how long violations of a drift rule stay open while the value is not back, in milliseconds. */
  openForMs(resource: Resource, id: string): number {
    const rule = this.#driftRules(resource).find(({ active }) => active.rule.id === id)
    return rule?.bound.openForMs ?? Number.POSITIVE_INFINITY
  }

  /** Findings in the scan itself. */
  evaluateScan(resource: Resource, scan: ScanOutcome): readonly Finding[] {
    const rules = this.#ruleSetOf(resource).scan.filter(this.#isIncluded)
    return rules.flatMap(({ active, bound }) => this.#findWatched(active, resource, () => bound.check(scan)) ?? [])
  }

  /** Findings of the rules across the project's resources, after all resources. */
  conclude(completeness: Completeness): readonly Finding[] {
    const { everyone } = this.#shared.sets
    const rulesFor = (key: ResourceKey) => (this.#exceptions.get(key) ?? everyone).byId
    const problems = this.#ofProject.check(completeness, (rule, resource) => rulesFor(resourceKey(resource)).has(rule))
    return problems.flatMap(({ rule, problem }) => {
      const key = resourceKey(problem.at)
      const active = rulesFor(key).get(rule.id)
      if (active === undefined) return []
      const finding = this.#asTentative(stamp(active, problem.at, problem))
      return [this.#waive(finding, this.#accepted.get(key) ?? none)]
    })
  }

  /** What the end of the run needs. */
  outcome(): EvaluationOutcome {
    const rowsUnread = countUnread(this.#withoutRows, this.#active)
    const countMissed = (rule: string, kind: Kind) =>
      this.#doubts.count(rule, kind) + (rowsUnread[rule]?.resources ?? 0)
    const { resources, evaluated_by_rule } = countEvaluated(this.#tally, this.#active, countMissed)
    const silent = Object.fromEntries([...this.#leftOut].map((rule) => [rule, 0]))
    return {
      resources,
      evaluated_by_rule: { ...evaluated_by_rule, ...silent },
      failures: Object.fromEntries(this.#failures),
      notLicensed: this.#notLicensed,
      doubts: this.#doubts.list(),
      rowsUnread,
      usedWaivers: [...this.#usedWaivers],
      facts: this.#fleetFacts.list(),
    }
  }

  readonly #isIncluded = ({ active }: { readonly active: ActiveRule }) => !this.#leftOut.has(active.rule.id)

  #ruleSetOf(resource: Resource): RuleSet {
    const { sets, asToday } = this.#shared
    return sets.of(this.project, asToday(resource))
  }

  #driftRules(resource: Resource): readonly BoundRules<'drift'>[] {
    const { drift } = this.#ruleSetOf(resource)
    return drift.filter((one) => this.#isIncluded(one) && one.bound.kinds.includes(resource.kind))
  }

  /** Whether a rule reads any of some values in a resource, or what is there instead, or how they changed. */
  #reads({ bound }: BoundRules<'drift'>, resource: Resource, drift: Drift, pointers: readonly string[]) {
    const shown = pointers.map((pointer) => withinShown(resource.attributes, pointer))
    const { seen, onRead, hasRead } = trackReads({ ...resource, malformed: shown, unseen: none })
    const fields = watchValues(drift.fields, (path) => onRead([path]))
    try {
      Array.from(bound.check({ ...drift, after: seen.attributes, fields }, this.#shared.run.now))
    } catch {
      // The comparison distinguishes a bug from a value of a wrong type.
      return true
    }
    return hasRead()
  }

  #compareWith({ active, bound }: BoundRules<'drift'>, scanned: Resource, drift: Drift) {
    const { now } = this.#shared.run
    const resource = asReadBy(active.rule, scanned)
    return this.#findWatched(active, resource, (seen, onRead) => {
      if (onRead === undefined) return bound.check(drift, now)
      const fields = watchChanges(drift.fields, resource, onRead)
      const before = drift.before === resource.attributes ? watchKnown(resource, onRead) : drift.before
      return bound.check({ ...drift, before, after: seen.attributes, fields }, now)
    })
  }

  /**
   * What a rule finds before it reads what no rule can rely on: that is certain, and what it finds later, or does not find,
   * is not. undefined where nothing is certain, or the rule failed. `seen`: the resource, watched if it has such fields.
   */
  #findWatched(
    active: ActiveRule,
    scanned: Resource,
    check: (seen: Resource, onRead?: OnRead) => Iterable<RuleFinding>,
  ): readonly Finding[] | undefined {
    const resource = asReadBy(active.rule, scanned)
    const watched = isReadable(resource) ? undefined : trackReads(resource)
    const certain: RuleFinding[] = []
    try {
      for (const problem of check(watched?.seen ?? resource, watched?.onRead)) {
        if (!watched?.hasRead()) certain.push(problem)
      }
    } catch (error) {
      if (watched?.hasRead() !== true) {
        this.#fail(active.rule, error)
        return undefined
      }
    }
    if (watched?.hasRead() === true) {
      this.#doubts.note(active.rule.id, resource, { read: watched.read, counts: resource.kind === active.rule.kind })
      if (certain.length === 0) return undefined
    }
    return this.#stamp(active, resource, certain)
  }

  #stamp(active: ActiveRule, resource: Resource, problems: Iterable<RuleFinding>): readonly Finding[] {
    const { waivers } = this.#shared.policy
    let findings: Finding[] | undefined
    for (const problem of problems) {
      const finding = this.#asTentative(stamp(active, resource, problem))
      const waiverIndexes = this.#accepting(resource, coveringWaivers(waivers, [finding.rule]))
      findings ??= []
      findings.push(this.#waive(finding, waiverIndexes))
    }
    return findings ?? noFindings
  }

  /** Rules across projects that are tentative for a resource. */
  #tentativeFor(resource: Resource): readonly string[] {
    if (this.#tentative.size === 0) return none
    const ofFleet = this.#active.filter(({ rule }) => rule.scope === 'fleet').map(({ rule }) => rule.id)
    return ofFleet.filter((rule) => this.#isTentative(rule, resource))
  }

  #isTentative(rule: string, resource: Pick<Resource, 'kind' | 'uid'>): boolean {
    return this.#tentative.size > 0 && this.#tentative.has(`${rule} ${resourceKey(resource)}`)
  }

  #asTentative(finding: Finding): Finding {
    return this.#isTentative(finding.rule, finding) ? { ...finding, isTentative: true } : finding
  }

  #accepting(resource: Resource, among: WaiverIndexes): WaiverIndexes {
    if (among.length === 0) return none
    const { waivers } = this.#shared.policy
    const about = { project: this.project, labels: this.#labels, resource }
    for (const index of among) {
      const unknown = waivers[index]?.unknownOf(this.project, this.#labels, resource) ?? []
      if (unknown.length > 0) this.#usedWaivers.add(index)
    }
    return matchingWaivers(waivers, among, about)
  }

  #waive(finding: Finding, waiverIndexes: WaiverIndexes): Finding {
    if (waiverIndexes.length === 0) return finding
    const { policy, run } = this.#shared
    const { finding: waived, used } = waiveUnder(policy.waivers, waiverIndexes, finding, run.now)
    for (const index of used) this.#usedWaivers.add(index)
    return waived
  }

  /** A rule that throws must neither end the run nor resolve a violation. */
  #fail({ id }: Rule, error: unknown): void {
    if (!this.#failures.has(id)) this.#failures.set(id, messageOf(error))
  }
}

/** What drift rules are asked of a resource of which nothing is known to have changed; `fields`: those in doubt. */
function unchanged(
  { kind, uid, name, attributes }: Resource,
  compared: Pick<Drift, 'fields' | 'isApproved' | 'areSealsComparable'>,
): Drift {
  return { kind, uid, name, change: 'none', before: attributes, after: attributes, recent: noDates, ...compared }
}

/** What is compared with itself is watched on both sides; what no scan has shown has no origin. */
function watchKnown({ unseen = none, ...resource }: Resource, onRead: OnRead): JsonObject {
  const known = unseen.filter((pointer) => valueAt(resource.attributes, pointer) !== undefined)
  return watchReads({ ...resource, unseen: known }, onRead).attributes
}

/** Without values that were malformed or are: how such a field changed is unknown. */
function leaveOutMalformed(drift: Drift, { kind, malformed = none }: Resource): Drift {
  const { before } = drift
  const malformedBefore = before === undefined ? none : malformedFields(kind, before)
  if (malformed.length === 0 && malformedBefore.length === 0) return drift
  const unknown = [...malformed, ...malformedBefore]
  const fields = drift.fields.filter(({ path }) => !unknown.some((pointer) => isWithinPointer(path, pointer)))
  return {
    ...drift,
    before: before && withoutValuesAt(before, malformedBefore, drift.after),
    fields: fields.map(({ path, before, after }) => {
      const within = unknown.flatMap((pointer) => (isWithinPointer(pointer, path) ? pointer.slice(path.length) : []))
      const known = (value: Json) => (isJsonObject(value) ? withoutValuesAt(value, within) : value)
      return { path, before: known(before), after: known(after) }
    }),
  }
}

/** A pointer up to the first value that is not an object. */
function withinShown(attributes: JsonObject, pointer: string): string {
  for (let end = pointer.indexOf('/', 1); end > 0; end = pointer.indexOf('/', end + 1)) {
    if (!isJsonObject(valueAt(attributes, pointer.slice(0, end)))) return pointer.slice(0, end)
  }
  return pointer
}

/** A row that shows no switch is on: it keeps that of `now`. */
function withoutValuesAt(object: JsonObject, pointers: readonly string[], now: JsonObject = {}): JsonObject {
  return pointers
    .filter((pointer) => valueAt(object, pointer) !== undefined)
    .reduce((known, at) => withValueAt(known, at, at.endsWith('/enabled_at') ? valueAt(now, at) : undefined), object)
}

/** Rules that apply to some resources, by id. */
type Rules = ReadonlyMap<string, ActiveRule>

/** Evaluated resources of a project, by kind and by the rules that apply to them. */
type Tally = Map<Rules, Partial<Record<Kind, number>>>

/** Shared by all checks that find nothing: most do. */
const noFindings: readonly Finding[] = []

const none: readonly never[] = []

const noDates: Drift['recent'] = new Map()

function count(tally: Tally, rules: Rules, kind: Kind): void {
  const counts = tally.get(rules)
  if (counts === undefined) tally.set(rules, { [kind]: 1 })
  else counts[kind] = (counts[kind] ?? 0) + 1
}

/** What was due and could not be read is a doubt instead. */
function hasNoRows({ kind, attributes, unseen = none }: Resource): boolean {
  return kind === 'subscription' && attributes.filters === undefined && !unseen.includes('/filters')
}

/** Subscriptions without filter rows; `uids`: the first of them. */
interface UnreadRows {
  resources: number
  readonly uids: string[]
}

function countUnread(
  withoutRows: ReadonlyMap<Rules, UnreadRows>,
  rules: readonly ActiveRule[],
): EvaluationOutcome['rowsUnread'] {
  const unread: Record<string, UnreadRows> = {}
  for (const { rule } of rules) {
    if (rule.readsRows !== true) continue
    for (const [applied, { resources, uids }] of withoutRows) {
      if (!applied.has(rule.id)) continue
      const known = unread[rule.id] ?? { resources: 0, uids: [] }
      unread[rule.id] = {
        resources: known.resources + resources,
        uids: [...known.uids, ...uids].slice(0, mostGapUids),
      }
    }
  }
  return unread
}

/** `rules`: all rules of the policy that apply. `countMissed`: how many of a kind a rule could not evaluate. */
function countEvaluated(
  tally: Tally,
  rules: readonly ActiveRule[],
  countMissed: (rule: string, kind: Kind) => number,
): EvaluationStats {
  const resources: Partial<Record<Kind, number>> = {}
  for (const counts of tally.values()) {
    for (const [kind, number] of Object.entries(counts) as [Kind, number][]) {
      resources[kind] = (resources[kind] ?? 0) + number
    }
  }
  const evaluatedByRule: Record<string, number> = {}
  for (const { rule } of rules) {
    let evaluated = 0
    for (const [applied, counts] of tally) if (applied.has(rule.id)) evaluated += counts[rule.kind] ?? 0
    evaluated = Math.max(0, evaluated - countMissed(rule.id, rule.kind))
    if (evaluated < (resources[rule.kind] ?? 0)) evaluatedByRule[rule.id] = evaluated
  }
  return { resources, evaluated_by_rule: evaluatedByRule }
}
