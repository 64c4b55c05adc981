import type { Compliance, CompliancePeriod, ControlEvidence, ControlViolation } from '../../compliance/compliance.ts'
import { showOpenTime } from '../../model/time.ts'
import { wrapPieces, wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import { groupEvidenceGaps } from '../describe-failures.ts'
import type { RenderOptions } from '../report-format.ts'
import { shorten } from '../text/shorten.ts'
import { showResource } from '../text/show-resource.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, describeEnds, describeState, describeStates } from './compliance-format.ts'
import { describeExemption, groupExemptions } from './describe-exemption.ts'
import { aboutExpected, describeExpected, groupExpected } from './describe-expected.ts'
import { aboutTitles, describeEvidence, describeFleet, describeScope, nameLongestGap } from './describe-scope.ts'

/** For people at a terminal: each control with its state and evidence, then the controls that are not covered. */
export const complianceText: ComplianceFormat = (compliance, render) => {
  const width = Math.max(render.width, 40)
  const { framework, title, run, digests, controls, period } = compliance
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const notCovered = controls.filter(({ state }) => state === 'not_covered')
  const column = Math.max(0, ...notCovered.map(({ id }) => id.length))
  const fleet = describeFleet(compliance)
  const lines = [
    ...(period === undefined ? [] : wrapProse(describeEvidence(period), width)),
    ...wrapProse(neutralise(`${title} (${framework}): ${describeStates(compliance)}.`), width),
    ...wrapProse(
      'This is evidence for an assessment, not the assessment itself: "met" covers only what hookdrift observes.',
      width,
    ),
    ...wrapProse(`Run ${run.number}, ${showTime(run.started_at)}.${fleet === undefined ? '' : ` ${fleet}`}`, width),
    ...(period === undefined ? [] : showPeriod(period, width)),
    '',
    ...describeScope(compliance).flatMap(([name, text]) => wrapProse(neutralise(`${name}: ${text}.`), width)),
    ...covered.flatMap((control) => showControl(control, render, width)),
    ...showExemptions(compliance, render, width),
    ...showExpected(compliance, render, width),
    ...(notCovered.length === 0 ? [] : ['', `Not covered by this tool: ${count(notCovered.length, 'control')}`]),
    ...(notCovered.length === 0 ? [] : wrapProse(aboutTitles, width - 2).map(indent)),
    ...notCovered.map(({ id, title: name }) => shorten(neutralise(`  ${id.padEnd(column)}  ${name}`), width)),
    '',
    `policy        ${digests.policy}`,
    `configuration ${digests.configuration}`,
    `chain         ${digests.chain ?? 'none: the run is older than the chain'}`,
    `to verify     ${compliance.verify}`,
  ]
  return `${lines.join('\n')}\n`
}

const mostViolations = 20
const mostGaps = 5

function showControl(control: ControlEvidence, { full }: RenderOptions, width: number): string[] {
  const { id, title, reason, rules, violations, exemptions, coverage } = control
  const active = violations.filter(({ state }) => state !== 'resolved' && state !== 'waived')
  const listed = full ? active : active.slice(0, mostViolations)
  const evaluated = Math.max(0, ...rules.map((rule) => rule.evaluated))
  const each = evaluated === 0 ? 'nothing' : `up to ${count(evaluated, 'resource')} each`
  const extent = `${count(rules.length, 'rule')} evaluated ${each}; ${coverage.complete} of ${count(coverage.walks, 'walk')} complete`
  const ends = describeEnds(control)
  const gaps = groupEvidenceGaps(coverage.gaps)
  const omitted = full ? 0 : Math.max(0, gaps.length - mostGaps)
  return [
    '',
    shorten(neutralise(`${id}  ${describeState(control).toUpperCase()}  ${title}`), width),
    ...wrapProse(`${neutralise(reason)} ${extent}${ends === '' ? '' : `; ${ends}`}.`, width - 2).map(indent),
    ...gaps
      .slice(0, gaps.length - omitted)
      .flatMap(({ where, status, reason: why }) =>
        wrapProse(neutralise(`gap: ${full ? where : shorten(where, 300)} ${status}: ${why}`), width - 4).map(
          indentMore,
        ),
      ),
    ...(omitted === 0 ? [] : [indentMore(`… and ${count(omitted, 'more gap')}; --format json shows all`)]),
    ...listed.flatMap((violation) => showViolation(violation, width)),
    ...(listed.length === active.length
      ? []
      : [`  … and ${active.length - listed.length} more; --format json shows all`]),
    ...(exemptions.length === 0 ? [] : [indentMore(`${count(exemptions.length, 'exemption')}: see Exemptions`)]),
  ]
}

/** Every decision by which something does not count, once, with the controls that it concerns. */
function showExemptions({ controls }: Compliance, { full }: RenderOptions, width: number): string[] {
  const groups = groupExemptions(controls)
  if (groups.length === 0) return []
  const listed = full ? groups : groups.slice(0, mostExemptions)
  return [
    '',
    `Exemptions: ${groups.length}`,
    ...listed.flatMap(({ exemption, resources, controls: ids }) => {
      const named = full ? resources : resources.slice(0, mostResources)
      const more = resources.length - named.length
      return [
        ...wrapProse(neutralise(`${exemption.rule}: ${describeExemption(exemption)}`), width - 2).map(indent),
        ...named.flatMap((resource) => wrapPieces(showResource(resource), width - 4).map(indentMore)),
        ...(more === 0 ? [] : [indentMore(`… and ${more} more; --format json shows all`)]),
        ...wrapProse(`for ${ids.join(', ')}`, width - 4).map(indentMore),
      ]
    }),
    ...(listed.length === groups.length
      ? []
      : [`  … and ${groups.length - listed.length} more; --format json shows all`]),
  ]
}

/** Changes within change windows, by window and ticket. */
function showExpected({ expected_changes }: Compliance, { full }: RenderOptions, width: number): string[] {
  if (expected_changes.length === 0) return []
  return [
    '',
    `Changes within change windows: ${expected_changes.length}`,
    ...wrapProse(aboutExpected, width - 2).map(indent),
    ...groupExpected(expected_changes).flatMap(({ title, changes }) => {
      const named = full ? changes : changes.slice(0, mostResources)
      const more = changes.length - named.length
      return [
        ...wrapProse(neutralise(title), width - 2).map(indent),
        ...named.flatMap((change) =>
          wrapPieces([change.change, ...showResource(change), describeExpected(change)], width - 4).map(indentMore),
        ),
        ...(more === 0 ? [] : [indentMore(`… and ${more} more; --format json shows all`)]),
      ]
    }),
  ]
}

const mostExemptions = 50
const mostResources = 5

function showViolation(violation: ControlViolation, width: number): string[] {
  const { severity, rule, state, message, first_seen, open_ms } = violation
  const head = `${severity} ${rule} ${state}, since ${showTime(first_seen)} (${showOpenTime(open_ms)}): ${shorten(message, 300)}`
  return [
    ...wrapProse(neutralise(head), width - 4).map(indentMore),
    ...wrapPieces(showResource(violation), width - 6).map((line) => `      ${line}`),
  ]
}

function showPeriod(period: CompliancePeriod, width: number): string[] {
  const { from, to, runs, interrupted, incomplete, longest_gap } = period
  const extent = `${count(runs, 'run')}, ${incomplete.length} incomplete, ${interrupted} interrupted`
  const gap = `${showOpenTime(longest_gap.ms)} from ${showTime(longest_gap.from)} to ${showTime(longest_gap.to)}`
  return [
    ...wrapProse(`From ${showTime(from)} to ${showTime(to)}: ${extent}.`, width),
    ...wrapProse(`${nameLongestGap(period)}: ${gap}.`, width),
  ]
}

function indent(line: string): string {
  return `  ${line}`
}

function indentMore(line: string): string {
  return `    ${line}`
}
