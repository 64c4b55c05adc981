/** What is sent to a port is a form of a few fields. */
export const mostBodyBytes = 4096

/** The body of a request, empty where there is none; undefined where it is too long, of which no more is read. */
export async function readBody({ headers, body }: Request): Promise<Buffer | undefined> {
  if (Number(headers.get('content-length') ?? 0) > mostBodyBytes) return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    if (size > mostBodyBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
