import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startProgram } from '../cli/start-process.ts'

type Values = Readonly<Record<string, string>>

interface ActionStep {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
  readonly 'working-directory'?: string
}

export interface ActionOptions {
  /** With `action.yml`. */
  readonly action: string
  readonly workspace: string
  /** Ends with the job. */
  readonly temporary: string
  readonly inputs?: Values
  /** What the caller's step has as `env`. */
  readonly env?: Values
  /** By the name after `github.`. */
  readonly github?: Values
  /** Does the work of an action of others. */
  readonly use: (action: string, given: Values) => void
}

/** Runs a composite action as a runner does: a step after another, each script in a shell of its own. */
export async function runAction({ action, workspace, temporary, use, ...given }: ActionOptions) {
  const { inputs, outputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8'))
  const known = new Map<string, string>(
    Object.entries(given.github ?? {}).map(([name, value]) => [`github.${name}`, value]),
  )
  const fill = (text: unknown) =>
    String(text ?? '').replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name) => known.get(name) ?? '')
  for (const [name, { default: byDefault }] of Object.entries<{ default?: unknown }>(inputs))
    known.set(`inputs.${name}`, given.inputs?.[name] ?? fill(byDefault))

  const files = Object.fromEntries(
    ['OUTPUT', 'STEP_SUMMARY', 'PATH'].map((name) => [`GITHUB_${name}`, join(temporary, name)]),
  )
  mkdirSync(temporary, { recursive: true })
  let log = ''
  let code: number | null = 0
  for (const step of runs.steps as readonly ActionStep[]) {
    const asks = step.if ?? 'success()'
    if ((code !== 0 && !asks.includes('always()')) || !asks.split(' && ').every((part) => isTrue(part, known))) continue
    const filled = (values: Readonly<Record<string, unknown>> = {}) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
    if (step.uses !== undefined) {
      use(step.uses, filled(step.with))
      continue
    }
    for (const file of Object.values(files)) writeFileSync(file, '', { flag: 'a' })
    writeFileSync(join(temporary, 'OUTPUT'), '')
    const ended = await startProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
      cwd: join(workspace, fill(step['working-directory'])),
      env: {
        ...files,
        GITHUB_ACTION_PATH: action,
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temporary,
        ...given.env,
        ...filled(step.env),
      },
    }).ended
    log += ended.stdout + ended.stderr
    if (ended.code !== 0) code = ended.code
    for (const line of readFileSync(join(temporary, 'OUTPUT'), 'utf8').split('\n').filter(Boolean)) {
      const [, name, value = ''] = /^([\w-]+)=(.*)$/.exec(line) ?? []
      known.set(`steps.${step.id}.outputs.${name}`, value)
    }
  }
  const written = Object.entries<{ value: string }>(outputs).map(([name, { value }]) => [name, fill(value)])
  return {
    code,
    log,
    outputs: Object.fromEntries(written) as Values,
    summary: readFileSync(join(temporary, 'STEP_SUMMARY'), { encoding: 'utf8', flag: 'a+' }),
  }
}

/** The conditions that the action has, and no others. */
function isTrue(condition: string, known: ReadonlyMap<string, string>) {
  if (condition === 'always()' || condition === 'success()') return true
  const [, name = '', sign, text] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(condition) ?? []
  if (sign === undefined) throw new Error(`a condition that this runner does not know: ${condition}`)
  return ((known.get(name) ?? '') === text) === (sign === '==')
}
