import { formatExpiry } from '../model/time.ts'
import type { Explanation } from '../policy/explain-rule.ts'
import { neutralise } from '../text/neutralise.ts'

/** One rule: its severity in the catalogue and in each layer of the policy that names it, and the deciding layer. */
export function showExplanation({ rule, severity, options, layers, waivers }: Explanation): string[] {
  const verdict = severity === 'off' ? `${rule} is off` : `${rule} is on, ${severity}`
  const given = JSON.stringify(options)
  const rows = layers.map((layer) => [
    layer.decides ? '→' : ' ',
    layer.layer,
    layer.severity,
    showOptions(layer.setting),
    layer.at ?? '',
  ])
  const isNamed = layers.some(({ at, decides }) => decides || at !== undefined)
  return [
    `${verdict}${severity === 'off' || given === '{}' ? '' : `, with ${given}`}`,
    ...inColumns(rows),
    ...(isNamed ? [] : ['  The policy does not name it.']),
    ...waivers.map(
      ({ owner, reason, expires, match }) =>
        `  waived until ${formatExpiry(expires)} for ${match} by ${owner}: ${reason}`,
    ),
    ...(isNamed ? ['', 'Later lines win, option by option; → decides whether the rule is on, and its severity.'] : []),
  ].map(neutralise)
}

/** All rules of a kind: the severity of each, and the layer that decides it. */
export function showExplanations(explanations: readonly Explanation[]): string[] {
  const rows = explanations.map(({ rule, severity, layers, waivers }) => {
    const { layer = '', at = '' } = layers.find(({ decides }) => decides) ?? {}
    return [severity, rule, layer, `${at}${waivers.length === 0 ? '' : ' (waived)'}`]
  })
  return inColumns(rows).map(neutralise)
}

function showOptions(setting: Explanation['layers'][number]['setting']): string {
  if (typeof setting === 'string') return ''
  const { severity: _, ...options } = setting
  return Object.keys(options).length === 0 ? '' : JSON.stringify(options)
}

/** Columns that are empty in every row are left out. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => {
    const cells = row.flatMap((cell, column) => (widths[column] ? [cell.padEnd(widths[column])] : []))
    return `  ${cells.join('  ')}`.trimEnd()
  })
}
