import { readdirSync } from 'node:fs'
import type { Target } from '../../src/cli/init/interview.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

/** A service with two projects, and an empty directory. */
export async function openSetUp(options: Parameters<typeof startSimulatedService>[1] = {}) {
  const fleet = generateFleet({ projects: 2, endpointsPerProject: 4, incomingEvery: 0 })
  const service = await startSimulatedService(fleet, options)
  const directory = openDirectory()
  const { personalKey: key, organisationId: organisation } = fleet
  const env = { ACME_KEY: key, HOOKDRIFT_LOG: 'silent' }
  return {
    fleet,
    service,
    directory,
    key,
    organisation,
    env,
    init: (line: string, more: Readonly<Record<string, string>> = {}) =>
      command(`init --yes --key-from-env ACME_KEY ${line}`, {
        cwd: directory.path,
        env: { ...env, ...more },
      }),
    all: (place: Target = 'none') =>
      `--url ${service.url} --organisation ${organisation} --projects all --for ${place}`,
    async [Symbol.asyncDispose]() {
      await service.close()
      directory[Symbol.dispose]()
    },
  }
}

export const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
