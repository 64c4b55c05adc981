import type { Database } from 'better-sqlite3'
import type { FieldChange } from '../../../model/change.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import type { Kind } from '../../../model/resource.ts'
import type { OpenSecrets } from '../../upkeep.ts'
import type { Check } from './check.ts'

/**
 * About secrets, as far as they can be detected without knowing them: stored values are as they would be sealed today.
 * Faults never quote the value.
 */
export const secretChecks = (openSecrets: OpenSecrets): readonly Check[] => [
  {
    id: 'I7',
    depth: 'deep',
    invariant: 'every secret that can be recognised is sealed',
    means:
      'a reader of the history can read a secret: replace it where it is used, then run an audit and `hookdrift prune` to remove it from the file',
    *find(db) {
      yield* inBodies(db, openSecrets)
      yield* inChanges(db, openSecrets)
      for (const [name, sql] of Object.entries(names)) {
        for (const { subject, kind, text } of rows<{ kind: Kind; text: string }>(db, sql)) {
          if (openSecrets.inName(kind, text)) yield `${name} ${subject} contains an unsealed secret`
        }
      }
      for (const [name, sql] of Object.entries(texts)) {
        for (const { subject, text } of rows<{ text: string }>(db, sql)) {
          if (openSecrets.inText(text)) yield `${name} ${subject} contains what looks like a credential`
        }
      }
      for (const [name, sql] of Object.entries(documents)) {
        for (const { subject, text } of rows<{ text: string }>(db, sql)) {
          if (textsWithin(text).some(openSecrets.inText))
            yield `${name} ${subject} contains what looks like a credential`
        }
      }
    },
  },
]

function rows<Row>(db: Database, sql: string): IterableIterator<Row & { readonly subject: string }> {
  return db.prepare<[], Row & { readonly subject: string }>(sql).iterate()
}

const bodies = {
  'the body of': `SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, kind, body, facts FROM version`,
  'the approved body of': `SELECT kind || ' ' || uid AS subject, kind, body, '' AS facts FROM approved_resource`,
} as const

function* inBodies(db: Database, openSecrets: OpenSecrets): Generator<string> {
  for (const [name, sql] of Object.entries(bodies)) {
    for (const { subject, kind, body, facts } of rows<{ kind: Kind; body: string; facts: string }>(db, sql)) {
      const attributes: unknown = JSON.parse(body)
      const open = isJsonObject(attributes) ? openSecrets.inBody(kind, attributes) : ['its body']
      for (const path of open) yield `${name} ${subject} contains ${path} unsealed`
      if (textsWithin(facts).some(openSecrets.inText))
        yield `${name} ${subject} contains what looks like a credential in its facts`
    }
  }
}

function* inChanges(db: Database, openSecrets: OpenSecrets): Generator<string> {
  const sql = "SELECT kind || ' ' || uid || ' in run ' || run AS subject, kind, fields FROM change"
  for (const { subject, kind, fields } of rows<{ kind: Kind; fields: string }>(db, sql)) {
    // As a run wrote it, unless it was altered.
    const changes = JSON.parse(fields) as readonly Partial<FieldChange>[]
    const isOpen = ({ path = '', before = null, after = null }: Partial<FieldChange>) =>
      [before, after].some((value: Json) => openSecrets.inPart(kind, { path, value }))
    if (changes.some(isOpen) || textsWithin(fields).some(openSecrets.inText))
      yield `a change of ${subject} contains an unsealed secret`
  }
}

const names = {
  'the name of': "SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, kind, name AS text FROM version",
  'the approved name of': "SELECT kind || ' ' || uid AS subject, kind, name AS text FROM approved_resource",
  'a change of': "SELECT kind || ' ' || uid || ' in run ' || run AS subject, kind, name AS text FROM change",
  'a violation of':
    "SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, kind, name AS text FROM violation",
} as const

/** Other texts of runs and people, with what they belong to. */
const texts = {
  'a violation of': "SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, message AS text FROM violation",
  'a notice of': "SELECT 'run ' || run AS subject, text FROM notice",
  'the coverage of': "SELECT 'run ' || run AS subject, reason AS text FROM walk WHERE reason IS NOT NULL",
  'the note of': "SELECT 'approval ' || id AS subject, note AS text FROM approval",
  'the reason of': "SELECT 'acceptance ' || id AS subject, reason AS text FROM acceptance",
  'the text of': "SELECT 'note ' || id AS subject, text FROM recorded_note",
  'the reference of': "SELECT 'note ' || id AS subject, ref AS text FROM recorded_note WHERE ref IS NOT NULL",
  notification: 'SELECT id AS subject, error AS text FROM notification WHERE error IS NOT NULL',
} as const

/** JSON. */
const documents = {
  document: "SELECT substr(sha256, 1, 12) || '…' AS subject, body AS text FROM document",
  evaluation: 'SELECT id AS subject, body AS text FROM evaluation',
  notification: 'SELECT id AS subject, body AS text FROM notification',
  'the waiver of':
    "SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, waiver AS text FROM violation WHERE waiver IS NOT NULL",
  'the ending of':
    "SELECT kind || ' ' || uid || ' since run ' || from_run AS subject, ended_by AS text FROM violation WHERE ended_by IS NOT NULL",
} as const

/** All texts in a JSON text, including names of members; the whole text where it is not JSON. */
function textsWithin(json: string): readonly string[] {
  if (json === '') return []
  try {
    return [...textsOf(JSON.parse(json))]
  } catch {
    return [json]
  }
}

function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item)
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield name
      yield* textsOf(member)
    }
  }
}
