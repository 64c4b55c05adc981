import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import type { SitePlan } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import type { Answer } from '../cli/run-in-process.ts'
import type { HistoryFixture } from '../questions/history-fixture.ts'

/** The site of what a fixture's audits left, as of its clock. Closes the fixture, too. */
export async function openSite({ fixture, rows, ask, ...rest }: HistoryFixture, plan?: SitePlan) {
  const { harness } = fixture
  const history = await openExistingHistory(readLocation(harness.file, harness.directory), {})
  const faults: unknown[] = []
  const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => harness.directory }
  const site = createSite({
    history: async () => history,
    version: '1.2.3',
    isHostOfPort: () => true,
    ...(plan && { plan }),
    now: () => harness.clock.now(),
    api: createApi({ config: 'hookdrift.yaml', history: harness.file }, terminal, '1.2.3'),
    onFault: (error) => faults.push(error),
  })
  const get = async (path: string) => site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
  return {
    ...rest,
    faults,
    site,
    history,
    /** Time passes. */
    advance: (ms: number) => harness.advance(ms),
    get,
    /** The JSON of a command, regardless of its exit code. */
    json: async (line: string): Promise<Answer> => JSON.parse((await ask(`${line} --format json`)).stdout),
    /** Fails if a page failed. */
    async [Symbol.asyncDispose]() {
      await history.close()
      await fixture[Symbol.asyncDispose]()
      if (faults.length > 0) throw new AggregateError(faults, 'pages failed')
    },
  }
}
