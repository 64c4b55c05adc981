import type { ManualStep } from '../gateway/repair/write-body.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunRecord } from '../history/sql/read-run.ts'
import type { Identity, VersionSpan, ViolationSpan } from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { isEqual, isJsonObject, type Json, type JsonObject, valueAt, withValueAt } from '../model/json.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import type { Policy } from '../policy/policy.ts'
import { ruleSets } from '../policy/rule-sets.ts'
import { shellWord } from '../report/text/commands.ts'
import type { Bound } from '../rules/engine/rule.ts'
import { builtInRule } from '../rules/rules.ts'
import { attributesOf } from './field-gaps.ts'

/** A value that a request sets because a rule asks for it. */
export interface ReadyChange {
  readonly rule: string
  /** JSON Pointer into the attributes. */
  readonly path: string
  readonly from: Json
  readonly to: Json
  /** The option of the rule that decides the value; null where the rule alone does. */
  readonly option: { readonly name: string; readonly value: number } | null
}

export interface ReadyChanges {
  /** By rule; at most one for each path. */
  readonly changes: readonly ReadyChange[]
  readonly manualSteps: readonly ManualStep[]
  readonly notes: readonly string[]
  /** The present attributes with all changes. */
  readonly target: JsonObject
}

interface RepairQuestion {
  readonly identity: Identity
  readonly now: VersionSpan
  /** The violations to fix. */
  readonly violations: readonly ViolationSpan[]
  /** The run that last scanned the project. */
  readonly scan: CommittedRun | undefined
  /** undefined where no policy is known. Options are in no history. */
  readonly policyOf: () => Promise<Policy | undefined>
}

/** The values that end violations whose rules have a ready fix. */
export async function findReadyChanges(reader: HistoryReader, asking: RepairQuestion): Promise<ReadyChanges> {
  const attributes = attributesOf(asking.now)
  const rules = [...new Set(asking.violations.map(({ rule }) => rule))].sort()
  const fixes = rules.flatMap((rule) => {
    const fix = builtInRule(rule)?.fix
    return fix === undefined ? [] : [{ rule, fix }]
  })
  const bounds = fixes.some(({ fix }) => 'bound' in fix) ? await readBounds(reader, asking) : undefined
  const changes: ReadyChange[] = []
  const manualSteps: ManualStep[] = []
  for (const { rule, fix } of fixes) {
    const { path } = fix
    const from = valueAt(attributes, path) ?? null
    const readyValue = 'bound' in fix ? withinBound(rule, fix, from, bounds) : { to: fix.value, option: null }
    if ('reason' in readyValue) manualSteps.push({ path, reason: readyValue.reason })
    else if (isEqual(from, readyValue.to)) manualSteps.push({ path, reason: describeSatisfied(rule) })
    else if (!changes.some((change) => change.path === path)) changes.push({ rule, path, from, ...readyValue })
  }
  const isBound = changes.some(({ option }) => option !== null)
  return {
    changes,
    manualSteps,
    notes: isBound && bounds?.isOtherPolicy ? [`The policy differs from that of run ${asking.scan?.number}.`] : [],
    target: changes.reduce((target, { path, to }) => withValueAt(target, path, to), attributes),
  }
}

interface Bounds {
  /** undefined where the rule is off for the resource. */
  optionsOf(rule: string): Json | undefined
  /** Whether the last scan was evaluated by another policy. */
  readonly isOtherPolicy: boolean
}

async function readBounds(reader: HistoryReader, asking: RepairQuestion): Promise<Bounds | undefined> {
  const { identity, now, scan, policyOf } = asking
  const policy = await policyOf()
  if (policy === undefined) return undefined
  const { project, kind, uid } = identity
  const record = scan === undefined ? undefined : await readRunRecord(reader, scan.number)
  const labels = record?.projects.find(({ project: name }) => name === project.name)?.labels ?? {}
  const sets = ruleSets(policy, () => labels)
  const resource = { kind, uid, name: now.name, attributes: attributesOf(now), volatile: {}, facts: {} }
  const { byId } = sets.under(sets.keyFor(project, resource))
  return {
    optionsOf: (rule) => byId.get(rule)?.options,
    isOtherPolicy: record !== undefined && record.policy_digest !== policy.digest,
  }
}

type ReadyValue = Pick<ReadyChange, 'to' | 'option'> | { readonly reason: string }

function withinBound(rule: string, { bound, option: name }: Bound, from: Json, bounds: Bounds | undefined): ReadyValue {
  if (bounds === undefined)
    return { reason: `${rule} needs the option \`${name}\` of the policy: name the policy with --policy.` }
  const options = bounds.optionsOf(rule)
  const limit = isJsonObject(options) ? options[name] : undefined
  const isBroken =
    typeof limit === 'number' && typeof from === 'number' && (bound === 'most' ? from > limit : from < limit)
  if (!isBroken) return { reason: describeSatisfied(rule) }
  const to = nearestWithin(bound, limit)
  if (to === undefined) return { reason: `${rule} allows no whole number: \`${name}\` is ${limit}.` }
  return { to, option: { name, value: limit } }
}

/** The whole number nearest to a bound that is broken; undefined where only 0 is, which services take for "not set". */
export function nearestWithin(bound: Bound['bound'], limit: number): number | undefined {
  return (bound === 'most' ? Math.floor(limit) : Math.ceil(limit)) || undefined
}

function describeSatisfied(rule: string): string {
  return `${rule} does not ask for another value as the policy is now: audit again.`
}

/** Whether a violation is active, or was until the run that no longer found its resource. */
export function isOpenBefore({ toRun, resolution }: ViolationSpan, goneIn: number | null): boolean {
  return toRun === null || (toRun === goneIn && resolution === 'removed')
}

/**
 * The violations to end: those of a rule that a person names, else all without a waiver. `goneIn`: the run that no longer
 * found the resource, whose violations were open until then.
 * @throws AuditError.usage when the resource has no active violation of that rule
 */
export function chooseViolations(
  { kind, uid }: Identity,
  spans: readonly ViolationSpan[],
  rule: string | undefined,
  goneIn: number | null = null,
): readonly ViolationSpan[] {
  const active = spans.filter((span) => isOpenBefore(span, goneIn))
  if (rule === undefined) return active.filter(({ state }) => state !== 'waived')
  const chosen = active.filter((violation) => violation.rule === rule)
  if (chosen.length > 0) return chosen
  const rules = active.map((violation) => violation.rule)
  throw AuditError.usage(`the ${kind} ${uid} has no open violation of ${rule}${suggestName(rule, rules)}`, {
    advice: `\`hookdrift timeline ${shellWord(uid)}\` shows its violations`,
  })
}
