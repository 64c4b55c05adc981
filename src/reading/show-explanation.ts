import type { Explanation } from '../policy/explain-rule.ts'
import { neutralise } from '../text/neutralise.ts'

/** One rule: every layer that speaks of it, and which one decides. */
export function showExplanation({ rule, severity, options, layers, waivers }: Explanation): string[] {
  const verdict = severity === 'off' ? `${rule} is off` : `${rule} judges it, ${severity}`
  const given = JSON.stringify(options)
  const rows = layers.map(({ layer, at = '', setting, decides }) => [decides ? '→' : ' ', layer, says(setting), at])
  return [
    `${verdict}${severity === 'off' || given === '{}' ? '' : `, with ${given}`}`,
    ...(rows.length === 0 ? ['  nothing in the policy speaks of it'] : inColumns(rows)),
    ...waivers.map(
      ({ owner, reason, expires, match }) => `  waived until ${expires} for ${match} by ${owner}: ${reason}`,
    ),
    ...(rows.length === 0
      ? []
      : ['', 'Later lines win, option by option; → decides whether it judges, and how severely.']),
  ].map(neutralise)
}

/** All rules of a kind: whether each judges, and what decided. */
export function showExplanations(explanations: readonly Explanation[]): string[] {
  const rows = explanations.map(({ rule, severity, layers, waivers }) => {
    const { layer = '', at = '' } = layers.find(({ decides }) => decides) ?? {}
    return [severity, rule, layer, `${at}${waivers.length === 0 ? '' : ' (waived)'}`]
  })
  return inColumns(rows).map(neutralise)
}

function says(setting: Explanation['layers'][number]['setting']): string {
  if (typeof setting === 'string') return setting
  return Object.keys(setting).length === 0 ? 'on' : JSON.stringify(setting)
}

function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}
