import { rmSync } from 'node:fs'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import { createSite } from '../../src/pages/site.ts'
import { type Answer, command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'

/** The site of the demonstration: two runs over three projects, and six changes between them. */
export async function openDemoSite() {
  const directory = openDirectory()
  const env = { HOOKDRIFT_LOG: 'silent' }
  const { code, stderr } = await command(`demo --keep ${directory.file('demo')}`, { cwd: directory.path, env })
  if (code > 1) throw new Error(`the demonstration failed: ${stderr}`)
  // Pages need no key, so a server of pages has none.
  rmSync(directory.file('demo/demo-key'))
  const file = directory.file('demo/hookdrift.db')
  const history = await openExistingHistory(readLocation(file, directory.path), {})
  const faults: unknown[] = []
  const api = createApi(
    { config: directory.file('demo/hookdrift.yaml') },
    { stdout: process.stdout, stderr: process.stderr, env, cwd: () => directory.file('demo') },
    '1.2.3',
  )
  const options = {
    history: async () => history,
    now: () => Date.now(),
    version: '1.2.3',
    api,
    isHostOfPort: () => true,
    onFault: (error: unknown) => faults.push(error),
  }
  const site = createSite(options)
  const ask = (line: string) =>
    command(`${line} --config ${directory.file('demo/hookdrift.yaml')}`, { cwd: directory.file('demo'), env })
  return {
    site,
    options,
    api,
    history,
    /** Where it lies. */
    file,
    /** What was logged. */
    faults,
    /** Asks for a path with its query. */
    get: async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      site.request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } }),
    /** Runs a command line on the same history, in the folder of its configuration. */
    command: ask,
    /** What it answers as JSON, regardless of its exit code. */
    json: async (line: string): Promise<Answer> => JSON.parse((await ask(`${line} --format json`)).stdout),
    /** Fails if a page failed. */
    async [Symbol.asyncDispose]() {
      await history.close()
      directory[Symbol.dispose]()
      if (faults.length > 0) throw new AggregateError(faults, 'pages of the demonstration failed')
    },
  }
}
