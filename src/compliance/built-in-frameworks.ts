import { readFileSync } from 'node:fs'
import { packageFile } from '../model/package-files.ts'
import { type Framework, rationaleFor, readFramework } from './framework.ts'

/** The frameworks that come with hookdrift, by their files in `config/frameworks`, in the order of reports. */
export const builtInFrameworkIds = ['soc2', 'iso27001', 'pci-dss', 'nist-csf'] as const
export type BuiltInFrameworkId = (typeof builtInFrameworkIds)[number]

const known = new Map<BuiltInFrameworkId, Framework>()

/** Read once per process, when a caller first asks for it: an audit reads them after its walks. */
export function builtInFramework(id: BuiltInFrameworkId): Framework {
  const framework = known.get(id) ?? readBuiltIn(id)
  known.set(id, framework)
  return framework
}

/** All controls of the built-in frameworks, as `framework:identifier`. */
export function builtInControls(): readonly string[] {
  return builtInFrameworkIds.flatMap((id) => builtInFramework(id).controls.map((control) => `${id}:${control.id}`))
}

/** The built-in controls that a rule gives evidence for, as `framework:identifier`. */
export function controlsOf(rule: string): string[] {
  return builtInFrameworkIds.flatMap((id) =>
    builtInFramework(id)
      .controls.filter((control) => rationaleFor(control, rule) !== undefined)
      .map((control) => `${id}:${control.id}`),
  )
}

function readBuiltIn(id: BuiltInFrameworkId): Framework {
  const file = packageFile(`config/frameworks/${id}.yaml`)
  return readFramework(readFileSync(file, 'utf8'), file)
}
