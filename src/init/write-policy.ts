import { isAtLeast } from '../model/violation.ts'
import { rules } from '../rules/rules.ts'
import { writeYaml } from '../yaml/write-yaml.ts'
import type { Answers } from './answers.ts'

/** Writes `policy.yaml`. */
export function writePolicy({ strictness, waivers = '' }: Pick<Answers, 'strictness' | 'waivers'>): string {
  const base = writeYaml({ extends: ['recommended'] })
  const off = strictness === 'recommended' ? '' : `\n${explanation}${writeYaml({ rules: rulesOff() })}`
  return `${base}${off}${waivers === '' ? '' : `\n${waivers}`}`
}

const explanation = `# Only what is critical or high is evaluated. Delete a line to turn its rule on.
`

/** Rules that are about the policy itself stay: they find waivers that end. */
function rulesOff(): Record<string, 'off'> {
  const minor = rules.filter(
    ({ id, severity, packs }) =>
      packs.includes('recommended') && !isAtLeast(severity, 'high') && !id.startsWith('waiver/'),
  )
  return Object.fromEntries(minor.map(({ id }) => [id, 'off']))
}
