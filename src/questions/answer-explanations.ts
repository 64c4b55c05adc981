import { z } from 'zod'
import { chosenBy } from '../config/choose-projects.ts'
import { findIdentities } from '../history/find-identities.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { type Identity, readVersionsOf } from '../history/sql/resource-life.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { parseStored } from '../history/stored-body.ts'
import { AuditError } from '../model/errors.ts'
import { schemas } from '../model/report.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { quote } from '../model/text/neutralise.ts'
import type { Column } from '../model/text/table.ts'
import { type ChangeWindow, describeChangeWindow } from '../policy/change-window.ts'
import type { Explanation } from '../policy/explain-rule.ts'
import type { RuleTarget } from '../policy/policy.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { asSentence, describeWaiver } from '../report/describe-ending.ts'
import { type Block, list, text } from '../report/document/blocks.ts'
import { unknownResource } from './unknown-resource.ts'

export const policyExplainForm: AnswerForm = {
  name: 'policy-explain',
  version: 2,
  command: 'policy explain',
  about: aboutNoRun,
  row: z.object({
    rule: z.string(),
    severity: z.union([schemas.severity, z.literal('off')]),
    options: anyJson.describe('Any JSON.'),
    layers: listOf(
      z.object({
        layer: z.string(),
        severity: z.string().describe('The severity after this layer, or off.'),
        at: z.string().exactOptional(),
        setting: anyJson.describe('Any JSON.'),
        decides: z.boolean(),
      }),
    ),
    waivers: listOf(schemas.waiver.extend({ match: z.string() })),
  }),
  more: {
    project: schemas.project,
    kind: schemas.kind,
    uid: schemas.uid,
    name: schemas.name,
    windows: listOf(
      z.object({
        name: z.string(),
        cron: z.string(),
        timezone: z.string(),
        duration: z.string(),
        ticket: z.string().exactOptional(),
      }),
    ).describe('Change windows of its project.'),
    gone_since: schemas.time.nullable().describe('Start of the run that found it gone; null for a current resource.'),
  },
}

/** Which layers of a policy decide about a resource, rule by rule. */
export function answerExplanations(
  explained: MatchedResource,
  explanations: readonly Explanation[],
  { windows, limit }: { readonly windows: readonly ChangeWindow[]; readonly limit: number },
): Answer<Explanation> {
  const {
    project,
    resource: { kind, uid, name },
    goneSince,
  } = explained
  return {
    form: policyExplainForm,
    run: null,
    ...limited(explanations, limit),
    remarks: [headingOf(explained), ...windows.map((window) => `Change window ${describeChangeWindow(window)}`)],
    more: { project: project.name, kind, uid, name, windows: windows.map(rowOf), gone_since: goneSince },
  }
}

function rowOf({ written: { projects: _, ...row } }: ChangeWindow) {
  return row
}

/** How explanations are shown to people. */
interface ExplanationStyle {
  /** A path for messages. */
  readonly showPath: (path: string) => string
  /** Milliseconds: waivers that ended by then waive nothing. */
  readonly now: number
}

/** How rules are explained: one that the user named layer by layer, all of a kind in a table. */
export function explanationsView(isOne: boolean, style: ExplanationStyle): AnswerView<Explanation> {
  return {
    columns: explanationColumns(style),
    ...(isOne && { blocks: ({ rows }) => rows.flatMap((row) => explain(row, style)) }),
    nothing: 'No rule is about resources of this kind.',
    isOfRun: false,
  }
}

/** For people, the severity of each rule and the layer that decides it. */
export function explanationColumns({ showPath, now }: ExplanationStyle): Column<Explanation>[] {
  return [
    'rule',
    'severity',
    { name: 'options', only: 'csv' },
    {
      name: 'layers',
      value: ({ layers }) => layers.map(({ layer, decides }) => ({ layer, decides })),
      only: 'csv',
    },
    { name: 'waivers', only: 'csv' },
    {
      name: 'decided by',
      value: () => null,
      show: (row) => decidingLayer(row)?.layer ?? 'in no pack of this policy',
      only: 'text',
    },
    {
      name: 'at',
      value: () => null,
      show: (row) =>
        `${showPath(decidingLayer(row)?.at ?? '')}${row.waivers.some((waiver) => !isOver(waiver, now)) ? ' (waived)' : ''}`,
      breaks: true,
      only: 'text',
    },
  ]
}

function isOver({ expires }: Explanation['waivers'][number], now: number): boolean {
  return Date.parse(expires) <= now
}

function decidingLayer({ layers }: Explanation) {
  return layers.find(({ decides }) => decides)
}

function headingOf({ project, resource: { kind, uid, name }, goneSince }: MatchedResource): string {
  const gone = goneSince === null ? '' : `, gone since ${goneSince}`
  return `${project.name} ${kind} ${quote(name)} ${uid}${gone}`
}

/** One rule: its severity in the catalogue and in each layer of the policy that names it, and the deciding layer. */
function explain(
  { rule, severity, options, layers, waivers }: Explanation,
  { showPath, now }: ExplanationStyle,
): readonly Block[] {
  const given = JSON.stringify(options)
  const verdict = severity === 'off' ? 'is off' : `is on, ${severity}${given === '{}' ? '' : `, with ${given}`}`
  const isNamed = layers.some(({ at, decides }) => decides || at !== undefined)
  const rows = layers.map(({ layer, severity, setting, at = '', decides }) => {
    return { cells: [layer, severity, showOptions(setting), showPath(at), decides ? 'decides' : ''] }
  })
  const columns = ['Layer', 'Severity', 'Options', 'At', ''].map((title) => ({ title }))
  return [
    text(`${rule} ${verdict}`),
    { kind: 'table', name: 'layers', columns, rows },
    ...(isNamed ? [] : [text('The policy does not name it.')]),
    ...list(
      'waiver',
      waivers.map((waiver) => {
        const said = describeWaiver(waiver)
        return { text: isOver(waiver, now) ? `Ended: ${said}` : asSentence(said) }
      }),
    ),
    ...(isNamed
      ? [text('Later rows win, option by option; one decides whether the rule is on, and its severity.')]
      : []),
  ]
}

interface MatchedResource extends RuleTarget {
  /** Start of the run that removed it; null for a current resource. */
  readonly goneSince: string | null
}

/**
 * Finds the current version of a resource, or the last version of a removed one.
 * `named`: a uid, a name, or a beginning of one.
 * @throws AuditError.usage when the history has no such resource, or several
 */
export async function findResource(
  history: HistoryReader,
  named: string,
  project: string | undefined,
): Promise<MatchedResource> {
  const run = (await findLastRun(history))?.number
  if (run === undefined) throw AuditError.usage('the history has no committed run yet')
  const projects = project === undefined ? [] : [project]
  const identities = await findIdentities(history, named, { run, isChosen: chosenBy(projects) })
  const [identity, ...others] = identities
  if (identity === undefined) throw await unknownResource(history, named, { run, where: projects })
  const { uid } = identity
  if (others.length > 0) {
    const names = identities.map(({ project: { name }, kind }) => `${name} (${kind})`).join(', ')
    throw AuditError.usage(`several resources have the uid ${uid}: ${names}`, { advice: 'name one with --project' })
  }
  const version = (await readVersionsOf(history, identity, run)).at(-1)
  if (version === undefined) throw AuditError.usage(`the history has no version of ${uid}`)
  // The last run may have scanned other projects.
  const [evaluation] = (await readEvaluations(history, await readLatestScans(history, run, identity.project))).values()
  const labels = evaluation?.labels ?? {}
  return { project: identity.project, labels, resource: resourceOf(identity, version), goneSince: version.to }
}

function resourceOf({ kind, uid }: Identity, { name, body }: { readonly name: string; readonly body: string }) {
  // A stored body is canonical JSON of attributes.
  const attributes = parseStored<RuleTarget['resource']['attributes']>(body)
  return { kind, uid, name, attributes, volatile: {}, facts: {} }
}

function showOptions(setting: Explanation['layers'][number]['setting']): string {
  if (typeof setting === 'string') return ''
  const { severity: _, ...options } = setting
  return Object.keys(options).length === 0 ? '' : JSON.stringify(options)
}
