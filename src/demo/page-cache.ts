import { answerList, type ListRequest, lists } from './answer-list.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { readPageQuery } from './page.ts'
import type { SimulatedRelease } from './release.ts'

/** Keeps rendered pages until their project is edited, so that a benchmark measures only its client. */
export function createPageCache(): typeof answerList {
  const projects = new Map<string, { readonly revision: number; readonly pages: Map<string, SimulatedAnswer> }>()
  return (request) => {
    const { fleet, projectUid } = request
    const revision = fleet.revision(projectUid)
    const known = projects.get(projectUid)
    const project = known?.revision === revision ? known : { revision, pages: new Map<string, SimulatedAnswer>() }
    if (project !== known) projects.set(projectUid, project)
    const key = keyOf(request)
    const kept = project.pages.get(key)
    if (kept !== undefined) return kept
    const answer = answerList(request)
    project.pages.set(key, answer)
    return answer
  }
}

/** Walks every list of every project once, to fill the cache. */
export function warmUp(
  fleet: SimulatedFleet,
  answer: typeof answerList,
  { release, pageSize }: { release: SimulatedRelease; pageSize: number },
): void {
  for (const { uid: projectUid } of fleet.projects()) {
    for (const list of lists) {
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const parameters = new URLSearchParams({ perPage: `${pageSize}`, next_page_cursor: cursor })
        const page = readPageQuery(parameters)
        const { body } = answer({ fleet, projectUid, list, page, parameters, release, names: 'current' })
        cursor = nextCursorIn(body)
      }
    }
  }
}

const pagingParameters = new Set(['perPage', 'direction', 'sort', 'next_page_cursor', 'prev_page_cursor'])

function keyOf({ list, page, parameters, release, names }: ListRequest): string {
  const filters = [...parameters].filter(([name]) => !pagingParameters.has(name))
  return JSON.stringify([list, release, names, page.perPage, page.direction, page.sort, page.cursor, filters])
}

/** The pagination ends every body and is always the same few members: no need to parse a megabyte. */
function nextCursorIn(body: Buffer): string | undefined {
  return /"has_next_page":true.*"next_page_cursor":"([^"]*)"\}\}\}\n?$/.exec(
    body.toString('utf8', Math.max(0, body.length - 300)),
  )?.[1]
}
