import { count } from '../../model/text/count.ts'
import { showOpenTime } from '../../model/time.ts'
import { isAtLeast, isOpen, severities } from '../../model/violation.ts'
import { describeSigner, nameAccount } from '../describe-ending.ts'
import { groupEvidenceGaps, nameGaps } from '../describe-failures.ts'
import {
  anchorOf,
  type Block,
  type Chip,
  type Document,
  type Inline,
  type Item,
  joined,
  list,
  type SectionBlock,
  section,
  severityChip,
  type TableBlock,
  text,
  type VerdictBlock,
} from '../document/blocks.ts'
import { describeSeen } from '../gaps.ts'
import { showTime } from '../text/show-time.ts'
import type {
  Compliance,
  CompliancePeriod,
  ControlEvidence,
  ControlRule,
  ControlState,
  ControlViolation,
  Exemption,
  Preparation,
} from './compliance.ts'
import {
  besidesOf,
  countStates,
  describeEnds,
  describeState,
  isExempted,
  solvedOf,
  stateNames,
} from './compliance-format.ts'
import { describeExemption, type ExemptionGroup, groupExemptions } from './describe-exemption.ts'
import { aboutExpected, describeExpected, groupExpected } from './describe-expected.ts'
import { aboutTitles, describeEvidence, describeFleet, describeScope, nameLongestGap } from './describe-scope.ts'

/** In the order of the evidence: what is missing comes first. */
const assessed = [
  'not_met',
  'partially_assessed',
  'not_assessed',
  'met_with_exceptions',
  'met',
] as const satisfies readonly ControlState[]

/**
 * What a report by control says to people: the verdict, the scope, the controls, what does not count, the evidence, what is
 * missing first, and appendices. `most`: findings of a control that are shown.
 */
export function complianceDocument(compliance: Compliance, most = Number.POSITIVE_INFINITY): Document {
  const { controls, period, prepared, scope, digests, run, verify, tool } = compliance
  const covered = assessed.flatMap((name) => controls.filter(({ state }) => state === name))
  const notCovered = controls.filter(({ state }) => state === 'not_covered')
  const exemptions = groupExemptions(controls)
  const first = findFirstControls(covered)
  const fleet = describeFleet(compliance)
  const over = period === undefined ? 'As' : `Period ${showTime(period.from)} to ${showTime(period.to)}, as`
  return {
    title: complianceTitle(compliance),
    about: [
      ...(period === undefined ? [] : [text(describeEvidence(period), 'strong')]),
      text(
        `${over} of run ${run.number}, ${showTime(run.started_at)}${scope.company === null ? '' : `, ${scope.company}`}.`,
      ),
      ...(fleet === undefined ? [] : [text(fleet, 'alarm')]),
    ],
    verdict: verdictOf(compliance),
    sections: [
      ...section(2, 'Scope', [{ kind: 'facts', facts: describeScope(compliance) }], { id: 'scope' }),
      ...section(2, 'Summary', [summaryOf(covered), text(aboutSummary, 'aside')], { id: 'controls' }),
      ...(period === undefined ? [] : section(2, 'Period', describePeriod(period), { id: 'period' })),
      ...describePopulation(compliance),
      ...section(2, 'Exemptions', describeExemptions(exemptions), { id: 'exemptions', count: exemptions.length }),
      ...section(2, 'Changes within change windows', describeWindows(compliance), {
        id: 'expected',
        count: compliance.expected_changes.length,
      }),
      ...section(
        2,
        'Evidence',
        covered.flatMap((control) => evidenceOf(control, compliance, { first, most })),
        { id: 'evidence', count: covered.length },
      ),
      ...section(
        2,
        'Appendix: rules evaluated',
        covered.flatMap((control) => rulesOf(control, first)),
        { id: 'rules', isAppendix: true },
      ),
      ...section(2, 'Appendix: runs of the period', describeRuns(compliance), {
        id: 'runs',
        isAppendix: true,
      }),
      ...section(2, 'Not covered by hookdrift', describeNotCovered(notCovered), {
        id: 'not_covered',
        count: notCovered.length,
      }),
      ...section(
        2,
        'Origin and signature',
        [
          {
            kind: 'facts',
            facts: [
              ['Made by', `${tool.name} ${tool.version}`],
              ...(prepared === undefined ? [] : [['Prepared', sayPrepared(prepared, scope.company)] as const]),
              ['Run', `${run.number}, ${showTime(run.started_at)}`],
              ['Policy', { code: digests.policy }],
              ['Configuration', { code: digests.configuration }],
              ['Chain', digests.chain === null ? 'none: the run is older than the chain' : { code: digests.chain }],
              ['To verify it', { code: verify }],
            ],
          },
          {
            kind: 'signature',
            fields: [scope.company ?? 'Company', 'Prepared by, signature', 'Reviewed by, signature', 'Date'],
          },
        ],
        { id: 'origin' },
      ),
    ],
  }
}

/** Framework, period and run. */
function complianceTitle({ title, period, run }: Compliance): string {
  return period === undefined
    ? `${title}, run ${run.number}, ${showTime(run.started_at)}`
    : `${title}, ${showTime(period.from)} to ${showTime(period.to)}, run ${run.number}`
}

function verdictOf(compliance: Compliance): VerdictBlock {
  const counts = countStates(compliance)
  const worst = assessed.find((state) => counts[state] > 0) ?? 'not_assessed'
  const covered = assessed.reduce((sum, state) => sum + counts[state], 0)
  const qualified = compliance.controls.filter((control) => besidesOf(control) !== '').length
  const but = qualified === 0 ? '' : `, ${qualified} with exemptions or observations`
  const isMet = worst === 'met' || worst === 'met_with_exceptions'
  return {
    kind: 'verdict',
    outcome: worst === 'not_met' ? 'failed' : isMet ? 'passed' : 'unknown',
    word: sentence(stateNames[worst]),
    sentence:
      counts.not_assessed === covered
        ? `None of ${count(covered, 'control')} with evidence could be assessed.`
        : `${counts.met} of ${count(covered, 'control')} with evidence ${counts.met === 1 ? 'is' : 'are'} met${but}.`,
    numbers: assessed.map((state) => ({ value: String(counts[state]), label: stateNames[state], mark: state })),
    facts: [
      ...(counts.not_covered === 0
        ? []
        : [
            `${count(counts.not_covered, 'more control')} ${counts.not_covered === 1 ? 'is' : 'are'} not covered by hookdrift.`,
          ]),
      'This is evidence for an assessment, not the assessment itself: `met` covers only what hookdrift observes.',
    ],
  }
}

const aboutSummary = `${aboutTitles} Open: open violations that decide. Observations: those below the threshold. Exempted: violations and rules that do not count, because a person or the policy decided so. Fixed: violations that are gone.`

function summaryOf(covered: readonly ControlEvidence[]): TableBlock {
  return {
    kind: 'table',
    name: 'controls and their states',
    columns: [
      { title: 'Control' },
      { title: 'Title', kind: 'text' },
      { title: 'State', kind: 'text' },
      ...['Open', 'Observations', 'Exempted', 'Fixed'].map((title) => ({ title, kind: 'number' as const })),
    ],
    rows: covered.map((control) => {
      const { id, title, state, exemptions, observations } = control
      const counts = [observations, exemptions.length, solvedOf(control).length]
      return {
        cells: [toControl(id), title, chipOf(control), countOpen(control), ...counts.map(String)],
        data: { control: id, state },
      }
    }),
  }
}

/** `35`. Where the run did not observe everything, there may be more: `at least 35`, and `?` for none. */
function countOpen({ rules, violations, observations, coverage, state }: ControlEvidence): string {
  const open = violations.filter(isOpen).length - observations
  const isSure =
    coverage.gaps.length === 0 &&
    state !== 'not_assessed' &&
    rules.every(({ not_evaluated }) => not_evaluated.length === 0) &&
    violations.every((violation) => violation.state !== 'unknown')
  if (isSure) return String(open)
  return open === 0 ? '?' : `at least ${open}`
}

function describePeriod(period: CompliancePeriod): Block[] {
  const { from, to, runs, interrupted, incomplete, longest_gap: gap, most_gap_ms, gaps } = period
  const longest = `${showOpenTime(gap.ms)}, ${showTime(gap.from)} to ${showTime(gap.to)}`
  return [
    {
      kind: 'facts',
      facts: [
        ['From', showTime(from)],
        ['To', showTime(to)],
        ['Evidence', describeEvidence(period)],
        ['Runs', `${count(runs, 'run')}, ${interrupted === 0 ? 'none' : interrupted} interrupted`],
        [nameLongestGap(period), longest],
        [`Gaps of more than ${showOpenTime(most_gap_ms)} between runs`, String(gaps)],
        ['Runs with incomplete listings', String(incomplete.length)],
      ],
    },
    ...list(
      'run',
      incomplete.map(({ run, at, walks }) => ({
        text: `Run ${run}, ${showTime(at)}: ${count(walks, 'listing')} not complete`,
      })),
      mostOthers,
    ),
  ]
}

const mostOthers = 5
const mostDecisions = 50

function sayPrepared({ at, by }: Preparation, company: string | null): string {
  const forWhom = company === null ? '' : `, for ${company}`
  return `${showTime(at)} by ${nameAccount(by)}${unproven}${forWhom}`
}

const unproven = ', not authenticated by hookdrift'

function describePopulation(compliance: Compliance): readonly Block[] {
  const { changes = [], approvals = [] } = compliance
  return [
    ...section(2, 'Changes of the period', describeChanges(compliance), { id: 'changes', count: changes.length }),
    ...section(2, 'Approvals of the period', describeApprovals(compliance), {
      id: 'approvals',
      count: approvals.length,
    }),
  ]
}

/** What an auditor samples from: each change, with the approval that followed. */
function describeChanges({ changes = [], approvals = [] }: Compliance): readonly Block[] {
  const items = changes.map(({ run, between, change, fields, ...resource }): Item => {
    const approved = approvals.find((one) => one.project === resource.project && one.run !== null && one.run >= run)
    const paths = fields.map(({ path }) => ({ code: path }))
    return {
      text: [{ strong: change }, ' ', { resource }],
      below: [
        describeExpected({ between, run }),
        ...(paths.length === 0 ? [] : [joined(paths, ', ')]),
        approved === undefined
          ? 'not approved in the period'
          : `state approved ${showTime(approved.at)}, by ${describeSigner(approved)}${unproven}`,
      ],
    }
  })
  return list('change', items, mostDecisions)
}

function describeApprovals({ approvals = [] }: Compliance): readonly Block[] {
  const items = approvals.map((approval): Item => {
    const { project, run, at, note } = approval
    return {
      text: `${project}: the state of ${run === null ? 'files' : `run ${run}`}, approved ${showTime(at)} by ${describeSigner(approval)}${unproven}`,
      ...(note !== null && { below: [note] }),
    }
  })
  return list('approval', items, mostDecisions)
}

function describeRuns({ runs = [] }: Compliance): readonly Block[] {
  if (runs.length === 0) return []
  return [
    {
      kind: 'table',
      name: 'runs of the period',
      columns: [
        { title: 'Run' },
        { title: 'Time', kind: 'text' },
        { title: 'Listings incomplete', kind: 'number' },
        { title: 'Digest', kind: 'text' },
      ],
      rows: runs.map(({ run, started_at, incomplete, chain }) => ({
        cells: [
          String(run),
          showTime(started_at),
          String(incomplete),
          chain === null ? 'older than the chain' : { code: chain },
        ],
      })),
    },
  ]
}

/** Each decision once: what does not count, who decided so, and why. */
function describeExemptions(groups: readonly ExemptionGroup[]): readonly Block[] {
  return list(
    'exemption',
    groups.map(({ exemption, resources, controls }) => ({
      text: [{ code: exemption.rule }, `: ${describeExemption(exemption)}`],
      below: [
        ...resources.slice(0, mostOthers).map(({ project, kind, name, uid }) => `${project} ${kind} ${name || uid}`),
        ...(resources.length > mostOthers ? [`and ${resources.length - mostOthers} more, under the controls`] : []),
        ['for ', ...joined(controls.map(toControl), ', ')],
      ],
    })),
    mostDecisions,
  )
}

/** Changes within change windows, by window and ticket. */
function describeWindows({ expected_changes: expected }: Compliance): readonly Block[] {
  if (expected.length === 0) return []
  return [
    text(aboutExpected),
    ...groupExpected(expected).flatMap(({ title, changes }) =>
      section(
        4,
        title,
        list(
          'change',
          changes.map((change) => ({
            text: [{ strong: change.change }, ' ', { resource: change }],
            below: [describeExpected(change)],
          })),
          mostOthers,
        ),
      ),
    ),
  ]
}

function describeNotCovered(controls: readonly ControlEvidence[]): readonly Block[] {
  if (controls.length === 0) return []
  const items = controls.map(({ id, title }) => ({
    text: [{ strong: id }, ` ${title}`],
    data: { control: id, state: 'not_covered' },
  }))
  return [text('No rule gives evidence for them, which is not a verdict.'), ...list('control', items, mostOthers)]
}

interface EvidenceOptions {
  readonly first: FirstControls
  readonly most: number
}

/** A control with all that the run has on it, what counts first. What an earlier control shows, it refers to. */
function evidenceOf(
  control: ControlEvidence,
  { threshold }: Compliance,
  options: EvidenceOptions,
): readonly SectionBlock[] {
  const { id, title, reason, violations, exemptions, coverage, rules, exceptions = [] } = control
  const { first } = options
  const findings = (name: string, alike: readonly ControlViolation[], mostOfRule?: number) =>
    section(4, name, findingsOf(control, alike, options, mostOfRule), { count: alike.length })
  const open = violations.filter(isOpen)
  const [counted = [], observed = []] = [true, false].map((counts) =>
    open.filter(({ severity }) => isAtLeast(severity, threshold) === counts),
  )
  // Those that are open again, too.
  const solved = violations.filter((violation) => violation.state === 'resolved' && !isExempted(violation))
  const silent = [
    ...Map.groupBy(
      rules.flatMap((rule) => rule.not_evaluated),
      (missed) => missed.reason,
    ),
  ]
  return section(
    3,
    [`${id} `, chipOf(control), ` ${title}`],
    [
      text(`${reason} ${describeRules(rules)} ${describeWalks(coverage)}`),
      ...section(4, 'Gaps', gapsOf(control, first), { count: coverage.gaps.length }),
      ...section(
        4,
        'Rules not evaluated everywhere',
        list(
          'rule',
          silent.map(([why, alike]) => ({
            text: `${why} (${alike.map(({ project }) => project).join(', ')})`,
            isUnknown: true,
          })),
          mostDecisions,
        ),
        { count: silent.length },
      ),
      ...findings('Open', counted),
      ...findings(`Observations, below ${threshold}`, observed, mostOthers),
      ...findings(
        'Unknown',
        violations.filter(({ state }) => state === 'unknown'),
      ),
      ...section(
        4,
        'Exceptions within the period',
        list(
          'exception',
          exceptions.map(({ rule, fingerprint, opened_at, ended_at }) => ({
            text: [
              { code: rule },
              ' ',
              { text: fingerprint.slice(0, 8), to: { violation: fingerprint } },
              `: open from ${showTime(opened_at)} to ${showTime(ended_at)}`,
            ],
          })),
        ),
        { count: exceptions.length },
      ),
      ...section(4, 'Exemptions', exemptionsOf(id, exemptions, first), { count: exemptions.length }),
      ...section(4, describeEnds({ violations: solved }), findingsOf(control, solved, options), { isFolded: true }),
    ],
    { id: anchorOf('control', id) },
  )
}

function describeRules(rules: readonly ControlRule[]): string {
  const evaluated = Math.max(0, ...rules.map((rule) => rule.evaluated))
  const each = evaluated === 0 ? 'nothing' : `up to ${count(evaluated, 'resource')} each`
  return `${count(rules.length, 'rule')} evaluated ${each}.`
}

function describeWalks({ walks, complete, items, pages }: ControlEvidence['coverage']): string {
  const read = pages === 0 ? 'nothing was read' : describeSeen({ items, pages })
  if (walks === 0) return 'Its rules read no listing.'
  if (walks === 1) return `The listing that its rules need is ${complete === 1 ? '' : 'not '}complete: ${read}.`
  const which = complete === walks ? `All ${walks} listings` : `${complete} of the ${walks} listings`
  return `${which} that its rules need are complete: ${read}.`
}

function gapsOf({ id, coverage }: ControlEvidence, { ofWalk }: FirstControls): readonly Block[] {
  const { here, elsewhere } = splitByControl(coverage.gaps, id, ofWalk)
  const items = groupEvidenceGaps(here).map(({ where, status, reason }) => ({
    text: [`${where} `, { strong: status }, `: ${reason}`],
    isUnknown: true,
  }))
  return [
    ...list('gap', items, mostOthers),
    ...elsewhere.map(([other, alike]) => text([`${nameGaps(alike)}: `, ...see(other)], 'aside')),
  ]
}

/** Those of rules that an earlier control shows are counted. */
function exemptionsOf(id: string, exemptions: readonly Exemption[], { ofRule }: FirstControls): readonly Block[] {
  const { here, elsewhere } = splitByControl(exemptions, id, ({ rule }) => ofRule(rule))
  const items = here.map((exemption): Item => {
    const { rule, resource } = exemption
    const chip = resource?.severity ? [severityChip(resource.severity), ' '] : []
    return {
      text: [...chip, { code: rule }, ` ${resource?.message ?? ''}`],
      below: [...(resource === null ? [] : [{ resource }]), describeExemption(exemption)],
      data: { rule },
    }
  })
  return [
    ...list('exemption', items, mostOthers),
    ...elsewhere.map(([other, alike]) => text([`${alike.length} of these: `, ...see(other)], 'aside')),
  ]
}

/** Findings of a control by rule, the worst first; those that an earlier control shows are a line that refers to it. */
function findingsOf(
  { id, rules }: ControlEvidence,
  violations: readonly ControlViolation[],
  { first, most }: EvidenceOptions,
  mostOfRule = mostFindings,
): readonly Block[] {
  const titles = new Map(rules.map((rule) => [rule.id, rule.title]))
  const groups = severities.flatMap((severity) => {
    const alike = violations.filter((finding) => finding.severity === severity)
    return [...Map.groupBy(alike, ({ rule }) => rule)].map(([rule, findings]) => {
      const name: Inline = [severityChip(severity), ' ', { strong: titles.get(rule) ?? rule }, ' ', { code: rule }]
      return { rule, findings, name: [...name, `, ${findings.length}`] }
    })
  })
  const { here, elsewhere } = splitByControl(groups, id, ({ rule }) => first.ofRule(rule))
  let remaining = most
  const shown = here.flatMap(({ name, findings }) => {
    const items = findings.slice(0, Math.max(0, remaining)).map((finding) => findingOf(id, finding))
    remaining -= findings.length
    return [text(name), ...list('violation', items, mostOfRule)]
  })
  const omitted = `${-remaining} more are not shown here: the report of the command line has all.`
  return [
    ...shown,
    ...(remaining < 0 ? [text(omitted, 'aside')] : []),
    ...elsewhere.flatMap(([other, alike]) => alike.map(({ name }) => text([...name, ': ', ...see(other)]))),
  ]
}

const mostFindings = 20

const ages = {
  opened: 'open for',
  continuing: 'open for',
  unknown: 'unknown after',
  waived: 'waived after',
  resolved: 'ended after',
} as const satisfies Record<ControlViolation['state'], string>

function findingOf(control: string, finding: ControlViolation): Item {
  const { fingerprint, rule, severity, project, state, path, owner, message } = finding
  const { resolution, first_seen, resolved_at, open_ms } = finding
  const end = resolved_at === undefined ? ages[state] : `${resolution ?? 'ended'} ${showTime(resolved_at)} after`
  // It may have ended several times in a period.
  const id = anchorOf(`v-${fingerprint}`, resolved_at === undefined ? control : `${control} ${resolved_at}`)
  const at: Inline = path === '' ? [] : [' at ', { code: path }]
  return {
    text: { text: message, to: { violation: fingerprint } },
    below: [
      [{ resource: finding, anchor: id }, ...at],
      `${owner === null ? '' : `owner ${owner}, `}since ${showTime(first_seen)}, ${end} ${showOpenTime(open_ms)}`,
    ],
    id,
    data: { rule, severity, project, state },
  }
}

/** The rules that give evidence, with the reason why in front of all that share it. */
function rulesOf({ id, title, rules }: ControlEvidence, { ofRule }: FirstControls): readonly SectionBlock[] {
  const groups = [...Map.groupBy(rules, ({ rationale }) => rationale)].flatMap(([rationale, alike], at): Block[] => {
    const { here, elsewhere } = splitByControl(alike, id, (rule) => ofRule(rule.id))
    const table: TableBlock = {
      kind: 'table',
      name: `rules for ${id}, ${at + 1}`,
      columns: [{ title: 'Rule' }, { title: 'Finds', kind: 'text' }, { title: 'Evaluated', kind: 'number' }],
      rows: here.map((rule) => {
        const missed = rule.not_evaluated.map(({ project, reason }) => `; not evaluated in ${project}: ${reason}`)
        const isUnknown = rule.evaluated === 0 && missed.length > 0
        const cells = [toRule(rule), `${rule.title}${missed.join('')}`, isUnknown ? '?' : String(rule.evaluated)]
        return { cells }
      }),
    }
    return [
      text(rationale),
      ...(here.length === 0 ? [] : [table]),
      ...elsewhere.map(([other, named]) => text([...joined(named.map(toRule), ', '), ': ', ...see(other)], 'aside')),
    ]
  })
  return section(3, `${id} ${title}: ${count(rules.length, 'rule')}`, groups, { id: anchorOf('rules', id) })
}

/**
 * The control under which something is shown: the first that has it, in the order of the document. A rule or a walk gives
 * all of its controls the same evidence, so the others refer to that one.
 */
interface FirstControls {
  ofRule(id: string): string
  ofWalk(walk: Walk): string
}

type Walk = Pick<ControlEvidence['coverage']['gaps'][number], 'project' | 'listing'>

/** `controls`: in the order in which their evidence is shown. */
function findFirstControls(controls: readonly ControlEvidence[]): FirstControls {
  const keyOf = ({ project, listing }: Walk) => JSON.stringify([project, listing])
  const [byRule, byWalk] = [new Map<string, string>(), new Map<string, string>()]
  for (const { id, rules, exemptions, coverage } of controls) {
    // A rule that is off is not evaluated, and exempt all the same.
    const named = [...rules.map((rule) => rule.id), ...exemptions.map(({ rule }) => rule)]
    for (const rule of named) if (!byRule.has(rule)) byRule.set(rule, id)
    for (const gap of coverage.gaps) if (!byWalk.has(keyOf(gap))) byWalk.set(keyOf(gap), id)
  }
  return { ofRule: (id) => byRule.get(id) ?? '', ofWalk: (walk) => byWalk.get(keyOf(walk)) ?? '' }
}

/** Entries that a control shows itself, and those that it refers to, by the control that shows them. */
function splitByControl<Entry>(entries: readonly Entry[], control: string, firstOf: (entry: Entry) => string) {
  const { here = [], elsewhere = [] } = Object.groupBy(entries, (entry) =>
    firstOf(entry) === control ? 'here' : 'elsewhere',
  )
  return { here, elsewhere: [...Map.groupBy(elsewhere, firstOf)] }
}

function chipOf(control: ControlEvidence): Chip {
  return { chip: describeState(control), mark: control.state }
}

function toControl(id: string): Inline {
  return { text: id, to: { anchor: anchorOf('control', id) } }
}

function toRule({ id }: ControlRule): Inline {
  return { text: id, to: { rule: id } }
}

/** `see CC6.1`, which leads there. */
function see(control: string) {
  return joined(['see ', toControl(control)], '')
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
