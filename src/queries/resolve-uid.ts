import { matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import { identifyResources, type NamedIdentity, searchResources } from '../history/sql/resource-life.ts'
import { AuditError } from '../model/errors.ts'
import type { Kind } from '../model/resource.ts'
import { quote } from '../text/neutralise.ts'

export interface ResourceChoice {
  readonly run: number
  /** Patterns; all projects when empty. */
  readonly projects: readonly string[]
  readonly kind?: Kind | undefined
}

const mostNamed = 8

/**
 * Finds the uid that a person means: by the uid, by the name of a resource, or by a beginning of the uid that no other
 * has. A text that is none of these is returned as it is.
 * @throws AuditError.usage when it means several resources
 */
export async function resolveUid(reader: HistoryReader, text: string, choice: ResourceChoice): Promise<string> {
  const { run, projects, kind } = choice
  const isChosen = (identity: Omit<NamedIdentity, 'name'>) =>
    matchesProject(identity.project.name, projects) && (kind === undefined || identity.kind === kind)
  if (text === '' || (await identifyResources(reader, text, run)).some(isChosen)) return text
  const found = (await searchResources(reader, text, run)).filter(isChosen)
  const named = found.filter(({ name, uid }) => name === text || !uid.startsWith(text))
  const meant = named.length > 0 ? named : found
  const uids = [...new Set(meant.map(({ uid }) => uid))]
  if (uids.length > 1) throw ambiguous(text, meant, named.length > 0 ? 'is the name of' : 'begins the uids of')
  return uids[0] ?? text
}

function ambiguous(text: string, meant: readonly NamedIdentity[], relation: string): AuditError {
  const shown = meant.slice(0, mostNamed).map(({ project, kind, uid, name }) => {
    return `  ${project.name} ${kind} ${name === '' ? '' : `${quote(name)} `}${uid}`
  })
  const left = meant.length - shown.length
  const lines = [...shown, ...(left === 0 ? [] : [`  … and ${left} more`])]
  return AuditError.usage(`${quote(text)} ${relation} ${meant.length} resources:\n${lines.join('\n')}`, {
    advice: 'use a uid, or choose with --project or --kind',
  })
}
