import { createHash } from 'node:crypto'
import type { Context } from 'hono'

/** Makes a tag of what an answer depends on; `start` is in front of its digest. */
export function entityTag(start: string, content: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  // Weak: a compressed answer has other bytes.
  return `W/"${start}${digest}"`
}

/**
 * Whether the client has the answer of a tag already. Sets the headers for this time and the next: a 304 has those of
 * the answer.
 */
export function isHeld(context: Context, tag: string, cacheControl: string): boolean {
  context.header('etag', tag)
  context.header('cache-control', cacheControl)
  context.header('vary', 'Accept-Encoding')
  const held = (context.req.header('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return held.includes(tag.replace(/^W\//, ''))
}
