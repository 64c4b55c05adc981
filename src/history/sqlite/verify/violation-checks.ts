import { type Check, sentences } from './check.ts'

/** About violations. */
export const violationChecks: readonly Check[] = [
  {
    id: 'I5',
    invariant: 'a violation is resolved only by a complete walk, another policy, an acceptance or its own expiry',
    means: 'a violation that was not evaluated was reported as resolved',
    *find(db) {
      yield* sentences<EndedRow>(
        db,
        resolvedSql,
        ({ rule, kind, uid, run }) =>
          `${rule} at ${kind} ${uid} was resolved by run ${run}, which did not walk all ${kind}s and evaluated the same policy as before`,
      )
      yield* sentences<EndedRow>(
        db,
        unsaidSql,
        ({ rule, kind, uid, run }) => `${rule} at ${kind} ${uid} ended in run ${run}, and nothing says how`,
      )
    },
  },
]

interface EndedRow {
  readonly rule: string
  readonly kind: string
  readonly uid: string
  readonly run: number
}

/** Readers know by its resolution that a violation ended, and was not written anew. */
const unsaidSql = `
  SELECT x.rule, x.kind, x.uid, x.to_run AS run FROM violation x JOIN run r ON r.number = x.to_run AND r.state = 'committed'
  WHERE x.resolution IS NULL AND NOT EXISTS (SELECT 1 FROM violation n WHERE n.replaces = x.id)`

/**
 * Two rules are about the scan of a project, not about its attributes. Its listings resolve them, also where the
 * service does not show the project. Violations of a list of projects are resolved by that list.
 *
 * An override ends what it switches off as soon as the resource is seen.
 *
 * The runs since the violation was last seen count too: one of them may have changed the policy.
 */
const resolvedSql = `
  SELECT x.rule, x.kind, x.uid, x.to_run AS run
  FROM violation x JOIN run r ON r.number = x.to_run AND r.state = 'committed'
  WHERE NOT EXISTS (SELECT 1 FROM violation n WHERE n.replaces = x.id)
    AND ifnull(x.resolution, '') NOT IN ('accepted', 'expired')
    AND ifnull(x.ended_by ->> '$.kind', '') <> 'override'
    AND x.kind IN ('project', 'endpoint', 'source', 'event_type', 'subscription', 'device')
    AND NOT EXISTS (
      SELECT 1 FROM walk w WHERE w.project_id = x.project_id AND w.run = x.to_run AND w.status = 'complete'
        AND w.listing IN (CASE x.kind WHEN 'project' THEN 'project' WHEN 'device' THEN 'subscriptions' ELSE x.kind || 's' END,
                          CASE x.kind WHEN 'source' THEN 'subscriptions' WHEN 'project' THEN 'projects' END))
    AND NOT (x.rule IN ('project/vanished', 'project/mass-removal') AND 2 = (
      SELECT count(*) FROM walk w WHERE w.project_id = x.project_id AND w.run = x.to_run AND w.status = 'complete'
        AND w.listing IN ('endpoints', 'subscriptions')))
    AND NOT EXISTS (
      SELECT 1 FROM run b WHERE b.number < r.number AND b.number >= ifnull(x.last_run, x.from_run)
        AND (b.policy_digest <> r.policy_digest OR b.tool_version <> r.tool_version))`
