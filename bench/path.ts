import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measure } from './measure.ts'
import { startService } from './start-service.ts'
import { layOut } from './work-place.ts'

/**
 * How much of the program an audit of one project runs: the files of `src` that it loads and those in which it calls a
 * function, and the frames and files from the audit of a project to a rule. Counts, not times.
 */
const start = fileURLToPath(new URL('../src/cli/start.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-path-'))
const service = await startService({ projects: 1, endpointsPerProject: 12, subscriptionsPerProject: 12 })
const place = layOut(service, start, 'auto')
try {
  const trace = join(directory, 'trace')
  await run({ TRACE: trace }, ['--import', fileURLToPath(new URL('./scripts/trace-to-rule.ts', import.meta.url))])
  const frames = readFileSync(trace, 'utf8').split('\n')
  await run({ NODE_V8_COVERAGE: directory }, [])
  const { loaded, executed } = countFiles(directory)
  process.stdout.write(`\
files of src executed / loaded by an audit of one project: ${executed} / ${loaded}
frames / files from the audit of a project to a rule: ${frames.length} / ${new Set(frames.map((frame) => frame.replace(/:\d+$/, ''))).size}

${frames.join('\n')}
`)
} finally {
  place.clear()
  rmSync(directory, { recursive: true, force: true })
  await service.stop()
}

async function run(env: Record<string, string>, flags: readonly string[]): Promise<void> {
  place.remove('path.db')
  const { command, args } = place.audit('path.db', flags)
  await measure({ command, args, env })
}

interface CoverageReport {
  readonly result: readonly { readonly url: string; readonly functions: readonly CoveredFunction[] }[]
}
interface CoveredFunction {
  /** Empty for the module itself. */
  readonly functionName: string
  readonly ranges: readonly { readonly count: number }[]
}

function countFiles(reports: string): { loaded: number; executed: number } {
  const [loaded, executed] = [new Set<string>(), new Set<string>()]
  for (const name of readdirSync(reports).filter((file) => file.endsWith('.json'))) {
    const report: CoverageReport = JSON.parse(readFileSync(join(reports, name), 'utf8'))
    for (const { url, functions } of report.result) {
      if (!/\/src\/.*\.ts$/.test(url)) continue
      loaded.add(url)
      if (functions.some((one) => one.functionName !== '' && (one.ranges[0]?.count ?? 0) > 0)) executed.add(url)
    }
  }
  return { loaded: loaded.size, executed: executed.size }
}
