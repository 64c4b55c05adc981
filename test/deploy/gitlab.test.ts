import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { failOnChoices } from '../../src/model/violation.ts'
import { configurationFor, openDirectory, startProgram } from '../cli/start-process.ts'
import { checkout, textOf } from './build-image.ts'
import { startForge } from './fake-forge.ts'

const text = textOf('templates/hookdrift.yml')
const [header, body] = parseAllDocuments(text).map((document) => document.toJS())
const { inputs } = header.spec

/** Every input is replaced in the text before it is read. */
function fillInputs(given: Readonly<Record<string, string>>) {
  const [, template = ''] = text.split(/^---\n/m)
  return template.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name) => given[name] ?? inputs[name].default)
}

/** The job as GitLab makes it. */
function jobWith(given: Readonly<Record<string, string>> = {}) {
  const [[name, job] = []] = Object.entries<typeof body>(parse(fillInputs(given)))
  return { name, job }
}

describe('the GitLab component', () => {
  it('is the job that init writes, with a package and the defaults of the other inputs', () => {
    const template = textOf('deploy/init/gitlab/job.yml')
    const [head = ''] = template.split('\n')
    expect(head).toMatch(/^# /)
    expect(template).toBe(`${head}\n${fillInputs({ package: 'hookdrift-__version__.tgz' })}`)
  })

  it('names each of its inputs, and uses no other', () => {
    const used = new Set([...text.matchAll(/\$\[\[ inputs\.([\w-]+) \]\]/g)].map(([, name]) => name))
    expect([...used].sort()).toEqual(Object.keys(inputs).sort())
    const known = ['description', 'default', 'regex', 'options', 'type']
    for (const input of Object.values<object>(inputs)) {
      expect(Object.keys(input).filter((key) => !known.includes(key))).toEqual([])
      expect(input).toMatchObject({ description: expect.stringMatching(/\.$/), default: expect.any(String) })
    }
    expect(inputs['fail-on'].options).toEqual([...failOnChoices])
  })

  it('makes one job, one at a time, that keeps its history and reports after a failure', () => {
    const { name, job } = jobWith({ name: 'staging' })
    expect(name).toBe('staging')
    expect(job).toMatchObject({
      resource_group: 'staging',
      cache: {
        key: 'staging',
        paths: ['', '-wal'].map((end) => `.hookdrift/history/hookdrift.db${end}`),
        when: 'always',
      },
      artifacts: { when: 'always', reports: { junit: '.hookdrift/reports/hookdrift.xml' } },
    })
    const keys = ['stage', 'image', 'rules', 'resource_group', 'timeout', 'cache', 'variables', 'script', 'artifacts']
    expect(Object.keys(job).filter((key) => !keys.includes(key))).toEqual([])
    const [template] = Object.values<{ readonly script: readonly string[] }>(body)
    expect(JSON.stringify(template?.script)).not.toContain('inputs.')
  })

  it('is left out of merge requests that get no keys, where it would fail each', () => {
    expect(jobWith().job.rules).toEqual([
      { if: '$CI_PIPELINE_SOURCE == "schedule"' },
      { if: '$CI_PIPELINE_SOURCE == "merge_request_event" && $HOOKDRIFT_SEAL_KEY' },
    ])
  })

  it('says what it needs in an image without hookdrift', async () => {
    using directory = openDirectory()
    const { job } = jobWith()
    const { code, stderr } = await startProgram('sh', ['-ec', job.script.join('\n')], {
      cwd: directory.path,
      env: { ...job.variables, PATH: process.env.PATH ?? '' },
    }).ended
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/no hookdrift in this image.*\n.*`package`/),
    })
  })

  it('audits, reports, and writes one note to the merge request', async () => {
    const fleet = generateFleet({ projects: 1, endpointsPerProject: 4 })
    await using service = await startSimulatedService(fleet)
    await using forge = await startForge()
    using directory = openDirectory()
    directory.write('hookdrift.yaml', configurationFor(service.url, fleet))
    directory.write('hookdrift-0.1.0.tgz', '')
    const bin = directory.file('bin')
    mkdirSync(bin)
    // An npm that installs this checkout as the program, with the scripts of the package.
    const installed = '.hookdrift/program/node_modules'
    const program = `#!/bin/sh\nexec '${process.execPath}' '${join(checkout, 'src/cli/main.ts')}' "$@"\n`
    directory.write('program', program)
    const npm = `#!/bin/sh\necho "$*" >npm.log; mkdir -p ${installed}/.bin ${installed}/hookdrift
cp -R '${join(checkout, 'deploy')}' ${installed}/hookdrift/deploy; cp program ${installed}/.bin/hookdrift
chmod 755 ${installed}/.bin/hookdrift\n`
    writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })

    const { job } = jobWith({ package: 'hookdrift-0.1.0.tgz', 'fail-on': 'critical', projects: 'acme/*' })
    const run = () =>
      startProgram('sh', ['-ec', job.script.join('\n')], {
        cwd: directory.path,
        env: {
          ...job.variables,
          PATH: `${bin}:${process.env.PATH}`,
          CI_API_V4_URL: forge.url,
          CI_PROJECT_ID: '5',
          CI_MERGE_REQUEST_IID: '12',
          CI_JOB_URL: 'https://forge.example/jobs/99',
          HOOKDRIFT_GITLAB_TOKEN: 'not-a-real-token',
          ACME_KEY: fleet.personalKey,
          HOOKDRIFT_SEAL_KEY: '5'.repeat(64),
        },
      }).ended
    const { code, stdout, stderr } = await run()
    const { verdict, run: first } = JSON.parse(
      readFileSync(directory.file('.hookdrift/reports/hookdrift.json'), 'utf8'),
    )
    expect({ code, number: first.number, stdout }).toEqual({
      code: verdict.exit_code,
      number: 1,
      stdout: 'hookdrift: wrote a comment\n',
    })
    expect(stderr).toContain(verdict.text)
    expect(readFileSync(directory.file('npm.log'), 'utf8')).toMatch(
      /--omit=dev --ignore-scripts .*\.\/hookdrift-0\.1\.0\.tgz$/m,
    )
    expect(readdirSync(directory.file('.hookdrift/reports')).sort()).toEqual(
      ['html', 'json', 'md', 'sarif', 'xml'].map((ending) => `hookdrift.${ending}`),
    )
    expect(existsSync(directory.file('.hookdrift/history/hookdrift.key'))).toBe(false)
    expect(forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining('hookdrift')])
  })
})
