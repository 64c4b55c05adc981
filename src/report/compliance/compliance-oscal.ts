import { hash } from 'node:crypto'
import { cut, neutralise, neutraliseJson } from '../../model/text/neutralise.ts'
import type {
  Compliance,
  ControlEvidence,
  ControlGap,
  ControlViolation,
  Exemption,
  ExpectedChange,
} from './compliance.ts'
import { type ComplianceFormat, describeState, describeStates, isExempted, latestOf } from './compliance-format.ts'
import { describeExemption } from './describe-exemption.ts'
import { describeExpected } from './describe-expected.ts'
import { describeEvidence, describeFleet, describeScope } from './describe-scope.ts'

/**
 * OSCAL assessment results: a finding for each control that rules give evidence for. OSCAL knows only satisfied and not
 * satisfied: a control that is not or partially assessed is not satisfied, and the property `state` has our own word.
 */
export const complianceOscal: ComplianceFormat = (compliance) => {
  const { framework, title, tool, run, digests, controls, verify } = compliance
  const seed = `${digests.chain ?? JSON.stringify([run.number, run.started_at, digests.policy])} ${framework}`
  const context = { seed, collected: run.finished_at }
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
  const result = {
    uuid: nameUuid(seed, 'result'),
    title: oscalText(title),
    description: [
      describeStates(compliance),
      ...(compliance.period === undefined ? [] : [describeEvidence(compliance.period)]),
      ...[describeFleet(compliance)].flatMap((fleet) => fleet ?? []),
    ]
      .map((text) => oscalText(text).replace(/\.$/, ''))
      .join('. '),
    start: compliance.period?.from ?? run.started_at,
    end: compliance.period?.to ?? run.finished_at,
    props: properties({
      framework,
      policy: digests.policy,
      configuration: digests.configuration,
      chain: digests.chain,
      verify,
      scope: describeScope(compliance).map(([name, text]) => `${name}: ${text}`),
    }),
    // An empty list is not allowed.
    ...(inventory.length === 0 ? {} : { 'local-definitions': { 'inventory-items': inventory } }),
    'reviewed-controls': { 'control-selections': [selectionOf(covered, framework)] },
    ...(observations.length === 0 ? {} : { observations }),
    ...(findings.length === 0 ? {} : { findings }),
  }
  const document = {
    'assessment-results': {
      uuid: nameUuid(seed, 'assessment-results'),
      metadata: {
        title: oscalText(`${title}, hookdrift run ${run.number}`),
        'last-modified': run.finished_at,
        version: String(run.number),
        'oscal-version': '1.2.1',
        props: properties({ tool: `${tool.name} ${tool.version}` }),
      },
      'import-ap': { href: `urn:hookdrift:policy:${encodeURIComponent(digests.policy)}` },
      results: [result],
    },
  }
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
    props: properties({
      state,
      exemptions: exemptions.length,
      observations,
      'evidence-from': evidence?.from,
      'evidence-to': evidence?.to,
      'evidence-share': evidence?.share,
      exemption: exemptions.map(nameExemption),
      rule: rules.map((rule) => rule.id),
    }),
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

function observeViolation(violation: ControlViolation, { seed, collected }: OscalContext) {
  const { fingerprint, rule, severity, state, resolution, project, kind, uid, path, message, waiver, due_at } =
    violation
  return {
    uuid: nameUuid(seed, 'violation', fingerprint),
    title: oscalText(rule),
    description: oscalText(message) || oscalText(rule) || 'no message',
    props: properties({
      fingerprint,
      rule,
      severity,
      state,
      resolution,
      project,
      kind,
      uid,
      path,
      'first-seen': violation.first_seen,
      'last-seen': violation.last_seen,
      due_at,
      'waiver-owner': waiver?.owner,
      'waiver-reason': waiver?.reason,
      'waiver-expires': waiver?.expires,
      'waiver-ticket': waiver?.ticket,
    }),
    methods: ['TEST'],
    types: ['finding'],
    subjects: [{ 'subject-uuid': resourceUuid(violation, seed), type: 'inventory-item' }],
    collected,
  }
}

/** Reports an incomplete walk: without it, a missing finding would pass for a clean result. */
function observeGap({ project, listing, status, reason }: ControlGap, { seed, collected }: OscalContext) {
  return {
    uuid: nameUuid(seed, 'coverage', project, listing),
    title: 'A listing could not be read to its end',
    description: oscalText(`The walk of ${listing} of ${project} is ${status}: ${reason}`),
    props: properties({ project, listing, coverage: status }),
    methods: ['TEST'],
    types: ['coverage'],
    collected,
  }
}

/** A change within a change window. It belongs to no finding: a window exempts nothing. */
function observeExpected(expected: ExpectedChange, { seed, collected }: OscalContext) {
  const { window, ticket, run, project, kind, uid, name, change, between } = expected
  return {
    uuid: nameUuid(seed, 'expected', run, project, kind, uid, change),
    title: 'Change within a change window',
    description: oscalText(`${change}: ${project} ${kind} ${name === '' ? uid : name}, ${describeExpected(expected)}`),
    props: properties({
      window,
      ticket,
      change,
      run,
      'between-after': between.after,
      'between-before': between.before,
    }),
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

/** The resources that observations are about. */
function inventoryOf(subjects: readonly Subject[], seed: string) {
  const items = new Map(subjects.map((subject) => [resourceUuid(subject, seed), subject]))
  return [...items].map(([uuid, { project, kind, uid, name }]) => ({
    uuid,
    description: oscalText(`${project} ${kind} ${name === '' ? uid : name}`),
    props: properties({ project, kind, uid, name }),
  }))
}

/** A control as an OSCAL identifier: `soc2_CC6.1`. */
function controlToken(control: string): string {
  return control.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^(?![\p{L}_])/u, '_')
}

/** The UUID (version 5, RFC 9562) of a name: the same each time that the report is written. */
export function nameUuid(...name: readonly (string | number | null)[]): string {
  const bytes = Buffer.concat([namespace, Buffer.from(JSON.stringify(name))])
  const digest = hash('sha1', bytes, 'buffer').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

type Value = string | number | null | undefined

/** A property for each value of a name. OSCAL values must be trimmed and not empty: what has none is omitted. */
function properties(values: Readonly<Record<string, Value | readonly string[]>>) {
  return Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => {
      const text = oscalText(String(one))
      return text === '' ? [] : [{ name, ns: 'urn:hookdrift:oscal', value: text }]
    }),
  )
}

/** Foreign text on one line. */
function oscalText(text: string): string {
  return neutralise(cut(text)).trim()
}

/** What all observations of a run need. */
interface OscalContext {
  /** Identifies the run; UUIDs derive from it. */
  readonly seed: string
  readonly collected: string
}

/** The resource that an observation is about. */
type Subject = Pick<ControlViolation, 'project' | 'kind' | 'uid' | 'name'>

function resourceUuid({ project, kind, uid }: Omit<Subject, 'name'>, seed: string): string {
  return nameUuid(seed, 'resource', cut(project), kind, cut(uid))
}

/** The namespace of all names in hookdrift's reports. */
const namespace = Buffer.from('c8a0d1f45d0b5c7e9a533b1f6f6f0c27', 'hex')
