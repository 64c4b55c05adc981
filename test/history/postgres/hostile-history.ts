import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import type { ProjectRef } from '../../../src/model/resource.ts'
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
  const project = { name: text, service: text, uid: text }
  const history = openSqliteHistory(file, new Machines().process(1))
  const draft = await history.begin(aStart(at(1)))
  await draft.stageScan(project)
  await draft.stageWalk(project, aCoverage('endpoints'), [text])
  await draft.stageWalk(project, { ...aCoverage('subscriptions', 'failed'), reason: text }, [text])
  const refers = { endpoint_uid: text, source_uid: text, device_uid: text }
  const versions = [
    aVersion(text, { owner_id: text.toWellFormed(), [text]: text }, { name: text }),
    aVersion(text, { ...refers, [text]: text }, { kind: 'subscription', name: text }),
  ]
  await draft.stage(project, versions)
  const fields = [{ path: `/${text}`, before: text, after: { [text]: text } }]
  await draft.stageChanges(project, [aChange(text, { name: text, change: 'modified', fields, referrers: [text] })])
  const hostile = { name: text, path: text, message: text }
  const violations = [
    aViolation(text, hostile, project),
    aViolation(text, { ...hostile, kind: 'subscription' }, project),
  ]
  await draft.stageViolations(project, { confirmed: [], violations })
  await draft.stageNotice(project, aNotice('endpoints', text))
  await draft.markUnreferenced(project, 'source', [text])
  await draft.withholdRemovals(project, 'endpoints', [text])
  await commit(draft)
  await history.close()
  return project
}
