import { type Gap, gapsOfRules, isSilent } from '../../model/gap.ts'
import { count } from '../../model/text/count.ts'

/** A sentence about gaps that are alike, and where they are. */
interface GapGroup {
  readonly text: string
  readonly projects: readonly string[]
}

/** Gaps as people read them: what several rules missed alike, and what is so in several projects, is one sentence. */
export function groupGaps(gaps: readonly Gap[]): readonly GapGroup[] {
  const alike = Map.groupBy(gapsOfRules(gaps), (gap) => {
    const { cause, listing, kind, field, resources, since, text } = gap
    const saysAll = isSilent(gap) || cause === 'selector_unknown'
    return saysAll ? text : JSON.stringify([cause, listing, kind, field, resources, since.run])
  })
  return [...alike.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const others = new Set(group.map(({ rule }) => rule)).size - 1
    const text =
      others === 0 || first.cause === 'selector_unknown'
        ? first.text
        : `${first.text}, and so did ${count(others, 'other rule')}`
    return [{ text, projects: [...new Set(group.map(({ project }) => project))] }]
  })
}
