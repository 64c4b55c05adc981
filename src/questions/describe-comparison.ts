import { pointerStep } from '../model/json.ts'
import { count, countEach } from '../text/count.ts'
import type { CompareQuery, Gap, Relation, UncomparedField } from './compared-row.ts'
import type { ComparedSide } from './compared-side.ts'

const mostListed = 8

interface ComparisonFacts {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly query: Pick<CompareQuery, 'matching' | 'ignored'>
  readonly gaps: readonly Gap[]
  readonly uncompared: readonly UncomparedField[]
}

/** Sentences about what was compared, and about what was not. */
export function describeComparison({ a, b, query, gaps, uncompared }: ComparisonFacts): string[] {
  const { matching, ignored } = query
  const pointers = ignored.map((steps) => `/${steps.map(pointerStep).join('/')}`)
  const fields = uncompared.map(({ kind, path, resources }) => `${kind} ${path} (${resources})`)
  const keys = new Set([...a.resources, ...b.resources].map(({ sealKeyId }) => sealKeyId))
  return [
    `A is ${a.project.name}, B is ${b.project.name}. Values are A → B, matched by ${matching}.`,
    ...gaps.map(({ project, kind, reason }) => `UNKNOWN: every ${kind} that ${project} seems to lack: ${reason}.`),
    ...(pointers.length === 0 ? [] : [`Ignored: ${listed(pointers)}.`]),
    ...(fields.length === 0 ? [] : [`Not compared, because a value or a counterpart is unknown: ${listed(fields)}.`]),
    ...(keys.size < 2 ? [] : ['Secrets were sealed under several keys: which of them are the same is unknown.']),
  ]
}

/** How many resources are equal, how many are not, and who has the secrets of the other. */
export function concludeComparison(counts: Readonly<Record<Relation, number>>, equal: number): string[] {
  const { same_secret: shared } = counts
  const differing = countEach(['modified', 'only_in_a', 'only_in_b', 'ambiguous', 'unknown'], counts)
  const unequal = differing.replace('only_in_a', 'only in A').replace('only_in_b', 'only in B')
  return [
    `${count(equal, 'resource')} equal${unequal === '' ? '' : `, ${unequal}`}.`,
    ...(shared === 0 ? [] : [`${count(shared, 'resource')} of A with a secret that B has too: give each its own.`]),
  ]
}

function listed(texts: readonly string[]): string {
  const left = texts.length - mostListed
  return `${texts.slice(0, mostListed).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
