import type { Json } from '../model/json.ts'
import { releases, type SimulatedRelease } from './behaviour.ts'
import type { SimulatedAnswer } from './fault.ts'

/** An envelope as every operation but the endpoint list writes it: with a line feed at the end. */
export function enveloped(release: SimulatedRelease, status: number, message: string, data?: Json): SimulatedAnswer {
  const envelope = { status: status < 400, message, ...(data !== undefined && { data }) }
  return answer(status, releases[release].contentType, `${goJson(envelope)}\n`)
}

export function answer(status: number, contentType: string, body: string): SimulatedAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) }
}

/** A panic: the header says JSON, the body is empty. */
export function panicked(release: SimulatedRelease): SimulatedAnswer {
  return answer(500, releases[release].contentType, '')
}

export function notFound(): SimulatedAnswer {
  return answer(404, 'text/plain; charset=utf-8', '404 page not found\n')
}

/** Every unknown path belongs to the service's single-page application. */
export function dashboard(): SimulatedAnswer {
  return answer(
    200,
    'text/html; charset=utf-8',
    '<!DOCTYPE html><html lang="en"><head>\n\t\t<meta charset="utf-8">\n\t\t<title>Convoy</title>\n\t</head><body></body></html>',
  )
}

export function methodNotAllowed(): SimulatedAnswer {
  return answer(405, 'application/json', '')
}

/** 415 has neither a type nor a body. */
export function unsupportedType(): SimulatedAnswer {
  return { status: 415, headers: {}, body: Buffer.alloc(0) }
}

/** 429. `waitSeconds` from `nowMs`, as a number of seconds or as the time of its end, depending on the release. */
export function limited(
  release: SimulatedRelease,
  { limit, waitSeconds, nowMs }: { limit: number; waitSeconds: number; nowMs: number },
): SimulatedAnswer {
  const retryAfter = releases[release].retryAfter === 'seconds' ? waitSeconds : Math.ceil(nowMs / 1000) + waitSeconds
  const plain = enveloped(release, 429, 'exceeded rate limit')
  const headers = {
    ...plain.headers,
    'retry-after': `${retryAfter}`,
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': '0',
  }
  return { ...plain, headers }
}

/** JSON as Go's encoder writes it: `<`, `>` and `&` escaped everywhere. */
export function goJson(value: Json): string {
  return escapeMarkup(JSON.stringify(value))
}

function escapeMarkup(text: string): string {
  return markup.test(text)
    ? text.replace(everyMarkup, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

const markup = /[<>&\u2028\u2029]/
const everyMarkup = new RegExp(markup, 'g')
