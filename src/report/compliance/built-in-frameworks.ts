import { readFileSync } from 'node:fs'
import { matchesGlob } from '../../model/glob.ts'
import { packageFile } from '../../model/package-files.ts'

/** The frameworks that come with hookdrift, by their files in `config/frameworks`, in the order of reports. */
export const builtInFrameworkIds = [
  'soc2',
  'iso27001',
  'pci-dss',
  'nist-csf',
  'nist-800-53',
  'cis',
  'hipaa',
  'dora',
  'nis2',
] as const
export type BuiltInFrameworkId = (typeof builtInFrameworkIds)[number]

/** All controls of the built-in frameworks, as `framework:identifier`. */
export function builtInControls(): readonly string[] {
  return evidence().controls
}

/** The built-in controls that a rule gives evidence for, as `framework:identifier`. */
export function controlsOf(rule: string): string[] {
  const { controls, byRule, byPattern } = evidence()
  const controlIndexes = new Set(byRule.get(rule))
  for (const [pattern, indexes] of byPattern) {
    if (matchesGlob(rule, pattern)) for (const index of indexes) controlIndexes.add(index)
  }
  return controls.filter((_, index) => controlIndexes.has(index))
}

interface Evidence {
  /** In the order of reports. */
  readonly controls: readonly string[]
  /** Which of them a rule gives evidence for, by its id or by a pattern. */
  readonly byRule: ReadonlyMap<string, readonly number[]>
  readonly byPattern: ReadonlyMap<string, readonly number[]>
}

let read: Evidence | undefined

/** Every audit needs it, so it comes from an index of the frameworks: their YAML takes longer to read than a small audit. */
function evidence(): Evidence {
  read ??= readEvidence()
  return read
}

function readEvidence(): Evidence {
  const index: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(controlIndexFile, 'utf8'))
  const byRule = new Map<string, number[]>()
  const byPattern = new Map<string, number[]>()
  for (const [at, names] of Object.values(index).entries()) {
    for (const name of names) {
      const controls = name.includes('*') ? byPattern : byRule
      controls.set(name, [...(controls.get(name) ?? []), at])
    }
  }
  return { controls: Object.keys(index), byRule, byPattern }
}

/** Written from the frameworks by `npm run new:rule`, and by the test that compares it with them. */
export const controlIndexFile = packageFile('config/controls.json')
