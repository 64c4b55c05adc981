import { matchesProject } from '../config/choose-projects.ts'
import { type Acceptance, isInForce, type ListedAcceptance, type NewAcceptance } from '../history/acceptances.ts'
import type { Signature } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { AuditError } from '../model/errors.ts'
import { meantBy } from '../model/meant-by.ts'
import { type Kind, type ProjectRef, projectKey } from '../model/resource.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { overdueRule } from '../model/violation.ts'
import { shortFingerprint } from '../report/text/shorten.ts'
import { acceptedDigest } from '../rules/accepted-values.ts'

/** What people name of a violation. */
export interface Nameable {
  readonly fingerprint: string
  readonly rule: string
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly path: string
}

/** Shortest beginning of a fingerprint that names it. */
const leastCharacters = 6
const mostListed = 10

/**
 * The violations that a person names: by their fingerprints, or one by its rule and the name or uid of its resource.
 * @throws AuditError.usage when nothing is named, or more than one, or what was accepted before
 */
export function chooseAcceptable<Violation extends Nameable>(
  active: readonly Violation[],
  words: readonly string[],
  acceptances: readonly ListedAcceptance[],
): readonly Violation[] {
  const inForce = acceptances.filter(isInForce)
  const isByRule = words.some((word) => word.includes('/'))
  const chosen = isByRule ? [findByRule(active, words, inForce)] : words.map((word) => find(active, word, inForce))
  for (const { fingerprint, kind, rule } of chosen) {
    const earlier = inForce.find((one) => one.fingerprint === fingerprint)
    if (earlier !== undefined) throw acceptedBefore(shortFingerprint(fingerprint), earlier)
    if (kind !== 'policy') continue
    if (rule === overdueRule) {
      throw AuditError.usage('a violation about a due date cannot be accepted', {
        advice: 'it ends with the violations that are overdue: `hookdrift violations --overdue` lists them',
      })
    }
    throw AuditError.usage('a violation about a waiver cannot be accepted', {
      advice: 'renew the waiver in the policy, or remove it',
    })
  }
  return [...new Set(chosen)]
}

function find<Violation extends Nameable>(
  active: readonly Violation[],
  text: string,
  inForce: readonly Acceptance[],
): Violation {
  // What the last run closed for good is no longer active.
  const earlier = isActive(active, text) ? undefined : inForce.find(({ fingerprint }) => isBeginning(text, fingerprint))
  if (earlier !== undefined) throw acceptedBefore(text, earlier)
  return findByFingerprint(active, text, { what: 'active violation', list: 'hookdrift violations' })
}

function isActive(active: readonly Nameable[], text: string): boolean {
  return active.some(({ fingerprint }) => isBeginning(text, fingerprint))
}

function acceptedBefore(text: string, { by, at, reason, fingerprint }: Acceptance): AuditError {
  return AuditError.usage(`${text} was accepted by ${by} on ${at.slice(0, 10)}: ${reason}`, {
    advice: `\`hookdrift accept --revoke ${shortFingerprint(fingerprint)}\` takes it back`,
  })
}

function findByRule<Violation extends Nameable>(
  active: readonly Violation[],
  words: readonly string[],
  inForce: readonly ListedAcceptance[],
): Violation {
  const [rule = '', name = ''] = words
  if (words.length !== 2 || !rule.includes('/')) {
    throw AuditError.usage('expected fingerprints, or a rule and the name or uid of one resource', {
      advice: 'such as `hookdrift accept endpoint/timeout-high checkout-eu --reason TEXT`',
    })
  }
  const ofRule = active.filter((violation) => violation.rule === rule)
  const matching = atResource(ofRule, name)
  const [one, ...more] = matching
  if (one !== undefined && more.length === 0) return one
  if (one === undefined) {
    const ofAccepted = inForce.map((acceptance) => ({ acceptance, ...acceptance, project: acceptance.project.name }))
    const [earlier] = atResource(
      ofAccepted.filter((one) => one.rule === rule),
      name,
    )
    if (earlier !== undefined) throw acceptedBefore(shortFingerprint(earlier.fingerprint), earlier.acceptance)
    if (ofRule.length === 0) {
      const rules = new Set(active.map((violation) => violation.rule))
      throw AuditError.usage(`no violation of ${rule} is active${suggestName(rule, rules)}`, {
        advice: '`hookdrift violations` lists what is active',
      })
    }
    throw AuditError.usage(`no active violation of ${rule} is at a resource ${JSON.stringify(name)}`, {
      advice: `there is:\n${list(ofRule)}`,
    })
  }
  throw AuditError.usage(`${matching.length} active violations of ${rule} are at ${JSON.stringify(name)}`, {
    advice: `name one by its fingerprint:\n${list(matching)}`,
  })
}

/** Those at the resource that a person means. Of a project, also the name that reports have of it. */
function atResource<Thing extends Pick<Nameable, 'kind' | 'uid' | 'name' | 'project'>>(
  things: readonly Thing[],
  text: string,
): readonly Thing[] {
  const ofProject = things.filter(({ kind, project }) => kind === 'project' && matchesProject(project, [text]))
  return ofProject.length > 0 ? ofProject : meantBy(things, text)
}

function list(violations: readonly Nameable[]): string {
  const lines = violations.slice(0, mostListed).map(({ fingerprint, project, kind, name, uid, path }) => {
    const named = name === '' ? uid : `${JSON.stringify(name)} ${uid}`
    return `    ${shortFingerprint(fingerprint)}  ${project} ${kind} ${named}${path === '' ? '' : ` at ${path}`}`
  })
  const omitted = violations.length - lines.length
  return [...lines, ...(omitted === 0 ? [] : [`    … and ${omitted} more`])].join('\n')
}

function isBeginning(text: string, whole: string): boolean {
  return text.length >= leastCharacters && whole.startsWith(text)
}

/**
 * The one violation or acceptance that a fingerprint, or its beginning, names.
 * @throws AuditError.usage when there is none, or more than one
 */
export function findByFingerprint<Named extends { readonly fingerprint: string }>(
  all: readonly Named[],
  text: string,
  { what, list }: { readonly what: string; readonly list: string },
): Named {
  const matching = all.filter(({ fingerprint }) => isBeginning(text, fingerprint))
  const [one] = matching
  if (one !== undefined && new Set(matching.map(({ fingerprint }) => fingerprint)).size === 1) return one
  const advice = `\`${list}\` lists them; name the whole fingerprint, or at least ${leastCharacters} characters of it`
  if (one === undefined) throw AuditError.usage(`no ${what} has the fingerprint ${JSON.stringify(text)}`, { advice })
  throw AuditError.usage(`${matching.length} ${what}s begin with ${JSON.stringify(text)}`, { advice })
}

interface FindingInProject {
  readonly scanned: ProjectRef
  readonly fingerprint: string
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
}

/** Acceptances of violations with the values that the history has as of a run. */
export async function composeAcceptances(
  history: HistoryReader,
  run: number,
  violations: readonly FindingInProject[],
  signed: Signature & { readonly reason: string },
): Promise<readonly NewAcceptance[]> {
  const composed: NewAcceptance[] = []
  for (const ofProject of Map.groupBy(violations, ({ scanned }) => projectKey(scanned)).values()) {
    const points = ofProject.map(({ kind, uid }) => ({ kind, uid, run }))
    const versions = await readVersionsAt(history, ofProject[0]?.scanned ?? noProject, points)
    for (const [at, { scanned: project, fingerprint, rule, kind, uid, path }] of ofProject.entries()) {
      const valueDigest = acceptedDigest(versions[at]?.attributes ?? {}, { rule, path })
      composed.push({ project, fingerprint, rule, kind, uid, path, valueDigest, ...signed })
    }
  }
  return composed
}

/** Never read: a group has a member. */
const noProject: ProjectRef = { name: '', service: '', uid: '' }
