import { type Command, Option } from 'commander'
import { exitCodes } from '../model/errors.ts'
import type { Policy } from '../policy/policy.ts'
import type { Execute } from './execute.ts'
import { policyFileOf } from './policy-file.ts'
import type { Terminal } from './terminal.ts'

interface CheckOptions {
  readonly config: string
  readonly format: 'text' | 'json'
}

export function definePolicyCheck(policy: Command, execute: Execute): void {
  policy
    .command('check')
    .argument('[file]', 'a policy file; unless given, that of the configuration')
    .description('say all that is wrong with a policy file, or what it holds; exit 0 or 2')
    .option('--config <file>', 'configuration, for the path of the policy', 'hookdrift.yaml')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json']).default('text'))
    .action((file: string | undefined, options: CheckOptions) => execute((terminal) => check(file, options, terminal)))
}

async function check(
  policyFile: string | undefined,
  { config, format }: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  const { loadPolicy, loadPolicyTests } = await import('./load-policy.ts')
  const { unlessStopped, untilSignalled } = await import('./until-signalled.ts')
  const { neutralise } = await import('../text/neutralise.ts')
  const path = await policyFileOf(policyFile === undefined ? { config } : { policy: policyFile, config }, terminal)
  const load = async (signal: AbortSignal) => {
    const policy = await loadPolicy(path, { now: Date.now(), signal })
    const ids = policy.known.map(({ id }) => id)
    return { policy, tests: await loadPolicyTests(path, ids, { signal }) }
  }
  const { result: read, exitCode } = await untilSignalled((signal) => unlessStopped(signal, load(signal)))
  if (read === undefined) return exitCode ?? exitCodes.failure
  const { policy, tests } = read
  const held = contentsOf(policy, tests.length)
  if (format === 'json') {
    const rows = [{ file: path, digest: policy.digest, ...held }]
    terminal.stdout.write(`${JSON.stringify({ schema: 'hookdrift.policy-check/1', run: null, rows }, null, 2)}\n`)
  } else terminal.stdout.write(`${neutralise(policyFile ?? path)} is a policy: ${sentenceOf(held)}\n`)
  return exitCodes.clean
}

function contentsOf(policy: Policy, tests: number) {
  return {
    rules: policy.rules.length,
    custom: policy.known.filter(({ custom }) => custom !== undefined).length,
    overrides: policy.overrides.length,
    waivers: policy.waivers.length,
    probes: policy.probes.length,
    tests,
  }
}

function sentenceOf({ rules, custom, overrides, waivers, probes, tests }: ReturnType<typeof contentsOf>): string {
  const parts = [
    `${counted(rules, 'rule judges', 'rules judge')}${custom === 0 ? '' : ` (${custom} of its own)`}`,
    counted(overrides, 'override'),
    counted(waivers, 'waiver'),
    counted(probes, 'probe'),
    counted(tests, 'test'),
  ]
  return `${parts.join(', ')}.`
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
