const mostBytes = 4096

/** The fields of a form, or the status for what is not a small form. */
export async function readForm(
  request: Request,
): Promise<{ readonly fields: URLSearchParams } | { readonly refused: 413 | 415 }> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim())) return { refused: 415 }
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) return { refused: 413 }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.byteLength
    if (size > mostBytes) return { refused: 413 }
    parts.push(part)
  }
  return { fields: new URLSearchParams(Buffer.concat(parts).toString('utf8')) }
}
