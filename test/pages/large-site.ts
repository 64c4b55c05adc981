import { createApi } from '../../src/cli/api/create-api.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { NewVersion } from '../../src/history/staged.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectRef } from '../../src/model/resource.ts'
import type { SitePlan } from '../../src/pages/page.ts'
import { createSite, type SiteOptions } from '../../src/pages/site.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { aChange, aStart, at, aVersion, orders, payments, walkAll } from '../history/samples.ts'

/** Opens sites, each over a history that runs of a test fill. Histories are removed after the tests of the file. */
export function largeSites() {
  const newFile = temporaryDatabasePaths()
  return (plan?: SitePlan) => openLargeSite(newFile(), plan)
}

function openLargeSite(file: string, plan: SitePlan | undefined) {
  const history = openSqliteHistory(file, new Machines().process(100))
  const faults: unknown[] = []
  const options: SiteOptions = {
    history: async () => history,
    now: () => Date.parse(at(1000)),
    version: '1.2.3',
    api: createApi({ config: 'hookdrift.yaml' }, { ...process, cwd: () => '/' }, '1.2.3'),
    isHostOfPort: () => true,
    ...(plan && { plan }),
    onFault: (error) => faults.push(error),
  }
  const site = createSite(options)
  let runs = 0
  return {
    history,
    options,
    faults,
    /** A run that finds some new resources in each project. */
    async run(versions: ReadonlyMap<ProjectRef, readonly NewVersion[]> = new Map()) {
      runs += 1
      const draft = await history.begin(aStart(at(runs)))
      for (const project of [payments, orders]) {
        await walkAll(draft, project)
        const found = versions.get(project) ?? []
        await draft.stage(project, found)
        await draft.stageChanges(
          project,
          found.map(({ kind, uid }) => aChange(uid, { kind })),
        )
      }
      await draft.commit(at(runs + 0.5), () => 0)
    },
    async get(path: string) {
      const answer = await site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
      const text = await answer.text()
      const next = /<link rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      return { status: answer.status, text, next }
    },
  }
}

/** New endpoints, whose uids sort as their numbers do. */
export function someEndpoints(number: number, prefix: string, more: JsonObject = {}): NewVersion[] {
  return Array.from({ length: number }, (_, at) =>
    aVersion(`${prefix}${String(at).padStart(6, '0')}`, { n: at, ...more }),
  )
}
