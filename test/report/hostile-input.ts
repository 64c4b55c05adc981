import type { Report } from '../../src/model/report.ts'
import { type Format, formatNames } from '../../src/report/formats.ts'
import { reports } from './all-reports.ts'
import { formatTests } from './format-test.ts'

/** What a hostile text did to the formats, as their own readers see it; empty when nothing. */
export function damageIn(report: Report, names: readonly Format[] = formatNames): string[] {
  return names.flatMap((format) => {
    const text = reports[format](report, { colour: false, width: 100, full: true })
    const { read, damage } = formatTests[format]
    const found = [...charactersThatAct(text), ...damage(text, report), ...miscounted(report, read?.(text).violations)]
    return found.map((what) => `${format}: ${what}`)
  })
}

/** Characters that act or hide. */
function charactersThatAct(text: string): string[] {
  const bare = text.replaceAll('\r\n', '\n')
  return /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.exec(bare)?.slice(0, 1) ?? []
}

function miscounted({ violations }: Report, read: readonly Counted[] = violations): string[] {
  const countsOf = (all: readonly Counted[]) => String(all.map(({ severity, state }) => `${severity} ${state}`).sort())
  return countsOf(read) === countsOf(violations) ? [] : [`has ${countsOf(read)}, expected ${countsOf(violations)}`]
}

interface Counted {
  readonly severity: string
  readonly state: string
}
