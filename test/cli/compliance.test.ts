import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { breakOne, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'

const schemaOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../config/${name}.schema.json`, import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true })
const validate = ajv.addSchema(schemaOf('report')).compile(schemaOf('compliance'))

const ours = `
framework: ours
title: Our own controls
controls:
  - id: W-1
    title: Deliveries arrive
    evidence: [{ rules: ["endpoint/*"], rationale: What does not work delivers nothing. }]
  - { id: W-2, title: People are notified }
`

describe('report --framework', () => {
  it('shows the state of each control, which changes with a partial walk', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { endpoint/inactive: {} }\n')
    cli.directory.write('ours.yaml', ours)
    const ask = async (...args: string[]) =>
      command(['report', '--history', 'hookdrift.db', '--framework', 'ours.yaml', ...args], {
        cwd: cli.directory.path,
        env: {},
      })
    const statesOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await ask('--format', 'json', ...args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const compliance = JSON.parse(stdout)
      validate(compliance)
      expect(validate.errors).toBeNull()
      return compliance.controls.map(({ state }: { state: string }) => state)
    }
    await cli.audit()
    breakOne(cli)
    await cli.audit()
    cli.service.behaviour.outage = 'lists-unreadable'
    await cli.audit()
    expect(await statesOf('--run', '1')).toEqual(['met', 'not_covered'])
    expect(await statesOf('--run', '2')).toEqual(['not_met', 'not_covered'])
    expect(await statesOf('--run', '3')).toEqual(['not_assessed', 'not_covered'])
    expect(await statesOf('--from', '2020-01-01')).toEqual(['not_assessed', 'not_covered'])

    const text = await ask('--run', '2')
    expect(text.stdout).toContain('W-1  NOT MET  Deliveries arrive')
    expect(text.stdout).toMatch(/Not covered by this tool: 1 control/)
    expect((await ask('--run', '2', '--format', 'html')).stdout).toContain('data-control="W-1" data-state="not_met"')
    const again = await ask('--run', '2')
    expect(again.stdout).toBe(text.stdout)
  })

  it('shows with --policy what another policy would have found, in every format, with the rules that cannot be evaluated', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { endpoint/status-unknown: {} }\n')
    cli.directory.write('new.yaml', 'extends: []\nrules: { endpoint/inactive: {} }\n')
    cli.directory.write('blind.yaml', 'extends: []\nrules: { endpoint/failure-rate-high: {} }\n')
    cli.directory.write('ours.yaml', ours)
    await cli.audit()
    breakOne(cli)
    await cli.audit()
    const run = (...args: string[]) =>
      command([...args, '--history', 'hookdrift.db'], { cwd: cli.directory.path, env: {} })
    const ask = (...args: string[]) => run('report', '--framework', 'ours.yaml', ...args)
    const stateOf = async (...args: string[]) => {
      const compliance = JSON.parse((await ask('--format', 'json', ...args)).stdout)
      validate(compliance)
      expect(validate.errors).toBeNull()
      return [compliance.controls[0].state, compliance.replayed_with?.not_evaluated]
    }
    expect(await stateOf('--run', '2')).toEqual(['met', undefined])
    expect(await stateOf('--run', '1', '--policy', 'new.yaml')).toEqual(['met', []])
    expect(await stateOf('--run', '2', '--policy', 'new.yaml')).toEqual(['not_met', []])
    expect(await stateOf('--from', '2020-01-01', '--policy', 'new.yaml')).toEqual(['not_met', []])
    expect((await stateOf('--run', '2', '--policy', 'blind.yaml'))[0]).toBe('not_assessed')
    for (const format of ['text', 'json', 'html', 'markdown', 'csv', 'oscal']) {
      expect((await ask('--policy', 'new.yaml', '--format', format)).stdout).toMatch(/replayed/i)
      expect((await ask('--format', format)).stdout).not.toMatch(/replayed:|replayed_with"|replayed-with/i)
    }
    expect((await run('report', '--policy', 'new.yaml')).stderr).toContain('--policy needs --framework')

    const replay = await run('policy', 'replay', '--policy', 'new.yaml', '--format', 'json')
    expect(replay.code).toBe(0)
    const { schema, rows, replayed } = JSON.parse(replay.stdout)
    expect([schema, replayed.runs]).toEqual(['hookdrift.replay/2', 2])
    expect(rows).toMatchObject([{ rule: 'endpoint/inactive', state: 'opened', first_run: 2, last_run: 2 }])
    expect((await run('policy', 'replay', '--policy', 'new.yaml', '--since', '90d')).stdout).toContain('new (run 2)')
    expect((await run('policy', 'replay', '--policy', 'new.yaml', '--since', '7')).code).toBe(2)
  })

  it('refuses unknown frameworks, with line and column of a mistake', async () => {
    await using cli = await openCliFixture()
    await cli.audit()
    cli.directory.write('bad.yaml', 'framework: ours\ntitle: Ours\ncontrols:\n  - { id: W-1, titel: x }\n')
    const ask = async (...args: string[]) => {
      const options = { cwd: cli.directory.path, env: {} }
      const { code, stderr } = await command(['report', '--history', 'hookdrift.db', ...args], options)
      expect(code).toBe(2)
      return stderr
    }
    expect(await ask('--framework', 'soc3')).toMatch(/no framework "soc3", expected one of soc2, iso27001, pci-dss/)
    expect(await ask('--framework', 'bad.yaml')).toMatch(/bad\.yaml:4:\d+: .*titel/)
    expect(await ask('--framework', 'none.yaml')).toMatch(/cannot read the framework/)
    expect(await ask('--from', '2026-01-01')).toMatch(/--from and --to need --framework/)
    expect(await ask('--framework', 'soc2', '--from', '2026-02-01', '--to', '2026-01-01')).toMatch(/not before/)
    expect(await ask('--framework', 'soc2', '--from', 'soon')).toMatch(/"soon" is not a run or a time/)
    expect(await ask('--framework', 'soc2', '--from', '2020-01-01', '--to', '2020-02-01')).toMatch(
      /no run was committed/,
    )
  })
})
