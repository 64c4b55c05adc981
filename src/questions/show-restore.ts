import { mayStopDeliveries } from '../gateway/deliveries.ts'
import { curlLines } from '../gateway/repair/curl.ts'
import type { Gateway } from '../gateway/repair/gateway.ts'
import { spell, spellBody } from '../gateway/repair/pieces.ts'
import { withoutSeals } from '../gateway/repair/placeholders.ts'
import type { RepairRequest } from '../gateway/repair/repair.ts'
import type { Cause } from '../history/cause.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { neutralise, quote } from '../model/text/neutralise.ts'
import type { AnswerView } from '../report/answer.ts'
import { asSentence } from '../report/describe-ending.ts'
import { type Block, type Inline, joined, section, text, verbatim } from '../report/document/blocks.ts'
import { isShellSafe, shellWord } from '../report/text/commands.ts'
import { showTime } from '../report/text/show-time.ts'
import { listed } from '../rules/shared/listed.ts'
import type { FormerState } from './former-state.ts'
import type { ReadyChange } from './ready-changes.ts'
import type { Restoration, RestorePlaceholder, RestoreRow, StepOfResource } from './restore-row.ts'

/** Sentences before the requests: which resource, which state, and why that one. */
export function introduceRestore(restoration: Restoration): string[] {
  const { resource, former, putRight, rule, fixes, kept, isSame, unknown, wasPruned, notes } = restoration
  const { project, kind, uid, name } = resource
  const named = `${project.name} ${kind} ${name === '' ? '' : `${quote(name)} `}${uid}`
  if (fixes.length > 0) return [`${named}: sets ${fixes.map(describeFix).join('; ')}.`, ...notes]
  if (putRight !== undefined) {
    const ended = putRight.rules.length === 0 ? '' : `, which ended ${listed(putRight.rules)}`
    const undo = `\`hookdrift restore ${shellWord(uid)} --run ${putRight.undoneBy}\``
    return [`${named}: nothing to restore. Run ${putRight.run} saw it put back${ended}. ${undo} undoes that.`]
  }
  if (former === undefined && rule !== undefined) return [`${named}: no value to set for ${rule}.`]
  if (former === undefined)
    return [
      `${named}: the history has no earlier state of it${wasPruned ? ' (pruned)' : ''}, so there is nothing to put back.`,
    ]
  const { version } = former
  const state = `its state from run ${version.fromRun}, ${showTime(version.from)}`
  const doubts = unknown.length === 0 ? [] : [sayUnknown(unknown, version.fromRun)]
  if (isSame && unknown.length > 0) return [`${named}: nothing to restore that is known.`, ...doubts, ...notes]
  if (isSame && version.toRun === null) return [`${named}: nothing to restore, ${state}, is the present one.`]
  if (isSame)
    return [
      `${named}: nothing to restore, it is as ${kept.length > 0 ? 'people decided' : `in run ${version.fromRun}`}.`,
      ...notes,
    ]
  return [`${named}: back to ${state}, ${describeBasis(former)}.`, ...doubts, ...notes]
}

/** What the comparison could not see. */
function sayUnknown(paths: readonly string[], run: number): string {
  const doubted = listed(paths.map((path) => withoutSeals(neutralise(path))))
  return `Whether ${doubted} ${paths.length === 1 ? 'is' : 'are'} as in run ${run} is unknown.`
}

function describeFix({ rule, path, from, to, option }: ReadyChange): string {
  const asks = option === null ? '' : ` (${option.name}: ${option.value})`
  return `${path} from ${showValue(from)} to ${showValue(to)}, as ${rule} asks${asks}`
}

/** A value of a fix: a number, a flag or a word. */
function showValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function describeBasis({ basis, rules, version, changedIn }: FormerState): string {
  switch (basis) {
    case 'asked':
      return version.toRun === null ? 'which is the present one' : `which ended in run ${version.toRun}`
    case 'before_drift':
      return `before the change that ${rules.join(', ')} ${rules.length === 1 ? 'reports' : 'report'}`
    case 'before_change':
      return `before its last change, in run ${changedIn}${version.toRun === changedIn ? '' : '; states in between were pruned'}`
    case 'before_removal':
      return `before run ${version.toRun} no longer found it`
  }
}

/** Each request as a command, then the variables that it needs. */
function requestBlocks(rows: readonly RestoreRow[]): readonly Block[] {
  const requests = rows.flatMap((row, at) => {
    const title: Inline = [
      `${rows.length === 1 ? '' : `${at + 1}. `}${asSentence(row.purpose)}`,
      ...(row.restores.length === 0 ? [':'] : [', which puts back ', ...joined(row.restores, ', ')]),
    ]
    return section(2, title, describeRequest(row))
  })
  return [...requests, ...section(2, 'Set these variables first. Escape " and \\ in values.', variableFacts(rows))]
}

/** When it is sent, and the command. */
export function describeRequest(row: RestoreRow): readonly Block[] {
  return [...(row.when === null ? [] : [text(row.when)]), verbatim(curlLines(row))]
}

export function variableFacts(rows: readonly RestoreRow[]): readonly Block[] {
  const facts = variablesOf(rows).map(({ name, path, hint, of }) => {
    const position = [path ?? '', of].filter((part) => part !== '').join(' ')
    return [name, `${position === '' ? '' : `${position}: `}${hint}`] as const
  })
  return facts.length === 0 ? [] : [{ kind: 'facts', facts }]
}

/** A placeholder to fill in once. */
interface RequestVariable extends RestorePlaceholder {
  /** Of which resource it is, where the requests are about several: their secrets differ. */
  readonly of: string
}

/** The placeholders of requests, each once, where it is first. */
function variablesOf(rows: readonly RestoreRow[]): readonly RequestVariable[] {
  const variables = new Map<string, RequestVariable>()
  const isOfSeveral = new Set(rows.map(resourceOf)).size > 1
  for (const row of rows) {
    const of = isOfSeveral ? `of ${resourceOf(row)}` : ''
    for (const each of row.placeholders) {
      const first = variables.get(each.name)
      // What all requests have, such as the key, is of none of them.
      if (first === undefined) variables.set(each.name, { ...each, of })
      else if (first.of !== of) variables.set(each.name, { ...first, of: '' })
    }
  }
  return [...variables.values()]
}

function resourceOf({ kind, uid }: RestoreRow): string {
  return `${kind} ${isShellSafe(uid) ? uid : quote(uid)}`
}

/** Sentences after the requests: what they leave out, and what to do next. */
export function concludeRestore(restoration: Restoration, requests: number): string[] {
  const { resource, former, fixes, kept, manualSteps, isGone, dependents } = restoration
  const { kind } = resource
  const pages = fixes.map(({ rule }) => `\`hookdrift rules ${rule}\``)
  return [
    ...(kind === 'device' ? ['Left to you: the service has no request that updates a device.'] : []),
    ...kept.map(({ path, reason }) => `Kept: ${path}. ${reason}`),
    ...manualSteps.map(({ path, reason }) => `Left to you: ${path}. ${reason}`),
    ...(isGone && requests > 0 ? [`The new ${kind} gets a new uid: name it wherever the former one is named.`] : []),
    ...describeDependents(dependents, kind),
    ...(fixes.length > 0 ? [`Before you send it, read ${pages.join(', ')}.`] : []),
    ...(requests > 0 ? ['hookdrift has sent nothing. Read the request, send it, and audit again.'] : []),
    ...(requests > 0 && former !== undefined && mayStopDeliveries(kind, '')
      ? [sayImpact(shellWord(resource.uid))]
      : []),
  ]
}

function sayImpact(target: string): string {
  return `Then \`hookdrift impact ${target}\` counts what was not delivered meanwhile.`
}

/** The same where a cause is put back. */
export function concludeCauseRestore(
  { id, kind }: Pick<Cause, 'id' | 'kind'>,
  { leftOut, kept, manualSteps }: Readonly<Record<'leftOut' | 'kept' | 'manualSteps', readonly StepOfResource[]>>,
  requests: number,
): string[] {
  const grouped = (steps: readonly StepOfResource[], label: string) =>
    [...Map.groupBy(steps, ({ path, reason }) => `${path}. ${reason}`)].map(
      ([what, group]) => `${label}, in ${count(group.length, 'resource')}: ${what}`,
    )
  const more = leftOut.length - mostLeftOut
  return [
    ...leftOut.slice(0, mostLeftOut).map(({ reason }) => reason),
    ...(more > 0
      ? [`${count(more, 'more resource')} left out for the same reason: \`--format json\` names each.`]
      : []),
    ...grouped(kept, 'Kept'),
    ...grouped(manualSteps, 'Left to you'),
    ...(requests > 0
      ? [
          'hookdrift has sent nothing. Read the requests, send them, and audit again: another open cause may affect the same resources.',
          ...(mayStopDeliveries(kind, '') ? [sayImpact(id)] : []),
        ]
      : []),
  ]
}

export function toRow(
  { resource, fixes }: Pick<Restoration, 'resource' | 'fixes'>,
  request: RepairRequest,
  gateway: Gateway,
): RestoreRow {
  const { project, kind, uid } = resource
  const { method, path, pathPlaceholders, body, placeholders, when } = request
  const { baseUrl, placeholders: ofGateway } = gateway
  const { 'content-type': type = [], ...others } = gateway.headers
  return {
    project: project.name,
    kind,
    uid,
    purpose: statePurpose(request, fixes),
    method,
    url: [...baseUrl, ...path],
    headers: body === null ? others : { ...others, 'content-type': type },
    body,
    placeholders: [
      ...ofGateway.map(({ name, in: target, hint }) => ({ name, in: target, path: null, hint })),
      ...pathPlaceholders.map(({ name, hint }) => ({ name, in: 'url' as const, path: null, hint })),
      ...placeholders.map(({ name, is, path, hint }) => {
        return { name, in: is === 'name' ? ('body_name' as const) : ('body' as const), path, hint }
      }),
    ],
    restores: fixes.length > 0 ? [] : request.restores,
    when,
  }
}

/** A request that fixes puts nothing back: its purpose names the values. */
function statePurpose({ purpose, body, restores }: RepairRequest, fixes: readonly ReadyChange[]): string {
  const sets = fixes.filter(({ path }) => restores.includes(path)).map(({ path, to }) => `${path} to ${showValue(to)}`)
  return body === null || sets.length === 0 ? purpose : `${purpose}: set ${sets.join(', ')}`
}

const mostDependents = 5
const mostLeftOut = 5

export function moreOf({
  resource,
  former,
  fixes,
  isGone,
  kept,
  manualSteps,
  dependents,
}: Restoration): Record<string, Json> {
  const { project, kind, uid, name } = resource
  return {
    resource: { project: project.name, kind, uid, name, is_gone: isGone },
    state:
      former === undefined
        ? null
        : {
            from_run: former.version.fromRun,
            from: former.version.from,
            to_run: former.version.toRun,
            to: former.version.to,
            basis: former.basis,
            rules: [...former.rules],
          },
    fixes: fixes.map(({ option, ...fix }) => ({ ...fix, option: option && { ...option } })),
    left_to_you: [...kept, ...manualSteps].map(({ path, reason }) => ({ path, reason })),
    dependents: dependents.map((dependent) => ({ kind: 'subscription', ...dependent })),
  }
}

function describeDependents(dependents: Restoration['dependents'], kind: string): string[] {
  if (dependents.length === 0) return []
  const uids = dependents.slice(0, mostDependents).map(({ uid }) => (isShellSafe(uid) ? uid : quote(uid)))
  const omitted = dependents.length - uids.length
  const all = `${uids.join(', ')}${omitted === 0 ? '' : ` and ${omitted} more`}`
  return [`${count(dependents.length, 'subscription')} went with the ${kind}: ${all}. Restore each after it.`]
}

const columnNames = 'project kind uid purpose method url headers body placeholders restores when'.split(' ')

export const restoreView: AnswerView<RestoreRow> = {
  columns: columnNames.map((name) => ({ name, value: (row: RestoreRow) => spellRow(row)[name] ?? null })),
  shape: spellRow,
  blocks: ({ rows }) => requestBlocks(rows),
  nothing: 'There is no request to print.',
}

/** A row as answers have it: texts with `${NAME}` for a placeholder, whose places are listed. */
function spellRow(row: RestoreRow): JsonObject {
  const { project, kind, uid, purpose, method, url, headers, body, placeholders, restores, when } = row
  return {
    project,
    kind,
    uid,
    purpose,
    method,
    url: spell(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, spell(value)])),
    body: body && spellBody(body),
    placeholders: placeholders.map((placeholder) => ({ ...placeholder })),
    restores: [...restores],
    when,
  }
}
