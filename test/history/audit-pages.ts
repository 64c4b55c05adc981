import type { ScanDraft } from '../../src/history/history.ts'
import type { ProjectRef } from '../../src/model/resource.ts'
import { activeIn, knownIn, markIn } from './known-in.ts'
import { aChange, aCoverage, aNotice, aVersion, aViolation, endedAs, instead, orders } from './samples.ts'

/** Pages of a project that were new, are changed and are gone by turns. */
export async function auditPages(draft: ScanDraft, project: ProjectRef, hour: number): Promise<void> {
  await draft.stageScan(project)
  await draft.stageWalk(project, aCoverage('endpoints'), hour === 2 ? ['/name'] : undefined)
  await draft.stageWalk(project, aCoverage('subscriptions', hour === 2 ? 'suspect' : 'complete'), undefined)
  if (hour === 2 && project === orders) {
    await auditPage(draft, project, { hour: 9, page: 9 })
    await draft.discard(project)
  }
  for (let page = 1; page <= 5 - hour; page += 1) await auditPage(draft, project, { hour, page })
  const isTaken = ({ uid }: { readonly uid: string }) => Number.parseInt(uid, 10) <= 5 - hour
  const current = (await draft.current(project)).filter(({ kind }) => kind === 'endpoint')
  const unseen = current.filter((version) => !isTaken(version))
  await draft.endVersions(
    project,
    unseen.map(({ id }) => id),
  )
  await draft.stageChanges(
    project,
    unseen.map(({ uid }) => aChange(uid, { change: 'removed' })),
  )
  await draft.endViolations(
    project,
    endedAs(
      (await draft.unconfirmedViolations(project)).map(({ id }) => id),
      'removed',
    ),
  )
  await markIn(draft, project, 'source', hour === 2 ? ['s'] : ['s', 't'])
  await draft.stageNotice(project, aNotice('endpoints', `noticed in ${hour}`))
  if (hour === 2) await draft.withholdRemovals(project, 'subscriptions', ['x'])
}

async function auditPage(
  draft: ScanDraft,
  project: ProjectRef,
  { hour, page }: { readonly hour: number; readonly page: number },
) {
  const uids = Array.from({ length: 130 }, (_, place) => `${page}-${place}`)
  const known = await knownIn(draft, project, 'endpoint', uids)
  const changed = uids.filter((_, place) => place % hour === 0)
  const versions = changed.map((uid) => aVersion(uid, { hour }, { replaces: known.get(uid)?.id }))
  await draft.stage(project, versions)
  await draft.stageChanges(
    project,
    changed.slice(0, 20).map((uid) => aChange(uid, { fields: [{ path: '/hour', before: 'é', after: hour }] })),
  )
  const active = new Map((await activeIn(draft, project, 'endpoint', uids)).map((one) => [one.uid, one]))
  const found = uids.filter((_, place) => place % 10 === 0)
  await draft.stageViolations(project, {
    confirmed: found.flatMap((uid, at) => (at % 2 === 0 ? (active.get(uid)?.id ?? []) : [])),
    violations: found.flatMap((uid, at) => {
      const known = active.get(uid)
      if (known === undefined) return [aViolation(uid, {}, project)]
      return at % 2 === 0 ? [] : [instead(known, { message: `in ${hour}` })]
    }),
  })
}
