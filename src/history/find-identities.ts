import { AuditError } from '../model/errors.ts'
import { projectKey, resourceKey } from '../model/resource.ts'
import { quote } from '../model/text/neutralise.ts'
import type { HistoryReader } from './reader.ts'
import { type Identity, type IdentityMatch, identifyResources, searchResources } from './sql/resource-life.ts'

const mostNamed = 8

interface Choice {
  readonly run: number
  readonly isChosen: (identity: Identity) => boolean
}

/**
 * The resources of the uid that a person means: by that uid, by a name that they had by a run, or by a beginning of a uid
 * or a name that fits no other. Several where projects or kinds share the uid; none where nothing fits.
 * @throws AuditError.usage when several uids are meant
 */
export async function findIdentities(
  history: HistoryReader,
  text: string,
  { run, isChosen }: Choice,
): Promise<readonly Identity[]> {
  const ofUid = (await identifyResources(history, text, run)).filter(isChosen)
  if (text === '' || ofUid.length > 0) return ofUid
  const matches = (await searchResources(history, text, run)).filter(isChosen)
  const named = matches.filter(({ isNamed }) => isNamed)
  const meant = named.length > 0 ? named : matches
  if (new Set(meant.map(({ uid }) => uid)).size > 1) throw ambiguous(text, meant)
  return meant.map(({ project, kind, uid }) => ({ project, kind, uid }))
}

/**
 * The same, and what has no state in the history but violations: a project that was only in a list.
 * @throws AuditError.usage when several uids are meant
 */
export async function findKnown(
  history: HistoryReader,
  text: string,
  { run, isChosen }: Choice,
): Promise<readonly Identity[]> {
  const found = await findIdentities(history, text, { run, isChosen })
  const uid = found[0]?.uid ?? text
  const keys = new Set(found.map(keyOf))
  const violated = await identifyResources(history, uid, run, 'violation')
  return [...found, ...violated.filter((identity) => isChosen(identity) && !keys.has(keyOf(identity)))]
}

function keyOf({ project, kind, uid }: Identity): string {
  return `${projectKey(project)} ${resourceKey({ kind, uid })}`
}

function ambiguous(text: string, meant: readonly IdentityMatch[]): AuditError {
  const matchLines = meant.slice(0, mostNamed).map(({ project, kind, uid, name }) => {
    return `  ${project.name} ${kind} ${name === '' ? '' : `${quote(name)} `}${uid}`
  })
  const omitted = meant.length - matchLines.length
  const lines = [...matchLines, ...(omitted === 0 ? [] : [`  … and ${omitted} more`])]
  return AuditError.usage(`${quote(text)} ${relationTo(text, meant)} ${meant.length} resources:\n${lines.join('\n')}`, {
    advice: 'use a uid, or choose with --project',
  })
}

function relationTo(text: string, meant: readonly IdentityMatch[]): string {
  if (meant.some(({ isNamed }) => isNamed)) return 'is the name of'
  const isUid = meant.map(({ uid }) => uid.startsWith(text))
  if (isUid.every(Boolean)) return 'begins the uids of'
  return isUid.some(Boolean) ? 'begins the uids and names of' : 'begins the names of'
}
