import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { updateEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { sarif } from '../../src/report/sarif.ts'
import { at } from '../audit/fleet-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { configurationFor, openDirectory } from '../cli/start-process.ts'
import { validateSarif } from '../examiners/validate-sarif.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { options } from './sample-reports.ts'

const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 3 })
const service = await startSimulatedService(fleet)
const project = at(fleet.projects(), 0).uid
updateEndpoint(
  fleet,
  { project, uid: at(fleet.open(project).endpoints, 0).uid },
  { name: 'orders', url: 'http://a.example' },
)

const listed = configurationFor(service.url, fleet)
const discovering = `    organisation: ${fleet.organisationId}\n    projects: all\n`
const variables = { HOOKDRIFT_URL: service.url, HOOKDRIFT_KEY: fleet.personalKey }

interface Place {
  /** Where the configuration is; absent: the environment is the configuration. */
  readonly file?: string
  readonly text?: string
  /** The folder that is a repository. */
  readonly git?: string
  /** Where hookdrift runs. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What a runner calls its workspace. */
  readonly workspace?: readonly [variable: string, folder: string]
  readonly uri: string
}

/** How hookdrift may be configured, and the file that all results name. */
const places: Readonly<Record<string, Place>> = {
  'a file outside of repositories': { file: 'ops/hookdrift.yaml', cwd: 'ops', uri: 'hookdrift.yaml' },
  'a file in the root': { file: 'hookdrift.yaml', git: '.', uri: 'hookdrift.yaml' },
  'a file in a folder': { file: 'ops dir/hookdrift.yaml', git: '.', cwd: 'ops dir', uri: 'ops%20dir/hookdrift.yaml' },
  'a file above': { file: 'ops/a.yaml', git: '.', cwd: 'ops/reports', uri: 'ops/a.yaml' },
  'a file in another folder': { file: 'ops/a.yaml', git: '.', cwd: 'b', uri: 'ops/a.yaml' },
  'a file in a repository in another': { file: 'a/ops/b.yaml', git: 'a', uri: 'ops/b.yaml' },
  'a workspace of GitHub': {
    file: 'ops/hookdrift.yaml',
    cwd: 'ops',
    workspace: ['GITHUB_WORKSPACE', '.'],
    uri: 'ops/hookdrift.yaml',
  },
  'a workspace that is a link': {
    file: 'ops/hookdrift.yaml',
    cwd: 'ops',
    workspace: ['GITHUB_WORKSPACE', 'link'],
    uri: 'ops/hookdrift.yaml',
  },
  'a checkout of GitLab': {
    file: 'ops/hookdrift.yaml',
    workspace: ['CI_PROJECT_DIR', '.'],
    uri: 'ops/hookdrift.yaml',
  },
  'all projects of an organisation': {
    file: 'ops/all.yaml',
    text: listed.replace(/ {4}projects:[\s\S]*$/, discovering),
    git: '.',
    uri: 'ops/all.yaml',
  },
  'variables that name projects': {
    env: { ...variables, HOOKDRIFT_PROJECTS: `payments=${project}` },
    git: '.',
    uri: 'hookdrift.yaml',
  },
  'variables for all projects': {
    env: { ...variables, HOOKDRIFT_PROJECTS: 'all', HOOKDRIFT_ORGANISATION: fleet.organisationId },
    uri: 'hookdrift.yaml',
  },
}

const written = openDirectory()
afterAll(async () => {
  written[Symbol.dispose]()
  await service.close()
})

it.each(Object.entries(places))('names a file for each result: %s', async (name, place) => {
  using directory = openDirectory()
  const { file, text = listed, git, cwd = '.', env, workspace, uri } = place
  for (const folder of [
    cwd,
    ...(file === undefined ? [] : [dirname(file)]),
    ...(git === undefined ? [] : [`${git}/.git`]),
  ])
    mkdirSync(directory.file(folder), { recursive: true })
  if (file !== undefined) directory.write(file, text)
  symlinkSync('.', directory.file('link'))
  // A process of tests does not change its directory: the file is named.
  const named = file === undefined ? [] : ['-c', directory.file(file)]
  const { stderr } = await command(['audit', '--quiet', '--report', 'sarif=x.sarif', ...named], {
    cwd: directory.file(cwd),
    env: {
      ACME_KEY: fleet.personalKey,
      HOOKDRIFT_LOG: 'silent',
      ...env,
      ...(workspace === undefined ? {} : { [workspace[0]]: directory.file(workspace[1]) }),
    },
  })
  expect(stderr).not.toContain('sarif')
  const log = readFileSync(directory.file(`${cwd}/x.sarif`), 'utf8')
  if (isValidated(name)) written.write(`${name}.sarif`, log)
  const [{ results, invocations }] = JSON.parse(log).runs
  const notifications = invocations[0].toolExecutionNotifications
  const uris = [...results, ...notifications].flatMap(({ locations = [] }) =>
    locations.map((location: Located) => location.physicalLocation?.artifactLocation.uri),
  )
  expect(results.length).toBeGreaterThan(1)
  expect(uris.length).toBeGreaterThanOrEqual(results.length)
  expect(new Set(uris)).toEqual(new Set([uri]))
})

/** It takes half a second for each: those without a file, and one with all. */
const isValidated = (name: string) => /all projects|variables/.test(name)

it("has no fault by GitHub's rules, as Microsoft's validator reads them", () => {
  for (const name of ['small', 'incomplete'] as const)
    written.write(`${name}.sarif`, sarif(evaluatedSamples[name], options))
  expect(validateSarif(written.path)).toEqual([])
})

interface Located {
  readonly physicalLocation?: { readonly artifactLocation: { readonly uri: string } }
}
