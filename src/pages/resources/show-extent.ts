import { type Kind, kinds } from '../../model/resource.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { count } from '../../text/count.ts'
import type { SiteRequest } from '../page.ts'
import { readResourceCounts } from '../run-facts.ts'
import type { ChosenResources } from './choose-resources.ts'
import { type FoundResources, mostNames } from './find-resources.ts'

/** How many there are, and how many of them are shown. What a text finds is not counted: that reads all names. */
export async function showExtent(
  request: SiteRequest,
  { text, projects, list: { kind, withRemoved, after } }: ChosenResources,
  { shown: { length: shown }, goesOnAfter, isCut }: FoundResources,
): Promise<Markup> {
  if (isCut) {
    const soFar = html`found among the ${mostNames} that this page read; there are more to search`
    return html`<p class="total"><b>${count(shown, 'resource')}</b> ${soFar}</p>`
  }
  const isLast = goesOnAfter === undefined
  const isWhole = isLast && after === undefined
  if (text !== undefined || withRemoved) {
    const more = isWhole ? nothing : html` on this page${isLast ? ', the last one' : '; more follow'}`
    return html`<p class="total"><b>${count(shown, 'resource')}</b>${more}</p>`
  }
  const numbers = await countKinds(request, new Set(projects.map(({ name }) => name)))
  const asked: readonly Kind[] = kind === undefined ? kinds : [kind]
  const counted = asked.flatMap((one) => (numbers.has(one) ? [count(numbers.get(one) ?? 0, one)] : []))
  const total = asked.reduce((sum: number, one) => sum + (numbers.get(one) ?? 0), 0)
  return html`<p class="total"><b>${count(total, 'resource')}</b>${isWhole ? nothing : html`, ${shown} on this page`}${counted.length > 1 ? html`: ${counted.join(', ')}` : nothing}</p>`
}

async function countKinds(request: SiteRequest, names: ReadonlySet<string>): Promise<ReadonlyMap<Kind, number>> {
  const numbers = new Map<Kind, number>()
  for (const { project, kind, resources } of await readResourceCounts(request)) {
    if (names.has(project.name)) numbers.set(kind, (numbers.get(kind) ?? 0) + resources)
  }
  return numbers
}
