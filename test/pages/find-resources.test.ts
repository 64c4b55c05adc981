import { expect, it } from 'vitest'
import type { ListedResource, ResourceListChoice } from '../../src/history/resource-list.ts'
import { searchList, tokenOf } from '../../src/pages/resources.ts'
import { orders, payments } from '../history/samples.ts'

const perProject = 2777
const limit = 50
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

/** Lists `all` as a history does, a bounded number of names at a time. */
async function listResources({ projects: chosen, after, most }: ResourceListChoice) {
  expect(most).toBeLessThanOrEqual(1000)
  const first = projects.findIndex(({ name }) => name === chosen[0]?.name) * perProject
  const from = after === undefined ? first : all.findIndex(({ uid }, at) => at >= first && uid === after.uid) + 1
  return all.slice(from, from + most)
}

it.each(['77', 'ORDERS', 'orders 2776 ä', 'ders 2776 Ä', 'U002', 'nothing', '%', '_'])(
  'finds on all pages together what has %s in its name or uid, and holds a bounded number of names',
  async (text) => {
    const fold = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    const wanted = all.filter(({ name, uid }) => [name, uid].some((value) => fold(value).includes(fold(text))))
    const found: ListedResource[] = []
    const choice = { run: 1, projects, kind: undefined, withRemoved: true }
    for (let after: string | undefined, goesOn = true; goesOn; ) {
      const part = await searchList(listResources, choice, { text, limit, after })
      found.push(...part.slice(0, limit))
      const last = part[limit - 1]
      goesOn = part.length > limit && last !== undefined
      after = last && tokenOf(last)
    }
    expect(found).toEqual(wanted)
  },
)
