import type {
  Compliance,
  ControlEvidence,
  ControlViolation,
  Exemption,
  ExpectedChange,
} from '../../compliance/compliance.ts'
import { neutraliseJson } from '../../text/neutralise.ts'
import {
  assessmentResults,
  controlToken,
  inventoryOf,
  nameUuid,
  type OscalContext,
  observeGap,
  observeViolation,
  oscalText,
  property,
  resourceUuid,
} from '../oscal-results.ts'
import {
  type ComplianceFormat,
  describeReplay,
  describeState,
  describeStates,
  isExempted,
  latestOf,
} from './compliance-format.ts'
import { describeExemption } from './describe-exemption.ts'
import { describeExpected } from './describe-expected.ts'
import { describeEvidence, describeFleet, describeScope } from './describe-scope.ts'

/**
 * OSCAL assessment results: a finding for each control that rules give evidence for. OSCAL knows only satisfied and not
 * satisfied: a control that is not or partially assessed is not satisfied, and the property `state` has our own word.
 */
export const complianceOscal: ComplianceFormat = (compliance) => {
  const { framework, title, tool, run, digests, controls, verify } = compliance
  const seed = `${digests.chain ?? JSON.stringify([run.number, run.started_at, digests.policy])} ${framework}${compliance.replayed_with === undefined ? '' : ` ${digests.policy}`}`
  const context = { seed, collected: run.finished_at, rules: new Map<string, never>() }
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const gaps = new Map(
    covered.flatMap(({ coverage }) => coverage.gaps).map((gap) => [`${gap.project} ${gap.listing}`, gap]),
  )
  const violations = new Map(covered.flatMap(observedOf).map((violation) => [violation.fingerprint, violation]))
  const expected = compliance.expected_changes
  const inventory = inventoryOf([...violations.values(), ...expected], seed)
  const observations = [
    ...[...gaps.values()].map((gap) => observeGap(gap, context)),
    ...[...violations.values()].map((violation) => observeViolation(violation, context)),
    ...expected.map((change) => observeExpected(change, context)),
  ]
  const findings = covered.map((control) => findingOf(control, compliance, seed))
  const document = assessmentResults({
    seed,
    run,
    tool,
    digests,
    inventory,
    observations,
    title: oscalText(`${title}, hookdrift run ${run.number}`),
    head: {
      title: oscalText(title),
      description: [
        describeStates(compliance),
        ...(compliance.period === undefined ? [] : [describeEvidence(compliance.period)]),
        ...[describeFleet(compliance)].flatMap((fleet) => fleet ?? []),
        ...describeReplay(compliance),
      ]
        .map((text) => oscalText(text).replace(/\.$/, ''))
        .join('. '),
      start: compliance.period?.from ?? run.started_at,
      end: compliance.period?.to ?? run.finished_at,
      props: [
        ...property('framework', framework),
        ...property('policy', digests.policy),
        ...property('configuration', digests.configuration),
        ...property('chain', digests.chain ?? undefined),
        ...property('verify', verify),
        ...property('replayed-with', compliance.replayed_with?.policy),
        ...describeScope(compliance).flatMap(([name, text]) => property('scope', `${name}: ${text}`)),
      ],
    },
    selection: selectionOf(covered, framework),
    ...(findings.length === 0 ? {} : { tail: { findings } }),
  })
  return `${neutraliseJson(JSON.stringify(document, null, 1))}\n`
}

function findingOf(control: ControlEvidence, { framework }: Compliance, seed: string) {
  const { id, title, state, reason, coverage, rules, exemptions, observations, evidence } = control
  const related = [
    ...coverage.gaps.map(({ project, listing }) => nameUuid(seed, 'coverage', project, listing)),
    ...observedOf(control).map(({ fingerprint }) => nameUuid(seed, 'violation', fingerprint)),
  ]
  return {
    uuid: nameUuid(seed, 'finding', id),
    title: oscalText(`${id} ${title}: ${describeState(control)}`),
    description: oscalText(reason),
    props: [
      ...property('state', state),
      ...property('exemptions', String(exemptions.length)),
      ...property('observations', String(observations)),
      ...property('evidence-from', evidence?.from),
      ...property('evidence-to', evidence?.to),
      ...property('evidence-share', evidence?.share === null ? undefined : evidence?.share.toString()),
      ...exemptions.flatMap((exemption) => property('exemption', nameExemption(exemption))),
      ...rules.flatMap((rule) => property('rule', rule.id)),
    ],
    target: {
      type: 'objective-id',
      'target-id': controlToken(`${framework}:${id}`),
      status: {
        state: state === 'met' ? 'satisfied' : 'not-satisfied',
        reason: state === 'met' && exemptions.length === 0 ? 'pass' : state === 'not_met' ? 'fail' : 'other',
      },
    },
    ...(related.length === 0
      ? {}
      : { 'related-observations': [...new Set(related)].map((uuid) => ({ 'observation-uuid': uuid })) }),
  }
}

/** A change within a change window. It belongs to no finding: a window exempts nothing. */
function observeExpected(expected: ExpectedChange, { seed, collected }: OscalContext) {
  const { window, ticket, run, project, kind, uid, name, change, between } = expected
  return {
    uuid: nameUuid(seed, 'expected', run, project, kind, uid, change),
    title: 'Change within a change window',
    description: oscalText(`${change}: ${project} ${kind} ${name === '' ? uid : name}, ${describeExpected(expected)}`),
    props: [
      ...property('window', window),
      ...property('ticket', ticket ?? undefined),
      ...property('change', change),
      ...property('run', String(run)),
      ...property('between-after', between.after ?? undefined),
      ...property('between-before', between.before),
    ],
    methods: ['TEST'],
    types: ['historic'],
    subjects: [{ 'subject-uuid': resourceUuid(expected, seed), type: 'inventory-item' }],
    collected,
  }
}

/** What people or the policy ended is not an observation of the run: the finding names it as an exemption. */
function observedOf(control: ControlEvidence): readonly ControlViolation[] {
  return latestOf(control).filter((violation) => !isExempted(violation))
}

/** `drift/authentication-lost 3714c86c…: approved with a baseline by eve …`. */
function nameExemption(exemption: Exemption): string {
  const { rule, fingerprint } = exemption
  return `${rule}${fingerprint === null ? '' : ` ${fingerprint}`}: ${describeExemption(exemption)}`
}

function selectionOf(controls: readonly ControlEvidence[], framework: string) {
  const description = 'Controls that the rules of the policy give evidence for.'
  if (controls.length === 0) return { description }
  return {
    description,
    'include-controls': controls.map(({ id }) => ({ 'control-id': controlToken(`${framework}:${id}`) })),
  }
}
