import type { ReportProject } from '../model/evaluation.ts'
import type { ReportDrift } from '../model/report.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { shorten } from './text/shorten.ts'

const mostNamed = 3
const longestTicket = 200

/** `Expected: change window nightly (CHG-4711)`; empty where none of some changes may have been made in a window. */
export function describeWindows(
  changes: readonly Pick<ReportDrift, 'project' | 'between'>[],
  projects: readonly Pick<ReportProject, 'project' | 'windows'>[],
): string {
  const times = changes.flatMap(({ project, between }) => {
    const { windows } = projects.find((one) => one.project === project) ?? {}
    return windowTimeOf(windows, between) ?? []
  })
  if (times.length === 0) return ''
  const share = times.length === changes.length ? '' : `${times.length} of ${changes.length}, `
  const named = [...new Set(times.map(nameWindow))]
  const others = named.length > mostNamed ? ` and ${named.length - mostNamed} more` : ''
  return `Expected: ${share}change window ${named.slice(0, mostNamed).join(', ')}${others}`
}

function nameWindow({ name, ticket }: { readonly name: string; readonly ticket: string | null }): string {
  return ticket === null ? name : `${name} (${shorten(ticket, longestTicket)})`
}
