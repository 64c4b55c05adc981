import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { at } from '../audit/fleet-fixture.ts'
import { openSetUp } from './init-fixture.ts'
import { typeKeys } from './type-keys.ts'

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const down = '\u001b[B'
const enter = '\r'
const control = { c: '\u0003', d: '\u0004' }
type Step = readonly [question: string, keys: string]

/** Runs `hookdrift init` in a pseudo-terminal, and types an answer to each question. */
async function answer(steps: readonly Step[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const tmp = join(cwd, 'tmp')
  mkdirSync(tmp)
  const said = await typeKeys('init --directory here', { cwd, steps, env: { TMPDIR: tmp, ...env } })
  expect(readdirSync(tmp)).toEqual([])
  return said
}

describe.skipIf(!hasPython)('hookdrift init in a terminal', () => {
  it('asks for all of it, again where an answer is wrong, and never shows the key', async () => {
    await using setUp = await openSetUp()
    const { directory, service, key, organisation, fleet } = setUp
    const { code, output, missed } = await answer(
      [
        ['Where will hookdrift run?', `${down.repeat(5)}${enter}`],
        ['URL of your Convoy', `nothing here${enter}`],
        ['expected a URL', `${'\u007f'.repeat(20)}${service.url}/api/v1${enter}`],
        ['Name of the service in reports', `${'\u007f'.repeat(20)}acme${enter}`],
        ['Environment variable', enter],
        ['API key (neither shown nor stored)', `CO.notarealkey00000.not-a-real-key${enter}`],
        ['authorization failed', ''],
        ['Environment variable', enter],
        ['API key (neither shown nor stored)', `${key}${enter}`],
        ['Which projects?', `${down}${enter}`],
        ['Organisation', `${organisation}${enter}`],
        ['Which of them?', `${down} ${enter}`],
        ['How strict?', enter],
        ['Accept', 'y'],
        ['Who answers for them?', `payments team${enter}`],
      ],
      directory.path,
    )
    expect({ code, missed }).toEqual({ code: 0, missed: null })
    const files = readdirSync(directory.file('here'), { recursive: true, withFileTypes: true })
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    for (const part of key.split('.').slice(1)) expect([output, ...texts].join()).not.toContain(part)
    expect(output).not.toContain('not-a-real-key')
    const { uid, name } = at(fleet.projects(), 1)
    const [written] = parse(readFileSync(directory.file('here/hookdrift.yaml'), 'utf8')).services
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
    expect(written).toEqual({ name: 'acme', url: service.url, key: '${ACME_KEY}', projects: [{ id: uid, name }] })
    expect(parse(readFileSync(directory.file('here/policy.yaml'), 'utf8')).waivers[0]).toMatchObject({
      owner: 'payments team',
    })
    expect(output).toContain('hookdrift audit')
  })

  it('takes a key that is in the environment already, without asking for it', async () => {
    await using setUp = await openSetUp()
    const { directory, service, key, organisation } = setUp
    const { code, output } = await answer(
      [
        ['Where will hookdrift run?', enter],
        ['URL of your Convoy', `${service.url}${enter}`],
        ['Name of the service in reports', `${'\u007f'.repeat(20)}acme${enter}`],
        ['Environment variable', enter],
        ['Which projects?', enter],
        ['Organisation', `${organisation}${enter}`],
        ['How strict?', `${down}${enter}`],
        ['Accept', 'n'],
      ],
      directory.path,
      { ACME_KEY: key },
    )
    expect(code).toBe(0)
    expect(output).not.toContain('API key')
    const { services } = parse(readFileSync(directory.file('here/hookdrift.yaml'), 'utf8'))
    expect(services[0]).toMatchObject({ organisation, projects: 'all' })
    const policy = parse(readFileSync(directory.file('here/policy.yaml'), 'utf8'))
    expect(Object.keys(policy)).toEqual(['extends', 'rules'])
  })

  const questions = ({ service, key, organisation }: Awaited<ReturnType<typeof openSetUp>>): readonly Step[] => [
    ['Where will hookdrift run?', enter],
    ['URL of your Convoy', `${service.url}${enter}`],
    ['Name of the service in reports', enter],
    ['Environment variable', enter],
    ['API key', `${key}${enter}`],
    ['Which projects?', `${down}${enter}`],
    ['Organisation', `${organisation}${enter}`],
    ['Which of them?', ` ${enter}`],
    ['How strict?', enter],
    ['Accept', 'y'],
    ['Who answers for them?', control.c],
  ]

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'ends at question %i with Ctrl-C: exit code 130, and no file',
    async (last) => {
      await using setUp = await openSetUp()
      const steps = questions(setUp).slice(0, last + 1)
      const [question = ''] = at(steps, last)
      const { code, output, missed } = await answer(
        [...steps.slice(0, last), [question, control.c]],
        setUp.directory.path,
      )
      expect({ code, missed, files: readdirSync(setUp.directory.path) }).toEqual({
        code: 130,
        missed: null,
        files: ['tmp'],
      })
      expect(output).toContain('hookdrift: stopped, no file was written')
      for (const part of setUp.key.split('.').slice(1)) expect(output).not.toContain(part)
    },
  )

  it.each([
    ['SIGTERM', 143],
    [control.d, 130],
  ])('ends with %j as well', async (keys, expected) => {
    await using setUp = await openSetUp()
    const { code } = await answer(
      [
        ['Where will hookdrift run?', enter],
        ['URL of your Convoy', keys],
      ],
      setUp.directory.path,
    )
    expect({ code, files: readdirSync(setUp.directory.path) }).toEqual({ code: expected, files: ['tmp'] })
  })
})
