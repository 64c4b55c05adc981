import type { Database } from 'better-sqlite3'
import { isJsonObject, type JsonObject } from '../../../model/json.ts'
import { credentials, mayHoldCredential } from '../../../model/looks-secret.ts'
import type { Kind } from '../../../model/resource.ts'
import type { Check } from './check.ts'

/** Gives the JSON Pointers of what should be sealed in a body and is not. */
export type OpenSecrets = (kind: Kind, attributes: JsonObject) => Iterable<string>

/** About secrets, as far as can be told by those who do not know them. Nothing that is found is ever quoted. */
export const secretChecks = (openSecrets: OpenSecrets): readonly Check[] => [
  {
    id: 'I7',
    depth: 'deep',
    holds: 'what must be sealed is sealed, and nothing has the form of a credential',
    means:
      'somebody who reads the history can read a secret: replace it where it is used; `hookdrift prune` and a run without it take it out of the file',
    *find(db) {
      for (const { name, sql } of bodies) {
        for (const { place, kind, body, facts } of db.prepare<[], BodyRow>(sql).iterate()) {
          if (holdsCredential(body) || holdsCredential(facts))
            yield `${name} ${place} holds what looks like a credential`
          const attributes: unknown = JSON.parse(body)
          if (!isJsonObject(attributes)) continue
          for (const path of openSecrets(kind, attributes)) yield `${name} ${place} holds ${path} unsealed`
        }
      }
      for (const [name, sql] of Object.entries(texts)) yield* inTexts(db, name, sql)
    },
  },
]

interface BodyRow {
  readonly place: string
  readonly kind: Kind
  readonly body: string
  readonly facts: string
}

const bodies = [
  {
    name: 'the body of',
    sql: "SELECT kind || ' ' || uid || ' since run ' || from_run AS place, kind, body, facts FROM version",
  },
  {
    name: 'the approved body of',
    sql: "SELECT kind || ' ' || uid AS place, kind, body, '' AS facts FROM approved_resource",
  },
] as const

/** Other texts that a run or a person wrote, and where each stands. */
const texts = {
  'a change of': "SELECT kind || ' ' || uid || ' in run ' || run AS place, name || ' ' || fields AS text FROM change",
  'a violation of':
    "SELECT kind || ' ' || uid || ' since run ' || from_run AS place, name || ' ' || message AS text FROM violation",
  'a notice of': "SELECT 'run ' || run AS place, text FROM notice",
  'the coverage of': "SELECT 'run ' || run AS place, reason AS text FROM walk WHERE reason IS NOT NULL",
  'the name of': "SELECT kind || ' ' || uid || ' since run ' || from_run AS place, name AS text FROM version",
  document: "SELECT substr(sha256, 1, 12) || '…' AS place, body AS text FROM document",
  'the note of': "SELECT 'approval ' || id AS place, note AS text FROM approval",
  notification: "SELECT id AS place, body || ' ' || ifnull(error, '') AS text FROM notification",
} as const

function* inTexts(db: Database, name: string, sql: string): Generator<string> {
  for (const { place, text } of db.prepare<[], { place: string; text: string }>(sql).iterate()) {
    if (holdsCredential(text)) yield `${name} ${place} holds what looks like a credential`
  }
}

function holdsCredential(text: string): boolean {
  // In JSON, the letter of an escaped line break would belong to the word behind it.
  if (!mayHoldCredential(text)) return false
  const found = text.replace(/\\[bfnrt]/g, ' ').match(credentials) ?? []
  return found.some((credential) => !credential.startsWith('sealed:'))
}
