import { readFileSync } from 'node:fs'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { at, query } from '../audit/fleet-fixture.ts'
import { type Answer, command, type TerminalOptions } from './run-in-process.ts'
import { type CommandLine, configurationFor, openDirectory, startHookdrift, wordsOf } from './start-process.ts'

/** A simulated service and a directory with a configuration of it. */
export async function openCliFixture(options: FleetOptions = {}, more = '') {
  const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 5, ...options })
  const service = await startSimulatedService(fleet)
  // A release without published faults: a clean fleet has no violation.
  service.behaviour.release = 'later'
  const directory = openDirectory()
  directory.write('hookdrift.yaml', configurationFor(service.url, fleet, more))
  // The log goes to the file descriptor: what is said here is said by processes of their own.
  const env = { ACME_KEY: fleet.personalKey, HOOKDRIFT_LOG: 'silent' }
  const config = ['--config', directory.file('hookdrift.yaml')]
  /** `--config` names the file: a process of tests does not change its directory. */
  const run = (line: CommandLine, more: Omit<Partial<TerminalOptions>, 'cwd'> = {}) => {
    const words = wordsOf(line)
    return command(words.includes('--config') ? words : [...words, ...config], {
      cwd: directory.path,
      ...more,
      env: { ...env, ...more.env },
    })
  }
  return {
    fleet,
    service,
    directory,
    env,
    run,
    audit: (line: CommandLine = '', more: Parameters<typeof run>[1] = {}) => run(['audit', ...wordsOf(line)], more),
    /** The answer of a command as JSON, regardless of its exit code. */
    json: async (line: CommandLine): Promise<Answer> =>
      JSON.parse((await run([...wordsOf(line), '--format', 'json'])).stdout),
    /** A process of its own. */
    start: (line: CommandLine, more: Readonly<Record<string, string>> = {}) =>
      startHookdrift(line, { cwd: directory.path, env: { ...env, ...more } }),
    /** An endpoint of a project, by their places in the fleet. */
    endpoint(index = 0, projectIndex = 0) {
      const project = at(fleet.projects(), projectIndex).uid
      return { project, uid: at(fleet.open(project).endpoints, index).uid }
    },
    /** Changes the text of the configuration. */
    configure: (change: (text: string) => string) =>
      directory.write('hookdrift.yaml', change(readFileSync(directory.file('hookdrift.yaml'), 'utf8'))),
    /** The rows of a query to the history. */
    query: <Row>(sql: string) => query<Row>(directory.file('hookdrift.db'), sql),
    async [Symbol.asyncDispose]() {
      await service.close()
      directory[Symbol.dispose]()
    },
  }
}

export type CliFixture = Awaited<ReturnType<typeof openCliFixture>>

export function breakOne({ fleet, endpoint }: Pick<CliFixture, 'fleet' | 'endpoint'>): void {
  setEndpointStatus(fleet, endpoint(), 'inactive')
}
