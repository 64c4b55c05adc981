import type { Session } from './session.ts'

/** What a history has names for. */
export type NameKind = 'runs' | 'projects' | 'resources' | 'violations'

/** A name that begins as asked, and what it is. */
export interface ResourceName {
  readonly value: string
  readonly about: string
}

/** A person waits for them: no more are shown, and no more time is spent on them. */
const mostNames = 200
export const namesTimeoutMs = 250

/** The names of one sort that begin with a text, at most 200. */
export function namesOf(session: Session, what: NameKind, prefix: string): Promise<readonly ResourceName[]> {
  // Of a number, digits only: a pattern has no other meaning then.
  const values = what === 'runs' ? [prefix.replace(/\D/g, 'x')] : [prefix, prefix + lastCharacter]
  return session.all<ResourceName>(`${statements[what]} LIMIT ${mostNames}`, values)
}

/** Sorts after every text that begins with the same characters. */
const lastCharacter = '\u{10ffff}'

const statements: Readonly<Record<NameKind, string>> = {
  runs: `SELECT CAST(number AS text) AS value, started_at AS about FROM hookdrift.run
    WHERE state = 'committed' AND CAST(number AS text) LIKE $1 || '%' ORDER BY number DESC`,
  projects: `SELECT DISTINCT l.value, '' AS about FROM (
      SELECT (SELECT s.name FROM hookdrift.scan s WHERE s.project_id = p.id ORDER BY s.run DESC LIMIT 1) AS value
      FROM hookdrift.project p) l
    WHERE l.value >= $1 AND l.value < $2 ORDER BY l.value`,
  // By the index of resources, project by project, until there are enough.
  resources: `SELECT v.uid AS value, v.kind || ' ' || v.name AS about
    FROM hookdrift.project p CROSS JOIN hookdrift.version v
    WHERE v.project_id = p.id AND v.kind IN ('endpoint', 'subscription', 'source', 'event_type', 'project')
      AND v.to_run IS NULL AND v.uid >= $1 AND v.uid < $2
      AND v.from_run <= (SELECT max(number) FROM hookdrift.run WHERE state = 'committed')`,
  violations: `SELECT fingerprint AS value, rule || ' ' || name AS about FROM hookdrift.violation
    WHERE fingerprint >= $1 AND fingerprint < $2 AND to_run IS NULL ORDER BY fingerprint`,
}
