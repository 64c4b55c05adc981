import type { Random } from '../../src/demo/random.ts'
import { type Framework, readFramework } from '../../src/report/compliance/framework.ts'
import { knownRules } from './random-policy.ts'

const patterns = [
  ...['*', 'endpoint/*', 'endpoint/secret-*', 'endpoint/url-*', 'subscription/retry-*', 'subscription/filter-*'],
  ...['subscription/*', 'source/*', 'project/*', 'drift/*', 'drift/filter-*', 'custom/*'],
] as const

/** What they read is unknown in many runs. */
const aboutRows = [
  ...['subscription/no-filter', 'subscription/filter-off', 'subscription/filter-diverges', 'drift/filter-removed'],
  ...['subscription/wildcard-mixed', 'subscription/event-type-odd', 'subscription/filter-unsatisfiable'],
  ...['drift/filter-widened', 'subscription/duplicate', 'subscription/event-type-deprecated'],
] as const

/** A framework as a person writes it. Most controls have few rules, so that in most runs some are met. */
export function randomFramework(random: Random): Framework {
  const controls = Array.from({ length: 24 }, (_, at) => ({
    id: `W-${at + 1}`,
    title: `Control ${at + 1}`,
    evidence: Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => ({
      rationale: 'So it was decided.',
      rules: random.chance(0.15)
        ? [random.pick(patterns)]
        : someOf(random.chance(0.2) ? aboutRows : knownRules, random),
    })),
  }))
  return readFramework(JSON.stringify({ framework: 'ours', title: 'Our standard', controls }), 'ours.yaml')
}

function someOf(rules: readonly string[], random: Random): readonly string[] {
  return random.shuffled(rules).slice(0, random.pick([1, 1, 2, 4]))
}
