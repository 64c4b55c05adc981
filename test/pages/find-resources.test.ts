import { expect, it } from 'vitest'
import type { ListedResource, ResourceListChoice } from '../../src/history/resource-list.ts'
import { findResources, mostNames, rowsPerPage } from '../../src/pages/find-resources.ts'
import { orders, payments } from '../history/samples.ts'

const perProject = mostNames + 777
const projects = [orders, payments]
const all = projects.flatMap((project) =>
  Array.from({ length: perProject }, (_, at) => ({
    project,
    kind: 'endpoint' as const,
    uid: `u${String(at).padStart(6, '0')}`,
    name: `Orders ${at} Ä`,
    since: '2026-01-01T00:00:00.000Z',
    removedBy: null,
  })),
)

/** Lists `all` as a history does, and counts what it was asked to read. */
function startReading() {
  const asked = { names: 0 }
  const listResources = async ({ projects: chosen, after, most }: ResourceListChoice) => {
    asked.names += most
    const first = projects.findIndex(({ name }) => name === chosen[0]?.name) * perProject
    const from = after === undefined ? first : all.findIndex(({ uid }, at) => at >= first && uid === after.uid) + 1
    return all.slice(from, from + most)
  }
  return { asked, listResources }
}

it.each(['77', 'ORDERS', 'orders 2776 ä', 'ders 2776 Ä', 'U002', 'nothing', '%', '_'])(
  'finds on all pages together what has %s in its name or uid, and reads a bounded number of names for each',
  async (text) => {
    const fold = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    const wanted = all.filter(({ name, uid }) => [name, uid].some((value) => fold(value).includes(fold(text))))
    const found: ListedResource[] = []
    const whole = { run: 1, projects, kind: undefined, withRemoved: true, after: undefined }
    let list: Omit<ResourceListChoice, 'most'> | undefined = whole
    while (list !== undefined) {
      const { asked, listResources } = startReading()
      const { resources: shown, goesOnAfter, isCut } = await findResources(listResources, { list, text })
      expect(asked.names).toBeLessThanOrEqual(mostNames)
      expect(shown.length).toBeLessThanOrEqual(rowsPerPage)
      // A page that is not full says why: it read all that it may, or the list ended.
      if (goesOnAfter !== undefined && shown.length < rowsPerPage) expect(isCut).toBe(true)
      found.push(...shown)
      const at = projects.findIndex(({ name }) => name === goesOnAfter?.project.name)
      list = goesOnAfter && { ...whole, projects: projects.slice(at), after: goesOnAfter }
    }
    expect(found).toEqual(wanted)
  },
)
