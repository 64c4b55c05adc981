import { chosenBy } from '../config/choose-projects.ts'
import { findIdentities, unknownResource } from '../history/find-identities.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunRecord } from '../history/sql/read-run.ts'
import { type Identity, readVersionsOf } from '../history/sql/resource-life.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { parseStored } from '../history/stored-body.ts'
import { AuditError } from '../model/errors.ts'
import type { RuleTarget } from '../policy/policy.ts'

/**
 * Finds the current version of a resource, or the last version of a removed one.
 * `named`: a uid, a name, or a beginning of one.
 * @throws AuditError.usage when the history has no such resource, or several
 */
export async function findResource(
  history: HistoryReader,
  named: string,
  project: string | undefined,
): Promise<FoundResource> {
  const run = (await findLastRun(history))?.number
  if (run === undefined) throw AuditError.usage('the history has no committed run yet')
  const projects = project === undefined ? [] : [project]
  const found = await findIdentities(history, named, { run, isChosen: chosenBy(projects) })
  const [identity, ...others] = found
  if (identity === undefined) throw unknownResource(named, run, projects)
  const { uid } = identity
  if (others.length > 0) {
    const names = found.map(({ project: { name }, kind }) => `${name} (${kind})`).join(', ')
    throw AuditError.usage(`several resources have the uid ${uid}: ${names}`, { advice: 'name one with --project' })
  }
  const version = (await readVersionsOf(history, identity, run)).at(-1)
  if (version === undefined) throw AuditError.usage(`the history has no version of ${uid}`)
  const record = await readRunRecord(history, run)
  const labels = record?.projects.find(({ project: name }) => name === identity.project.name)?.labels ?? {}
  return { project: identity.project, labels, resource: resourceOf(identity, version), goneSince: version.to }
}

export interface FoundResource extends RuleTarget {
  /** Start of the run that removed it; null for a current resource. */
  readonly goneSince: string | null
}

function resourceOf({ kind, uid }: Identity, { name, body }: { readonly name: string; readonly body: string }) {
  // A stored body is canonical JSON of attributes.
  const attributes = parseStored<RuleTarget['resource']['attributes']>(body)
  return { kind, uid, name, attributes, volatile: {}, facts: {} }
}
