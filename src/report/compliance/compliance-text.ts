import type { CompliancePeriod, ControlEvidence, ControlViolation } from '../../compliance/compliance.ts'
import { formatExpiry } from '../../model/format-expiry.ts'
import { wrapPieces, wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import type { RenderOptions } from '../report-format.ts'
import { shorten } from '../text/shorten.ts'
import { showResource } from '../text/show-resource.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, describeReplay, describeStates, stateNames } from './compliance-format.ts'
import { groupGaps } from './group-gaps.ts'
import { showOpenTime } from './show-open-time.ts'

/** For people at a terminal: each control with its state and evidence, then the controls that are not covered. */
export const complianceText: ComplianceFormat = (compliance, render) => {
  const width = Math.max(render.width, 40)
  const { framework, title, run, digests, controls, period } = compliance
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const left = controls.filter(({ state }) => state === 'not_covered')
  const column = Math.max(0, ...left.map(({ id }) => id.length))
  const lines = [
    ...wrapProse(neutralise(`${title} (${framework}): ${describeStates(compliance)}.`), width),
    ...wrapProse('Evidence for an assessment, not an assessment: "met" covers only what hookdrift observes.', width),
    `Run ${run.number}, ${showTime(run.started_at)}.`,
    ...describeReplay(compliance).flatMap((text) => wrapProse(neutralise(text), width)),
    ...(period === undefined ? [] : showPeriod(period, width)),
    ...covered.flatMap((control) => showControl(control, render, width)),
    ...(left.length === 0 ? [] : ['', `Not covered by this tool: ${count(left.length, 'control')}`]),
    ...left.map(({ id, title: name }) => shorten(neutralise(`  ${id.padEnd(column)}  ${name}`), width)),
    '',
    `policy        ${digests.policy}`,
    `configuration ${digests.configuration}`,
    `chain         ${digests.chain ?? 'none: the run is older than the chain'}`,
    `to verify     ${compliance.verify}`,
  ]
  return `${lines.join('\n')}\n`
}

const mostViolations = 20

function showControl(control: ControlEvidence, { full }: RenderOptions, width: number): string[] {
  const { id, title, state, reason, rules, violations, waivers, accepted, coverage } = control
  const resolved = violations.filter((violation) => violation.state === 'resolved').length
  const active = violations.filter((violation) => violation.state !== 'resolved')
  const shown = full ? active : active.slice(0, mostViolations)
  const evaluated = Math.max(0, ...rules.map((rule) => rule.evaluated))
  const extent = `${count(rules.length, 'rule')} evaluated up to ${count(evaluated, 'resource')} each; ${coverage.complete} of ${count(coverage.walks, 'walk')} complete`
  return [
    '',
    shorten(neutralise(`${id}  ${stateNames[state].toUpperCase()}  ${title}`), width),
    ...wrapProse(`${reason} ${extent}${resolved === 0 ? '' : `; ${resolved} resolved`}.`, width - 2).map(indent),
    ...groupGaps(coverage.gaps)
      .slice(0, full ? undefined : 5)
      .flatMap(({ where, status, reason: why }) =>
        wrapProse(neutralise(`gap: ${full ? where : shorten(where, 300)} ${status}: ${why}`), width - 4).map(
          indentMore,
        ),
      ),
    ...shown.flatMap((violation) => showViolation(violation, width)),
    ...(shown.length === active.length
      ? []
      : [`  … and ${active.length - shown.length} more; --format json shows all`]),
    ...waivers.flatMap(({ rule, owner, reason: why, expires, ticket, violations: waived }) =>
      wrapProse(
        neutralise(
          `waived: ${rule}, ${count(waived, 'violation')}, by ${owner} until ${formatExpiry(expires)}: ${why}${ticket === undefined ? '' : ` (${ticket})`}`,
        ),
        width - 4,
      ).map(indentMore),
    ),
    ...accepted.flatMap(({ rule, project, by, at, reason: why, ...resource }) => [
      ...wrapPieces([`accepted: ${neutralise(rule)}`, ...showResource({ project, ...resource })], width - 4).map(
        indentMore,
      ),
      ...wrapProse(neutralise(`by ${by}, ${showTime(at)}: ${why}`), width - 6).map((line) => `      ${line}`),
    ]),
  ]
}

function showViolation(violation: ControlViolation, width: number): string[] {
  const { severity, rule, state, message, first_seen, open_ms } = violation
  const head = `${severity} ${rule} ${state}, since ${showTime(first_seen)} (${showOpenTime(open_ms)}): ${shorten(message, 300)}`
  return [
    ...wrapProse(neutralise(head), width - 4).map(indentMore),
    ...wrapPieces(showResource(violation), width - 6).map((line) => `      ${line}`),
  ]
}

function showPeriod(
  { from, to, runs, interrupted, incomplete, longest_gap }: CompliancePeriod,
  width: number,
): string[] {
  const extent = `${count(runs, 'run')}, ${incomplete.length} incomplete, ${interrupted} interrupted`
  const gap = `longest time between runs ${showOpenTime(longest_gap.ms)} from ${showTime(longest_gap.from)}`
  return wrapProse(`From ${showTime(from)} to ${showTime(to)}: ${extent}; ${gap}.`, width)
}

function indent(line: string): string {
  return `  ${line}`
}

function indentMore(line: string): string {
  return `    ${line}`
}
