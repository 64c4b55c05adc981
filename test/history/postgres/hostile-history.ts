import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { longestUid, type ProjectRef } from '../../../src/model/resource.ts'
import { Machines } from '../processes.ts'
import { aChange, aCoverage, aNotice, aStart, at, aVersion, aViolation, commit } from '../samples.ts'

/** Texts that a service may send in the place of a uid, a name or anything else. */
export const hostileTexts: readonly [string, string][] = [
  ['quotes', `it's "quoted"; DROP TABLE run; --`],
  ['NUL', 'before\0after'],
  ['the character that escapes NUL', '\u0001\u0001\u0002'],
  ['half a surrogate pair', 'x\ud800y'],
  ['astral and combining', '\u{1f600}e\u0301\ufeff'],
  ['LIKE and JSON path signs', '%_$.[0]"\\'],
  ['1 MB', 'x'.repeat(1 << 20)],
]

/** A history of one run in a file, which has a text wherever a service decides. Returns its project. */
export async function makeHostileHistory(file: string, text: string): Promise<ProjectRef> {
  const uid = text.slice(0, longestUid)
  const project = { name: text, service: uid, uid }
  const history = openSqliteHistory(file, new Machines().process(1))
  const draft = await history.begin(aStart(at(1)))
  await draft.stageScan(project)
  await draft.stageWalk(project, aCoverage('endpoints'), [text])
  await draft.stageWalk(project, { ...aCoverage('subscriptions', 'failed'), reason: text }, [text])
  const refers = { endpoint_uid: uid, source_uid: uid, device_uid: uid }
  const versions = [
    aVersion(uid, { owner_id: text.toWellFormed(), [text]: text }, { name: text }),
    aVersion(uid, { ...refers, [text]: text }, { kind: 'subscription', name: text }),
  ]
  await draft.stage(project, versions)
  const fields = [{ path: `/${text}`, before: text, after: { [text]: text } }]
  await draft.stageChanges(project, [aChange(uid, { name: text, change: 'modified', fields, referrers: [uid] })])
  const hostile = { name: text, path: text, message: text }
  const violations = [aViolation(uid, hostile, project), aViolation(uid, { ...hostile, kind: 'subscription' }, project)]
  await draft.stageViolations(project, { confirmed: [], violations })
  await draft.stageNotice(project, aNotice('endpoints', text))
  await draft.markUnreferenced(project, 'source', [uid])
  await draft.withholdRemovals(project, 'endpoints', [uid])
  await commit(draft)
  await history.close()
  return project
}
