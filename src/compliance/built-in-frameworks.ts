import { readFileSync } from 'node:fs'
import { matchesGlob } from '../model/glob.ts'
import { packageFile } from '../model/package-files.ts'
import { type Framework, readFramework } from './framework.ts'

/** The frameworks that come with hookdrift, by their files in `config/frameworks`, in the order of reports. */
export const builtInFrameworkIds = ['soc2', 'iso27001', 'pci-dss', 'nist-csf'] as const
export type BuiltInFrameworkId = (typeof builtInFrameworkIds)[number]

const known = new Map<BuiltInFrameworkId, Framework>()

/** Read once per process, when a caller first asks for it. */
export function builtInFramework(id: BuiltInFrameworkId): Framework {
  const framework = known.get(id) ?? readBuiltIn(id)
  known.set(id, framework)
  return framework
}

/** All controls of the built-in frameworks, as `framework:identifier`. */
export function builtInControls(): readonly string[] {
  return [...evidence().patterns.keys()]
}

/** The built-in controls that a rule gives evidence for, as `framework:identifier`. */
export function controlsOf(rule: string): string[] {
  const { patterns, distinct } = evidence()
  const matching = new Set(distinct.filter((pattern) => matchesGlob(rule, pattern)))
  return [...patterns].filter(([, each]) => each.some((pattern) => matching.has(pattern))).map(([control]) => control)
}

interface Evidence {
  /** By control, in the order of reports: which rules give evidence for it. */
  readonly patterns: ReadonlyMap<string, readonly string[]>
  readonly distinct: readonly string[]
}

let read: Evidence | undefined

/** Every audit needs it, so it comes from an index of the frameworks: reading their YAML takes longer than a small audit. */
function evidence(): Evidence {
  if (read === undefined) {
    const index: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(controlIndexFile, 'utf8'))
    read = { patterns: new Map(Object.entries(index)), distinct: [...new Set(Object.values(index).flat())] }
  }
  return read
}

/** Written from the frameworks by `npm run new:rule`, and by the test that compares it with them. */
export const controlIndexFile = packageFile('config/frameworks/index.json')

function readBuiltIn(id: BuiltInFrameworkId): Framework {
  const file = packageFile(`config/frameworks/${id}.yaml`)
  return readFramework(readFileSync(file, 'utf8'), file)
}
