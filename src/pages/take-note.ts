import { z } from 'zod'
import { mostBodyBytes, readBody } from '../app/serving/stream-bytes.ts'
import { matchesProject, projectPatterns, projectScope } from '../config/choose-projects.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import { parseJson } from '../gateway/service/parse-json.ts'
import type { OpenHistory } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import { neutralise, neutraliseJson } from '../model/text/neutralise.ts'
import { isoTime } from '../model/time.ts'
import { expectationOfIssue } from '../model/yaml/describe-issue.ts'
import { describeName } from '../model/yaml/describe-value.ts'
import { chooseNoted, composeNote, longestNote, readNotedProjects } from '../questions/compose-note.ts'
import { toNoteRow } from '../questions/notes.ts'
import { isCrossSite, neverStored } from './access/refuse.ts'
import { faultForReaders, type Viewer } from './page.ts'

/** The one address that takes something, and nothing but notes. */
export const notesPath = '/api/v1/notes'

export const noteBody = z.strictObject({
  text: z.string().min(1).max(longestNote),
  at: z.string().max(64).exactOptional().describe('When: an instant, or how long ago. Default: now'),
  ref: z.string().min(1).max(longestNote).exactOptional().describe('An address, or the digest of a commit'),
  projects: projectPatterns.exactOptional().describe('Default: all of the token'),
})

export interface NoteDesk {
  history(): Promise<OpenHistory>
  /** Masks the secrets of the configuration, and what looks like one. */
  masking(): Promise<Sealer>
  /** Milliseconds since the epoch. */
  now(): number
  /** For the log. */
  onFault(error: unknown): void
}

/** Answers a POST of a note. A page of another site may send nothing. */
export function refuseForeignNote(request: Request): Response | undefined {
  return isCrossSite(request) ? refuse(403, 'sent by a page of another site') : undefined
}

/**
 * Records the note of a request. Its reader must have sent a token with the right: a login would let any page that the
 * reader opens write. A token for some projects notes about those.
 */
export async function takeNote(
  request: Request,
  viewer: Viewer,
  { history, masking, now, onFault }: NoteDesk,
): Promise<Response> {
  if (viewer.may?.includes('note') !== true) {
    return refuse(403, 'this token may not write notes', 'add `may: [note]` to it in serve.tokens of the configuration')
  }
  if (new URL(request.url).search !== '') return refuse(400, 'no parameters are expected')
  if (!/^application\/json(?:;|$)/i.test((request.headers.get('content-type') ?? '').trim())) {
    return refuse(415, 'expected a body of the type application/json')
  }
  const body = await readBody(request)
  if (body === undefined) return refuse(413, `more than ${mostBodyBytes} bytes`)
  try {
    const { projects: patterns = [], ...written } = decode(body)
    const opened = await history()
    const { projects: own } = viewer
    const scanned = await readNotedProjects(opened)
    const noted = own === undefined ? scanned : scanned.filter(projectScope(own).has)
    if (own !== undefined && !patterns.every((one) => noted.some((name) => matchesProject(name, [one])))) {
      return refuse(403, 'this token may note about its own projects only')
    }
    // A note that names no project is about all: for a token of some, about all of those.
    const isOfToken = own !== undefined && patterns.length === 0
    if (isOfToken && noted.length === 0) return refuse(400, 'no project of this token was scanned yet')
    const projects = isOfToken ? noted : chooseNoted(noted, patterns)
    const signed = { by: viewer.name ?? '', at: isoTime(now()) }
    const note = composeNote({ ...written, projects }, signed, await masking())
    return answer(201, toNoteRow(await opened.note(note)))
  } catch (error) {
    const { status, message, advice } = faultForReaders(error, onFault)
    return refuse(status, message, advice)
  }
}

/** @throws AuditError.usage when it is not a note */
function decode(body: Buffer): z.output<typeof noteBody> {
  const advice = 'send { "text", "at"?, "ref"?, "projects"? } as JSON'
  const parsed = parseJson(body)
  if (!parsed.ok) throw AuditError.usage(`not a note: ${parsed.reason}`, { advice })
  // It marks numbers that a double cannot keep, and such texts, for what services show.
  const decoded = noteBody.safeParse(JSON.parse(body.toString()), { error: expectationOfIssue })
  if (decoded.success) return decoded.data
  const mistakes = decoded.error.issues.map(describeMistake).join('; ')
  throw AuditError.usage(`not a note: ${mistakes}`, { advice })
}

function describeMistake(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.map(describeName).join(', ')} is unknown`
  const member = issue.path.join('.') || 'the body'
  if (issue.code === 'too_big') return `${member} has more than ${issue.maximum} characters`
  return `${member} is missing or does not fit, expected ${issue.message}`
}

function refuse(status: number, message: string, advice?: string): Response {
  return answer(status, {
    error: { message: neutralise(message), advice: advice === undefined ? null : neutralise(advice) },
  })
}

function answer(status: number, value: object): Response {
  const headers = { ...neverStored, 'content-type': 'application/json' }
  return new Response(`${neutraliseJson(JSON.stringify(value, null, 2))}\n`, { status, headers })
}
