import type { ControlEvidence } from '../../compliance/compliance.ts'

/**
 * The control under which something is shown: the first that has it, in the order of the document. A rule or a walk gives
 * all of its controls the same evidence, so the others refer to that one.
 */
export interface FirstControls {
  ofRule(id: string): string
  ofWalk(walk: Walk): string
}

type Walk = Pick<ControlEvidence['coverage']['gaps'][number], 'project' | 'listing'>

/** `controls`: in the order in which their evidence is shown. */
export function findFirstControls(controls: readonly ControlEvidence[]): FirstControls {
  const [byRule, byWalk] = [new Map<string, string>(), new Map<string, string>()]
  for (const { id, rules, exemptions, coverage } of controls) {
    // A rule that is off is not evaluated, and exempt all the same.
    const named = [...rules.map((rule) => rule.id), ...exemptions.map(({ rule }) => rule)]
    for (const rule of named) if (!byRule.has(rule)) byRule.set(rule, id)
    for (const gap of coverage.gaps) if (!byWalk.has(keyOf(gap))) byWalk.set(keyOf(gap), id)
  }
  return { ofRule: (id) => byRule.get(id) ?? '', ofWalk: (walk) => byWalk.get(keyOf(walk)) ?? '' }
}

function keyOf({ project, listing }: Walk): string {
  return JSON.stringify([project, listing])
}

/** Entries that a control shows itself, and those that it refers to, by the control that shows them. */
export function splitByControl<Entry>(
  entries: readonly Entry[],
  control: string,
  firstOf: (entry: Entry) => string,
): { readonly here: readonly Entry[]; readonly elsewhere: readonly (readonly [control: string, readonly Entry[]])[] } {
  const { here = [], elsewhere = [] } = Object.groupBy(entries, (entry) =>
    firstOf(entry) === control ? 'here' : 'elsewhere',
  )
  return { here, elsewhere: [...Map.groupBy(elsewhere, firstOf)] }
}
