import type { ControlEvidence, ControlViolation } from '../../compliance/compliance.ts'
import { formatExpiry } from '../../model/format-expiry.ts'
import { count } from '../../text/count.ts'
import { code } from '../markdown/code.ts'
import { fill } from '../markdown/fill.ts'
import { prose } from '../markdown/prose.ts'
import { showResource } from '../markdown/show-resource.ts'
import { type MarkdownSection, row, table } from '../markdown/table.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, describeReplay, describeStates, stateNames } from './compliance-format.ts'
import { showOpenTime } from './show-open-time.ts'

const mostCharacters = 64_500

/** For a pull request or a wiki: the controls as a table, then the evidence, cut to the size of a comment. */
export const complianceMarkdown: ComplianceFormat = (compliance) => {
  const { framework, title, run, digests, controls, period, verify } = compliance
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const left = controls.filter(({ state }) => state === 'not_covered')
  const over =
    period === undefined
      ? ''
      : `, from ${showTime(period.from)} to ${showTime(period.to)}: ${count(period.runs, 'run')}, ${period.incomplete.length} incomplete, ${period.interrupted} interrupted, longest time between runs ${showOpenTime(period.longest_gap.ms)}`
  const top = [
    `## ${prose(title)}, run ${run.number}`,
    '',
    `**${describeStates(compliance)}.** Evidence for an assessment, not an assessment.`,
    '',
    ...describeReplay(compliance).flatMap((text) => [prose(text, 500), '']),
    row(['control', 'title', 'state', 'rules', 'walks']),
    row(['---', '---', '---', '---:', '---:']),
    ...covered.map(showControl),
    '',
    ...(left.length === 0 ? [] : [`Not covered by this tool: ${left.map(({ id }) => code(id, 60)).join(', ')}.`, '']),
  ]
  const chain = digests.chain === null ? '' : `, chain \`${digests.chain}\``
  const bottom = [
    '',
    `${showTime(run.started_at)}${over}, policy \`${digests.policy}\`${chain}, to verify: \`${verify}\`.`,
  ]
  const room = mostCharacters - [...top, ...bottom].join('\n').length
  const all = `\`hookdrift report --run ${run.number} --framework ${prose(framework)} --format json\` shows all`
  return `${[...top, ...fill(covered.flatMap(sectionsOf), room, all), ...bottom].join('\n')}\n`
}

function showControl({ id, title, state, rules, coverage }: ControlEvidence): string {
  const walks = `${coverage.complete} of ${coverage.walks}`
  return row([code(id, 60), prose(title, 200), `**${stateNames[state]}**`, String(rules.length), walks])
}

function sectionsOf({ id, rules, violations, waivers, accepted, coverage }: ControlEvidence): MarkdownSection[] {
  const name = prose(id, 60)
  return [
    table(
      `${name}: violations`,
      ['severity', 'rule', 'project', 'resource', 'message', 'state'],
      'violation',
      violations.map(showViolation),
    ),
    table(
      `${name}: gaps`,
      ['project', 'listing', 'status', 'reason'],
      'walk',
      coverage.gaps.map(({ project, listing, status, reason }) => [
        code(project, 100),
        listing,
        status,
        prose(reason ?? '', 300),
      ]),
    ),
    table(
      `${name}: not evaluated`,
      ['rule', 'project', 'reason'],
      'rule',
      rules.flatMap((rule) =>
        rule.not_evaluated.map(({ project, reason }) => [code(rule.id, 100), code(project, 100), prose(reason, 300)]),
      ),
    ),
    table(
      `${name}: waivers`,
      ['rule', 'violations', 'owner', 'until', 'reason', 'ticket'],
      'waiver',
      waivers.map(({ rule, violations: waived, owner, expires, reason, ticket = '' }) => [
        code(rule, 100),
        String(waived),
        prose(owner, 100),
        formatExpiry(expires),
        prose(reason, 300),
        prose(ticket, 100),
      ]),
    ),
    table(
      `${name}: accepted`,
      ['rule', 'project', 'resource', 'by', 'since', 'reason'],
      'violation',
      accepted.map(({ rule, project, by, at, reason, ...resource }) => [
        code(rule, 100),
        code(project, 100),
        showResource(resource),
        prose(by, 100),
        showTime(at),
        prose(reason, 300),
      ]),
    ),
  ]
}

function showViolation(violation: ControlViolation): string[] {
  const { severity, rule, project, message, state, first_seen, open_ms } = violation
  const since = `${state}, since ${showTime(first_seen)} (${showOpenTime(open_ms)})`
  return [severity, code(rule, 100), code(project, 100), showResource(violation), prose(message, 300), since]
}
