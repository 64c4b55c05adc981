import type {
  CompliancePeriod,
  ControlEvidence,
  ControlViolation,
  ExpectedChange,
} from '../../compliance/compliance.ts'
import { showOpenTime } from '../../model/time.ts'
import { count } from '../../text/count.ts'
import { code, prose, showResource } from '../markdown-prose.ts'
import { fill, type MarkdownSection, row, table } from '../markdown-table.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, describeState, describeStates, isExempted, solvedOf } from './compliance-format.ts'
import { describeExemption, groupExemptions } from './describe-exemption.ts'
import { describeExpected } from './describe-expected.ts'
import { describeEvidence, describeFleet, describeScope, nameLongestGap } from './describe-scope.ts'

const mostCharacters = 64_500

/** For a pull request or a wiki: the controls as a table, then the evidence, cut to the size of a comment. */
export const complianceMarkdown: ComplianceFormat = (compliance) => {
  const { framework, title, run, digests, controls, period, verify } = compliance
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const notCovered = controls.filter(({ state }) => state === 'not_covered')
  const over = period === undefined ? '' : `, ${describeRuns(period)}`
  const fleet = describeFleet(compliance)
  const top = [
    `## ${prose(title)}, run ${run.number}`,
    '',
    ...(period === undefined ? [] : [describeEvidence(period), '']),
    `**${describeStates(compliance)}.** ${fleet === undefined ? '' : `${fleet} `}This is evidence for an assessment, not the assessment itself.`,
    '',
    ...describeScope(compliance).map(([name, text]) => `- ${name}: ${prose(text, 500)}`),
    '',
    row(['control', 'title', 'state', 'fixed', 'exempted', 'observations', 'rules', 'walks']),
    row(['---', '---', '---', '---:', '---:', '---:', '---:', '---:']),
    ...covered.map(showControl),
    '',
    ...(notCovered.length === 0
      ? []
      : [`Not covered by this tool: ${notCovered.map(({ id }) => code(id, 60)).join(', ')}.`, '']),
  ]
  const chain = digests.chain === null ? '' : `, chain \`${digests.chain}\``
  const bottom = [
    '',
    `${showTime(run.started_at)}${over}, policy \`${digests.policy}\`${chain}, to verify: \`${verify}\`.`,
  ]
  const room = mostCharacters - [...top, ...bottom].join('\n').length
  const all = `\`hookdrift report --run ${run.number} --framework ${prose(framework)} --format json\` shows all`
  return `${[...top, ...fill([showExemptions(controls), showExpected(compliance.expected_changes), ...covered.flatMap(sectionsOf)], room, all), ...bottom].join('\n')}\n`
}

/** Runs, and the longest time without one. */
function describeRuns(period: CompliancePeriod): string {
  const { from, to, runs, incomplete, interrupted, longest_gap } = period
  const extent = `${count(runs, 'run')}, ${incomplete.length} incomplete, ${interrupted} interrupted`
  const gap = nameLongestGap(period)
  const longest = `${gap.charAt(0).toLowerCase()}${gap.slice(1)}: ${showOpenTime(longest_gap.ms)}`
  return `from ${showTime(from)} to ${showTime(to)}: ${extent}, ${longest}`
}

function showControl(control: ControlEvidence): string {
  const { id, title, state, reason, rules, exemptions, observations, coverage } = control
  // What is met needs no other words than the state has.
  const why = state === 'met' ? '' : `: ${prose(reason, 300)}`
  return row([
    code(id, 60),
    prose(title, 200),
    `**${describeState(control)}**${why}`,
    String(solvedOf(control).length),
    String(exemptions.length),
    String(observations),
    String(rules.length),
    `${coverage.complete} of ${coverage.walks}`,
  ])
}

/** Every decision by which something does not count, once. */
function showExemptions(controls: readonly ControlEvidence[]): MarkdownSection {
  return table(
    'Exemptions',
    ['rule', 'what', 'resource', 'controls'],
    'exemption',
    groupExemptions(controls).map(({ exemption, resources, controls: ids }) => {
      const [first] = resources
      const firstResource = first === undefined ? '' : `${code(first.project, 100)} ${showResource(first)}`
      const more = resources.length > 1 ? ` and ${resources.length - 1} more` : ''
      return [
        code(exemption.rule, 100),
        prose(describeExemption(exemption), 500),
        `${firstResource}${more}`,
        ids.map((id) => code(id, 60)).join(', '),
      ]
    }),
  )
}

function showExpected(changes: readonly ExpectedChange[]): MarkdownSection {
  return table(
    'Changes within change windows',
    ['window', 'ticket', 'change', 'project', 'resource', 'when'],
    'change',
    changes.map((change) => [
      code(change.window, 100),
      prose(change.ticket ?? '', 200),
      change.change,
      code(change.project, 100),
      showResource(change),
      describeExpected(change),
    ]),
  )
}

function sectionsOf({ id, rules, violations, coverage }: ControlEvidence): MarkdownSection[] {
  const name = prose(id, 60)
  const counting = violations.filter((violation) => violation.state !== 'waived' && !isExempted(violation))
  return [
    table(
      `${name}: violations`,
      ['severity', 'rule', 'project', 'resource', 'message', 'state'],
      'violation',
      counting.map(showViolation),
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
  ]
}

function showViolation(violation: ControlViolation): string[] {
  const { severity, rule, project, message, state, resolution, first_seen, open_ms } = violation
  const since = `${resolution ?? state}, since ${showTime(first_seen)} (${showOpenTime(open_ms)})`
  return [severity, code(rule, 100), code(project, 100), showResource(violation), prose(message, 300), since]
}
