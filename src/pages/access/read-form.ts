import { readBody } from '../../serving/read-body.ts'

/** The fields of a form, or the status for what is not a small form. */
export async function readForm(
  request: Request,
): Promise<{ readonly fields: URLSearchParams } | { readonly refused: 413 | 415 }> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim())) return { refused: 415 }
  const body = await readBody(request)
  return body === undefined ? { refused: 413 } : { fields: new URLSearchParams(body.toString('utf8')) }
}
