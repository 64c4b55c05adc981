import type { Command } from 'commander'
import type { Execute } from './execute.ts'
import { definePolicyCheck } from './policy-check.ts'
import { definePolicyExplain } from './policy-explain.ts'
import { definePolicyReplay } from './policy-replay.ts'
import { definePolicyTest } from './policy-test.ts'

export function definePolicy(program: Command, execute: Execute): void {
  const policy = program.command('policy').description('Check, test, explain and replay policies')
  for (const define of [definePolicyCheck, definePolicyTest, definePolicyExplain, definePolicyReplay])
    define(policy, execute)
}
