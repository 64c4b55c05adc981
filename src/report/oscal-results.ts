import type { Report } from '../../model/report.ts'
import { nameUuid } from './name-uuid.ts'
import type { inventoryOf, observeGap, observeViolation } from './observations.ts'
import { property } from './property.ts'

interface AssessmentFacts extends Pick<Report, 'run' | 'tool' | 'digests'> {
  /** Identifies the run; the UUIDs of the document derive from it. */
  readonly seed: string
  readonly title: string
  readonly inventory: ReturnType<typeof inventoryOf>
  readonly observations: readonly ReturnType<typeof observeGap | typeof observeViolation>[]
  /** Members of the result before the observations; `tail` has those after them. */
  readonly head: { readonly title: string; readonly [member: string]: unknown }
  readonly selection: object
  readonly tail?: object
}

/** An OSCAL document of assessment results with one result; empty lists are omitted. */
export function assessmentResults({ seed, title, run, tool, digests, ...result }: AssessmentFacts) {
  const { head, selection, tail, inventory, observations } = result
  return {
    'assessment-results': {
      uuid: nameUuid(seed, 'assessment-results'),
      metadata: {
        title,
        'last-modified': run.finished_at,
        version: String(run.number),
        'oscal-version': '1.1.2',
        props: property('tool', `${tool.name} ${tool.version}`),
      },
      'import-ap': { href: `urn:hookdrift:policy:${encodeURIComponent(digests.policy)}` },
      results: [
        {
          uuid: nameUuid(seed, 'result'),
          ...head,
          ...(inventory.length === 0 ? {} : { 'local-definitions': { 'inventory-items': inventory } }),
          'reviewed-controls': { 'control-selections': [selection] },
          ...(observations.length === 0 ? {} : { observations }),
          ...tail,
        },
      ],
    },
  }
}
