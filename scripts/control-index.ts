import { builtInFrameworkIds } from '../src/report/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../src/report/compliance/framework.ts'

/** The text of `config/controls.json`: by control, which rules give evidence for it. A control a line. */
export function controlIndex(): string {
  const lines = builtInFrameworkIds.flatMap((id) =>
    builtInFramework(id).controls.map((control) => {
      const patterns = new Set(control.evidence.flatMap(({ rules }) => rules))
      return `  ${JSON.stringify(`${id}:${control.id}`)}: ${JSON.stringify([...patterns])}`
    }),
  )
  return `{\n${lines.join(',\n')}\n}\n`
}
