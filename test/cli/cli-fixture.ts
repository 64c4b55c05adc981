import { setEndpointStatus } from '../../src/demo/edits.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { at } from '../audit/fleet-fixture.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory } from './start-process.ts'

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
  return {
    fleet,
    service,
    directory,
    env,
    /** `--config` names the file: a process of tests does not change its directory. */
    audit: (
      args: readonly string[] = [],
      more: { env?: Record<string, string>; columns?: number; onStderr?: (text: string) => void } = {},
    ) =>
      command(['audit', '--config', directory.file('hookdrift.yaml'), ...args], {
        cwd: directory.path,
        ...more,
        env: { ...env, ...more.env },
      }),
    async [Symbol.asyncDispose]() {
      await service.close()
      directory[Symbol.dispose]()
    },
  }
}

export type CliFixture = Awaited<ReturnType<typeof openCliFixture>>

export function breakOne({ fleet }: Pick<CliFixture, 'fleet'>): void {
  const project = at(fleet.projects(), 0).uid
  setEndpointStatus(fleet, { project, uid: at(fleet.open(project).endpoints, 0).uid }, 'inactive')
}
