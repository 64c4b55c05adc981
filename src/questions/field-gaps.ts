import { z } from 'zod'
import { compareFields, type FieldInDoubt, type SeenState } from '../gateway/inventory/compare-fields.ts'
import { describeResources } from '../gateway/inventory/describe-unknown.ts'
import { describeField } from '../gateway/inventory/malformed.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import type { StateVersion } from '../history/sql/state-at.ts'
import { readDoubted } from '../history/sql/unknown-fields.ts'
import { parseFacts, parseStored } from '../history/stored-body.ts'
import type { JsonObject } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'

/** What a comparison cannot say: a value that is unknown on one side is neither equal nor another one. */
export const fieldGap = z.object({
  project: schemas.project,
  kind: schemas.kind,
  field: z.string().describe('Its path without uids: `secrets[].expires_at`; `filters` for filter rows.'),
  resources: schemas.count,
  text: z.string(),
})
export type FieldGap = z.infer<typeof fieldGap>

/** A stored body is canonical JSON of an object, written by us. */
export function attributesOf({ body }: Pick<StateVersion, 'body'>): JsonObject {
  return parseStored(body)
}

/** A version as comparisons take it. */
export function stateOf(version: Pick<StateVersion, 'body' | 'facts' | 'sealKeyId'>): SeenState {
  const { facts, sealKeyId } = version
  return { attributes: attributesOf(version), doubts: parseFacts(facts).doubts, sealKeyId }
}

type Coverage = RecordedScan['coverage']

/** A state with what is in doubt as of a scan. Rows that its service does not have are not. */
export function stateIn(coverage: Coverage, kind: Kind, { attributes, doubts, sealKeyId }: SeenState): SeenState {
  const hasRows = kind !== 'subscription' || attributes.filters !== undefined
  const isOffered = coverage.find(({ listing }) => listing === 'filters')?.status !== 'skipped'
  if (hasRows || !isOffered) return { attributes, doubts, sealKeyId }
  return { attributes, doubts: { filters: { cause: 'rows_unread' }, ...doubts }, sealKeyId }
}

/** What is in doubt, by paths without uids. That of seals is said of a resource as a whole. */
export function asDoubts(kind: Kind, unknown: readonly FieldInDoubt[]): NonNullable<SeenState['doubts']> {
  const fields = unknown.filter(({ cause }) => cause !== 'seal_key_changed')
  return Object.fromEntries(fields.map(({ path, cause }) => [describeField(kind, path).path, { cause }]))
}

/** The fields in doubt of resources of a project, each once with how many have it so. */
export function gapsOf(
  project: string,
  resources: Iterable<{ readonly kind: Kind } & Pick<SeenState, 'doubts'>>,
): FieldGap[] {
  const fields = [...resources].flatMap(({ kind, doubts = {} }) =>
    Object.entries(doubts).map(([field, { cause }]) => ({ kind, field, cause })),
  )
  return [...Map.groupBy(fields, (one) => Object.values(one).join(' ')).values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ kind, field, cause }) => {
      const { length: resources } = alike
      return { project, kind, field, resources, text: describeResources({ kind, field, cause, resources }) }
    }),
  )
}

/** Fields that are unknown in some projects as of a run. `kind`: of this kind alone. */
export async function readFieldGaps(
  reader: HistoryReader,
  scans: readonly RecordedScan[],
  run: number,
  kind?: Kind,
): Promise<readonly FieldGap[]> {
  const gaps: FieldGap[] = []
  for (const { project, coverage } of scans) {
    const doubted = (await readDoubted(reader, project, run)).filter((one) => kind === undefined || one.kind === kind)
    const unknown = doubted.map(({ kind, ...version }) => {
      const state = stateIn(coverage, kind, stateOf(version))
      return { kind, doubts: asDoubts(kind, compareFields(kind, state, state).unknown) }
    })
    gaps.push(...gapsOf(project.name, unknown))
  }
  return gaps
}

/** A sentence about it. */
export function sayUnknown({ project, text }: FieldGap): string {
  return `${project}: not compared in full: ${text}.`
}
