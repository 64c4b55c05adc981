import { isCoverageComplete } from '../../model/coverage.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { type Severity, severities } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { shorten } from '../text/shorten.ts'
import { showTime } from '../text/show-time.ts'
import { html, type Markup, nothing, withCode } from './markup.ts'
import type { PageSection } from './render-page.ts'
import { showWho } from './show-who.ts'

/** Open violations by severity, then by rule with its remediation, then by project. */
export function showOpen(report: Report): Markup {
  const open = report.violations.filter(({ state }) => state === 'opened' || state === 'continuing')
  if (open.length === 0) return html`<p>None${isCoverageComplete(report.coverage) ? '' : ' in what was seen'}.</p>`
  return html`${severities.map((severity) => showSeverity(severity, open, report))}`
}

const others = [
  ['unknown', 'Unknown', 'Open when last seen; not checked by this run.'],
  ['waived', 'Waived', 'Accepted by the policy until a date.'],
  ['resolved', 'Resolved', 'Open before this run, and resolved by it.'],
] as const satisfies readonly (readonly [ReportViolation['state'], string, string])[]

/** Violations that are not open, a section for each state. */
export function showOthers({ violations }: Report): PageSection[] {
  return others.flatMap(([state, title, meaning]) => {
    const alike = violations.filter((violation) => violation.state === state)
    if (alike.length === 0) return []
    const content = html`<p>${count(alike.length, 'violation')}. ${meaning}</p>
<ul class="list">${alike.map(showOne)}</ul>
`
    return [{ id: state, title, content }]
  })
}

function showSeverity(severity: Severity, open: readonly ReportViolation[], { rules }: Report): Markup {
  const alike = open.filter((violation) => violation.severity === severity)
  if (alike.length === 0) return nothing
  const byRule = [...Map.groupBy(alike, ({ rule }) => rule)].sort(([a], [b]) => (a < b ? -1 : 1))
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  const groups = byRule.map(([id, found]) => {
    const rule = known.get(id)
    const remediation =
      rule === undefined || rule.remediation === ''
        ? nothing
        : html`<p class="remediation">How to fix: ${withCode(rule.remediation)}</p>`
    const controls =
      rule === undefined || rule.controls.length === 0
        ? nothing
        : html`<p class="soft">Controls: ${rule.controls.join(', ')}</p>`
    return html`<h4>${rule?.title ?? id} <code>${id}</code></h4>
${remediation}${controls}<ul class="list">${found.toSorted(byProject).map(showOne)}</ul>
`
  })
  return html`<section class="severity"><h3 id="${severity}"><span class="${severity}">${severity}</span>: ${alike.length}</h3>
${groups}</section>
`
}

function showOne(violation: ReportViolation): Markup {
  const { fingerprint, rule, severity, project, state, path, message, waiver } = violation
  const isOpen = state === 'opened' || state === 'continuing'
  const which = isOpen ? nothing : html`<span class="${severity}">${severity}</span> <code>${rule}</code> `
  const at = path === '' ? nothing : html` at <code>${shorten(path, 200)}</code>`
  const accepted =
    waiver === undefined
      ? nothing
      : html`<p class="where">Accepted by ${waiver.owner} until ${showTime(waiver.expires)}: ${waiver.reason}${waiver.ticket === undefined ? '' : ` (${waiver.ticket})`}</p>`
  return html`<li data-fingerprint="${fingerprint}" data-rule="${rule}" data-severity="${severity}" data-project="${project}" data-state="${state}"><p>${which}${shorten(message, 2000)}</p><p class="where">${showWho(violation)}${at} · ${since(violation)}</p>${accepted}</li>
`
}

function since({ state, first_seen, last_seen }: ReportViolation): string {
  if (state === 'opened') return 'new'
  if (state === 'unknown' || state === 'resolved')
    return `since ${showTime(first_seen)}, last seen ${showTime(last_seen)}`
  return `since ${showTime(first_seen)}`
}

function byProject(a: ReportViolation, b: ReportViolation): number {
  return a.project < b.project ? -1 : a.project > b.project ? 1 : 0
}
